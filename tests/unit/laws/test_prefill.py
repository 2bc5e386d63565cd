"""Prefill laws by hand."""

import math

import pytest

from agentsim.laws.prefill import Prefill, PrefillTable, table_from_rates


def test_prefill_by_hand():
    # E07: a = 1 ms, b = 100 ns. 10,000 new: 10 + 1e-7 * 5e7 = 15; 3,000 after 10,000: 6.45
    law = Prefill(per_token=1e-3, slope=1e-7)
    assert law.seconds(10_000, 0) == pytest.approx(15.0, rel=1e-12)
    assert law.seconds(3000, 10_000) == pytest.approx(6.45, rel=1e-12)


def test_one_prompt_costs_what_its_pieces_cost():
    law = Prefill(per_token=1e-3, slope=1e-7)
    table = table_from_rates({0: 1000.0, 8000: 500.0, 32_000: 250.0})
    for kind in (law, table):
        whole = kind.seconds(50_000, 0)
        pieces = sum(kind.seconds(1000, depth) for depth in range(0, 50_000, 1000))
        assert whole == pytest.approx(pieces, rel=1e-9)


def test_the_fixed_part():
    law = Prefill(fixed=0.2, per_token=1e-3)
    assert law.seconds(100, 0) == pytest.approx(0.3)
    assert law.seconds(0, 500) == 0.2  # all cached: still a request to look at
    assert law.seconds(0, 0) == 0.0  # no input at all
    table = table_from_rates({0: 1000.0}, fixed=0.2)
    assert [table.seconds(*pair) for pair in ((100, 0), (0, 500), (0, 0))] == [
        pytest.approx(0.3),
        0.2,
        0.0,
    ]


def test_table_by_depth():
    # 1 ms a token at depth 0, 2 ms at 8,000: at 4,000 it is 1.5 ms, flat beyond.
    table = table_from_rates({8000: 500.0, 0: 1000.0})
    assert table.seconds(8000, 0) == pytest.approx(12.0)  # mean of 1 and 2 ms
    assert table.seconds(2000, 3000) == pytest.approx(3.0)  # 1.5 ms on average
    assert table.seconds(1000, 20_000) == pytest.approx(2.0)
    assert table.seconds(10_000, 4000) == pytest.approx(4000 * 1.75e-3 + 6000 * 2e-3)
    late = PrefillTable(((1000, 1e-3), (2000, 2e-3)))
    assert late.seconds(1500, 0) == pytest.approx(1000 * 1e-3 + 500 * 1.25e-3)


def test_times():
    law = Prefill(0.2, 1e-3, 1e-7)
    table = table_from_rates({0: 1000.0, 8000: 500.0}, fixed=0.2)
    for kind in (law, table):
        assert kind.times(0.5).seconds(5000, 2000) == pytest.approx(kind.seconds(5000, 2000) / 2)
        assert kind.times(0.0).seconds(5000, 2000) == 0.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: Prefill(fixed=-1.0),
        lambda: Prefill(per_token=math.inf),
        lambda: Prefill(slope=math.nan),
        lambda: PrefillTable(()),
        lambda: PrefillTable(((0, 1e-3), (0, 2e-3))),
        lambda: PrefillTable(((-5, 1e-3),)),
        lambda: table_from_rates({0: 0.0}),
        lambda: Prefill().times(-1.0),
    ],
)
def test_refused(make):
    with pytest.raises(ValueError):
        make()
