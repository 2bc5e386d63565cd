"""Crossings against closed forms, and against costs that follow no closed form."""

from __future__ import annotations

import math
import random

import pytest

from agentsim.analysis.estimate import t95
from agentsim.experiment.crossings import LOOKS, Costs, Crossing, Probe, crossings


def alone(tokens: float, tools: float, people: float, calls: list[float] | None = None) -> Probe:
    """A run on a server of its own: `tokens` one after another, and fixed costs beside them."""

    def probe(rate: float) -> list[Costs]:
        if calls is not None:
            calls.append(rate)
        decode = tokens / rate
        return [Costs(decode, tools, people, decode + tools + people)]

    return probe


def by_kind(found: list[Crossing]) -> dict[str, float]:
    return {crossing.kind: crossing.rate for crossing in found}


def test_closed_forms() -> None:
    # 50,000 tokens, 727 s of tools, 1,800 s of people (case A1): people from 50000/1800 = 27.8 on,
    # tools from 50000/727 = 68.8 on, and twice the speed saves less than 5 % from
    # 9 * 50000 / 2527 = 178.1 on: decoding is then a ninth of the rest, a tenth of all
    looked: list[float] = []
    found = crossings(alone(50_000, 727, 1800, looked), 100, "you")
    assert by_kind(found) == pytest.approx(
        {"people": 27.78, "tools": 68.78, "speed": 178.08}, rel=1e-3
    )
    assert [crossing.text for crossing in found] == [
        "you cost more than decoding",
        "the tools cost more than decoding",
        "twice the speed saves less than 5 %",
    ]
    assert len(looked) <= 12
    assert len(set(looked)) == len(looked)  # no rate is simulated twice


def test_the_saving_at_the_crossing_is_what_it_says() -> None:
    probe = alone(50_000, 727, 0)
    rate = by_kind(crossings(probe, 5))["speed"]
    assert 1 - probe(2 * rate)[0].wall / probe(rate)[0].wall == pytest.approx(0.05, rel=1e-6)


def test_what_is_free_never_costs_more() -> None:
    assert by_kind(crossings(alone(1000, 0, 0), 100)) == {}
    assert by_kind(crossings(alone(0, 10, 10), 100)) == {}


@pytest.mark.parametrize(
    ("tools", "rate"),
    # 1,000 tokens: the tools cost more from 1000 / tools on; 1e7 and 1e-6 tok/s are out of reach
    [(1e-2, 1e5), (1e3, 1.0), (1e-4, None), (1e9, None)],
)
def test_beyond_reach_is_left_out(tools: float, rate: float | None) -> None:
    found = by_kind(crossings(alone(1000, tools, 0), 100))
    assert found.get("tools") == (None if rate is None else pytest.approx(rate, rel=0.01))


def test_a_server_that_others_share() -> None:
    # decoding falls as 1 / rate ** 0.5, so the closed form falls short: 1000 / sqrt(r) = 50 at 400
    looked: list[float] = []

    def probe(rate: float) -> list[Costs]:
        looked.append(rate)
        decode = 1000 / rate**0.5
        return [Costs(decode, 50, 0, decode + 50)]

    found = by_kind(crossings(probe, 100))
    assert found["tools"] == pytest.approx(400, rel=0.01)
    assert len(looked) <= 3 * LOOKS


def test_a_cost_that_jumps_is_not_made_up() -> None:
    # decoding is twice or half of the tools, never equal: there is a bracket, but no meeting
    def probe(rate: float) -> list[Costs]:
        decode = 200.0 if rate < 300 else 50.0
        return [Costs(decode, 100, 0, decode + 100)]

    found = by_kind(crossings(probe, 100))
    assert "tools" not in found or found["tools"] == pytest.approx(300, rel=0.1)


def test_one_person_by_name() -> None:
    (crossing,) = (c for c in crossings(alone(1000, 0, 10), 100, "dev") if c.kind == "people")
    assert crossing.text == "dev costs more than decoding"


def test_an_interval_by_hand() -> None:
    """Two runs: 1,000 tokens each, tools of 8 and 12 s. They meet at 1000 / 10 = 100 tok/s.

    There decode - tools is 2 and -2 s: a standard deviation of sqrt(8), over sqrt(2) runs 2 s, over
    10 s of decoding 0.2. Student's t for one degree of freedom is 12.706: the rate times or over
    exp(2.5412). For twice the speed: x = 1 / 9 at 900 tok/s, so s = 0.05 of W = 100 / 9 s, and
    s (1 - 2 s) = 0.045. W is 9.111 and 13.111 s, W2 5 / 9 s less, 0.95 W on average: the residuals
    W2 - 0.95 W are -0.05 * 2 s off, 0.1 and -0.1 s; over sqrt(2) runs 0.1 s, over W 0.009, over
    0.045 again 0.2.
    """

    def probe(rate: float) -> list[Costs]:
        return [Costs(1000 / rate, own, 0, 1000 / rate + own) for own in (8, 12)]

    found = {own.kind: own for own in crossings(probe, 150)}
    half = t95(1) * 0.2
    for kind, rate in (("tools", 100.0), ("speed", 900.0)):
        own = found[kind]
        assert own.rate == pytest.approx(rate, rel=1e-6)
        assert own.runs == 2
        assert own.ci95 == pytest.approx(
            (rate / math.exp(half), rate * math.exp(half)), rel=0.03 if kind == "speed" else 1e-6
        )


def test_the_interval_is_wider_where_decoding_falls_more_slowly() -> None:
    # decoding as 1 / sqrt(rate) needs twice the step of the logarithm for the same difference
    def probe(power: float) -> Probe:
        return lambda rate: [Costs(1000 / rate**power, own, 0, 1) for own in (48, 50, 52)]

    reach = []
    for power in (1.0, 0.5):
        (own,) = (own for own in crossings(probe(power), 10) if own.kind == "tools")
        assert own.rate == pytest.approx(20 ** (1 / power), rel=0.01)
        reach.append(math.log(own.ci95[1] / own.rate))
    assert reach[1] == pytest.approx(2 * reach[0], rel=0.02)


def test_without_chance_there_is_no_interval() -> None:
    for own in crossings(alone(50_000, 727, 1800), 100):
        assert own.ci95 == (own.rate, own.rate)


def test_the_interval_covers_as_often_as_it_says() -> None:
    """Monte Carlo: 400 samples of 40 runs, tokens and tool times log-normal with known means.

    The true crossings: mean tokens over mean tool seconds, and 9 times that. 95 % of 400 are 380,
    give or take 4.4; Student's interval of skewed values covers a little less often.
    """
    draw = random.Random(20)
    sigma = 0.5
    true = 1000 / 10
    covered = {"tools": 0, "speed": 0}
    for _ in range(400):
        pairs = [
            (1000 * draw.lognormvariate(-sigma**2 / 2, sigma),
             10 * draw.lognormvariate(-sigma**2 / 2, sigma))
            for _ in range(40)
        ]  # fmt: skip

        def probe(rate: float, pairs: list[tuple[float, float]] = pairs) -> list[Costs]:
            return [Costs(a / rate, b, 0, a / rate + b) for a, b in pairs]

        for own in crossings(probe, 50):
            low, high = own.ci95
            covered[own.kind] += low <= true * (9 if own.kind == "speed" else 1) <= high
    assert 365 <= covered["tools"] <= 395
    assert 365 <= covered["speed"] <= 395
