"""Decode laws by hand."""

import math
import pickle

import pytest

from agentsim.laws.decode import Decode, knots_from_per_stream, knots_from_rate, knots_from_total

SPARK = Decode(knots=((1, 0.0173), (4, 0.0402), (8, 0.0496)), slope=191e-9)


def test_step_between_knots_is_linear_in_time():
    assert SPARK.step(1) == 0.0173
    assert SPARK.step(2) == pytest.approx(0.0173 + (0.0402 - 0.0173) / 3, rel=1e-12)
    assert SPARK.step(4) == 0.0402
    assert SPARK.step(8) == 0.0496


def test_step_outside_the_knots():
    law = Decode(knots=((2, 0.010), (4, 0.014)))
    assert law.step(1) == 0.010  # flat below the first
    assert law.step(8) == pytest.approx(0.022)  # 2 ms a stream go on
    falling = Decode(knots=((1, 0.010), (2, 0.008)))
    assert falling.step(50) == 0.008  # never falls beyond the last
    assert Decode(knots=((1, 0.010),)).step(50) == 0.010


def test_fit():
    law = Decode(fit=(0.005, 0.001, 0.002))
    assert law.step(4) == pytest.approx(0.005 + 0.004 + 0.004)
    assert Decode(fit=(0.010, 0.001, -0.004)).step(4) == pytest.approx(0.006)


def test_rates_become_step_times():
    # C1: per-stream 83 / 38.2 / 22.2 at 1 / 4 / 8; total 100 and 100 at 1 and 8 streams
    assert knots_from_per_stream({4: 38.2, 1: 83.0, 8: 22.2}) == (
        (1, 1 / 83.0),
        (4, 1 / 38.2),
        (8, 1 / 22.2),
    )
    total = Decode(knots=knots_from_total({1: 100.0, 8: 100.0}))
    assert [total.step(b) for b in (1, 2, 8)] == pytest.approx([0.01, 0.02, 0.08])
    assert Decode(knots=knots_from_rate(100.0)).rate == pytest.approx(100.0)


def test_alone_with_a_context_slope():
    # E07: 1,000 tokens from 10,000: 10 + 1e-6 * (1e7 + 5e5) = 20.5 s; from 13,000: 23.5 s
    law = Decode(knots=knots_from_rate(100.0), slope=1e-6)
    assert law.alone(1000, 10_000) == pytest.approx(20.5, rel=1e-12)
    assert law.alone(1000, 13_000) == pytest.approx(23.5, rel=1e-12)


def test_alone_with_speculation():
    # E07: 1,000 tokens at 2.5 a step = 400 steps of 40 ms = 16 s; scaled to 125 tok/s: 8 s
    law = Decode(knots=((1, 0.040),), per_step=2.5)
    assert law.alone(1000, 0) == pytest.approx(16.0, rel=1e-12)
    assert law.scaled(125).alone(1000, 0) == pytest.approx(8.0, rel=1e-12)
    # With a slope: step k of 400 has L + 2.5 k tokens before it; the sum is L n + 2.5 n^2 / 2.
    sloped = Decode(knots=((1, 0.040),), per_step=2.5, slope=1e-6)
    assert sloped.alone(1000, 100) == pytest.approx(16.0 + 1e-6 * (400 * 100 + 2.5 * 400**2 / 2))


def test_scaled_takes_the_slope_along():
    # E07 runs 2 and 3: the whole law / 2 and / 150
    law = Decode(knots=knots_from_rate(100.0), slope=1e-6)
    assert law.scaled(200).alone(1000, 10_000) == pytest.approx(20.5 / 2, rel=1e-12)
    assert law.scaled(15_000).alone(1000, 13_000) == pytest.approx(23.5 / 150, rel=1e-12)
    assert law.scaled(200).rate == pytest.approx(200.0)
    fit = Decode(fit=(0.008, 0.001, 0.001), slope=1e-6)
    assert fit.scaled(200).step(4) == pytest.approx(fit.step(4) / 2)


def test_solo_is_alone():
    for law in (SPARK, Decode(knots=((1, 0.040),), per_step=2.5, slope=1e-6)):
        for tokens, context in ((0, 0), (1, 500), (1000, 100_000)):
            wanted = [law.alone(n, context) for n in (0, 1, tokens)]
            assert law.solo()(context, 0, 1, tokens) == pytest.approx(wanted)


def test_infinitely_fast():
    still = SPARK.times(0.0)
    assert still.alone(5000, 100_000) == 0.0
    assert still.rate == math.inf
    with pytest.raises(ValueError, match="infinitely fast"):
        still.scaled(100)


def test_the_scale_of_19000_tokens():
    # Issue 2: 19,000 tokens at 5 / 30 / 100 / 800 / 15,000 tok/s
    seconds = [Decode(knots=knots_from_rate(r)).alone(19_000, 0) for r in (5, 30, 100, 800, 15_000)]
    assert seconds == pytest.approx([3800, 633.33, 190, 23.75, 1.2667], rel=5e-5)


def test_a_value_object():
    assert pickle.loads(pickle.dumps(SPARK)) == SPARK
    assert hash(SPARK) == hash(SPARK.times(1.0))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"knots": ()},
        {"knots": ((1, 0.01),), "fit": (1.0, 0.0, 0.0)},
        {"knots": ((0, 0.01),)},
        {"knots": ((1, -0.01),)},
        {"knots": ((1, math.nan),)},
        {"knots": ((4, 0.01), (1, 0.02))},
        {"knots": ((1, 0.01), (1, 0.02))},
        {"knots": ((1, 0.01),), "slope": -1e-9},
        {"knots": ((1, 0.01),), "per_step": 0.0},
        {"fit": (0.01, -0.001, 0.0)},
        {"fit": (0.01, 0.0, -0.001)},
        {"fit": (0.01, 0.001, -0.02)},
        {"fit": (math.inf, 0.0, 0.0)},
    ],
)
def test_refused(fields):
    with pytest.raises(ValueError):
        Decode(**fields)


def test_rates_of_nothing_are_refused():
    for make in (knots_from_per_stream, knots_from_total):
        with pytest.raises(ValueError, match="more than 0"):
            make({1: 0.0})
    with pytest.raises(ValueError, match="more than 0"):
        SPARK.scaled(0)
