"""Crossings against closed forms, and against costs that follow no closed form."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest

from agentsim.analysis.estimate import t95
from agentsim.experiment.crossings import Costs, Crossing, Probe, _equal, crossings


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
    assert len(looked) <= 20


def test_a_jump_is_a_crossing_at_the_jump() -> None:
    # decoding is twice or half of the tools, never equal: from 300 tok/s on the tools cost more
    def probe(rate: float) -> list[Costs]:
        decode = 200.0 if rate < 300 else 50.0
        return [Costs(decode, 100, 0, decode + 100)]

    for start in (1, 100, 299, 300, 9000):
        (own,) = (own for own in crossings(probe, start) if own.kind == "tools")
        assert own.rate == pytest.approx(300, rel=1e-3)
        assert own.ci95[0] < 300 < own.ci95[1] * (1 + 1e-9)  # what is rounded off
        assert own.ci95[1] / own.ci95[0] < 1.0011  # as close as it was looked at


def beside(builds: Sequence[float], looked: list[float] | None = None) -> Probe:
    """3,000 tokens beside a build, then a tool of 5 s: one run for each time of the build."""

    def probe(rate: float) -> list[Costs]:
        if looked is not None:
            looked.append(rate)
        decode = 3000 / rate
        return [
            Costs(decode, 5, 0, decode + 5) if decode > own else Costs(0, own + 5, 0, own + 5)
            for own in builds
        ]

    return probe


@pytest.mark.parametrize("start", [0.1, 1, 10, 40, 70, 74.9, 75, 75.1, 100, 5000, 1e6])
def test_a_call_beside_a_build(start: float) -> None:
    """A build of 40 s is the longer from 3000 / 40 = 75 tok/s on: the tools jump from 5 to 45 s.

    Twice the speed brings it from 3000 / r + 5 to 45 s: 5 % less where 0.95 (3000 / r + 5) = 45, at
    r = 3000 / (45 / 0.95 - 5) = 2850 / 40.25 = 70.807. Slower it saves more, up to half.
    """
    looked: list[float] = []
    found = crossings(beside([40], looked), start, kinds=("tools", "speed"))
    assert by_kind(found) == pytest.approx({"speed": 2850 / 40.25, "tools": 75}, rel=1e-3)
    assert [own.text for own in found] == [
        "twice the speed saves less than 5 %",
        "the tools cost more than decoding",
    ]
    assert len(looked) == len(set(looked)) <= 50


@pytest.mark.parametrize("start", [1, 30, 60, 71, 72, 75, 90, 120, 1000])
def test_the_interval_is_the_same_wherever_the_search_began(start: float) -> None:
    """200 builds, evenly from 30 to 50 s. At d = 3000 / r seconds of decoding a share p = (d - 30)
    / 20 of the runs waits for it: decoding takes p d on average, the tools 5 + (2500 - d^2) / 40.
    They are equal at d^2 - 20 d - 900 = 0: d = 10 + sqrt(1000) = 41.623, r = 72.076.

    With d falls the difference, by d (2 d - 30) / 20 + d d / 20 = 197.44 s a unit of log r. It is
    36.62 s in p = 0.58114 of the runs, else -50.81 s with a variance of 8.377^2 / 12: its variance
    is 0.58114 * 36.62^2 + 0.41886 * (50.81^2 + 5.85) = 1863.3, so half of the interval of its mean
    is t95(199) * sqrt(1863.3 / 200), and that of log r as much over 197.44: 0.0305.
    """
    probe = beside([30 + 20 * (i + 0.5) / 200 for i in range(200)])
    (own,) = (own for own in crossings(probe, start) if own.kind == "tools")
    assert own.rate == pytest.approx(3000 / (10 + math.sqrt(1000)), rel=5e-3)
    half = t95(199) * math.sqrt(1863.3 / 200) / 197.44
    assert math.log(own.ci95[1] / own.rate) == pytest.approx(half, rel=0.04)
    assert math.log(own.rate / own.ci95[0]) == pytest.approx(half, rel=0.04)


@pytest.mark.parametrize("start", [0.5, 5, 50, 5000])
def test_where_calls_are_cut_short_the_last_crossing_is_told(start: float) -> None:
    """1,000 tokens that a timeout cuts off after 500 s, then 100 s of tools.

    Below 1 tok/s twice the speed saves nothing either. The last crossing is at 9 * 1000 / 100 = 90.
    """

    def probe(rate: float) -> list[Costs]:
        decode = min(500.0, 1000 / rate)
        return [Costs(decode, 100, 0, decode + 100)]

    found = {own.kind: own for own in crossings(probe, start, free=(0.5, 1.0))}
    assert found["speed"].rate == pytest.approx(90, rel=1e-3)
    assert found["speed"].text == "twice the speed saves less than 5 %, as at some slower speeds"
    assert found["tools"].rate == pytest.approx(10, rel=1e-3)
    assert found["tools"].text == "the tools cost more than decoding"


def test_what_ends_off_the_path_costs_nothing() -> None:
    # from 1000 / 19 = 52.6 tok/s on a person of 20 s beside is the longer: neither decoding nor the
    # tool of 1 s is on the critical path any more, so the tool does not cost more
    def probe(rate: float) -> list[Costs]:
        decode = 1000 / rate
        return [Costs(decode, 1, 0, decode + 1) if decode > 19 else Costs(0, 0, 20, 20)]

    for start in (5, 500):
        found = by_kind(crossings(probe, start))
        assert "tools" not in found
        assert found["people"] == pytest.approx(1000 / 19, rel=1e-3)


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


def test_the_error_away_from_the_crossing_goes_by_the_mean_of_both() -> None:
    """Two runs at 100 tok/s: 8 and 12 s of decoding, 6 and 4 s of tools; equal at 200 tok/s.

    They are 2 and 8 s apart: a standard deviation of sqrt(18), over sqrt(2) runs 3 s. Over the mean
    of 10 and 5 s that is 0.4 (over decoding alone it would be 0.3), times Student's t.
    """
    costs = [Costs(8, 6, 0, 14), Costs(12, 4, 0, 16)]
    look = _equal(costs, [own.tools for own in costs], 100)
    assert look.wanted == pytest.approx(200)
    assert look.half == pytest.approx(t95(1) * 0.4)


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
