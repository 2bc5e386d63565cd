"""Crossings against closed forms, and against costs that follow no closed form."""

from __future__ import annotations

import pytest

from agentsim.experiment.crossings import LOOKS, Costs, Crossing, Probe, crossings


def alone(tokens: float, tools: float, people: float, calls: list[float] | None = None) -> Probe:
    """A run on a server of its own: `tokens` one after another, and fixed costs beside them."""

    def probe(rate: float) -> Costs:
        if calls is not None:
            calls.append(rate)
        decode = tokens / rate
        return Costs(decode, tools, people, decode + tools + people)

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
    assert 1 - probe(2 * rate).wall / probe(rate).wall == pytest.approx(0.05, rel=1e-6)


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

    def probe(rate: float) -> Costs:
        looked.append(rate)
        decode = 1000 / rate**0.5
        return Costs(decode, 50, 0, decode + 50)

    found = by_kind(crossings(probe, 100))
    assert found["tools"] == pytest.approx(400, rel=0.01)
    assert len(looked) <= 3 * LOOKS


def test_a_cost_that_jumps_is_not_made_up() -> None:
    # decoding is twice or half of the tools, never equal: there is a bracket, but no meeting
    def probe(rate: float) -> Costs:
        decode = 200.0 if rate < 300 else 50.0
        return Costs(decode, 100, 0, decode + 100)

    found = by_kind(crossings(probe, 100))
    assert "tools" not in found or found["tools"] == pytest.approx(300, rel=0.1)


def test_one_person_by_name() -> None:
    (crossing,) = (c for c in crossings(alone(1000, 0, 10), 100, "dev") if c.kind == "people")
    assert crossing.text == "dev costs more than decoding"
