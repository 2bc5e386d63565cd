"""Every form of a quantity, against the mean or a quantile worked by hand, and every refusal."""

from __future__ import annotations

import math
from typing import Any

import pytest

from agentsim import units
from agentsim.chance import Capped, Constant, PerTask
from agentsim.spec.explained import explanations
from agentsim.spec.quantity import QuantityFaults, placed, quantity
from agentsim.spec.reader import read


@pytest.mark.parametrize(
    ("written", "mean"),
    [
        ("4s", 4.0),
        ({"value": "4s"}, 4.0),
        ({"mean": "4s", "cv": 0.5}, 4.0),
        ({"min": "1s", "mode": "2s", "max": "9s"}, 4.0),  # (1 + 2 + 9) / 3
        ({"uniform": ["1s", "9s"]}, 5.0),
        ({"values": ["1s", "9s"], "weights": [3, 1]}, 3.0),  # (3*1 + 9) / 4
        ({"values": ["1s", "9s"]}, 5.0),
        ({"values": ["1s", "9s"], "weights": ["75%", "25%"]}, 3.0),
        ({"exponential": "4s"}, 4.0),
        ({"exponential": {"mean": "4s"}}, 4.0),
        (
            {"mixture": [{"weight": "90%", "value": "0s"}, {"weight": 0.1, "exponential": "5s"}]},
            0.5,
        ),
        # exp(ln 4 + sigma^2 / 2) with sigma = ln(20/4) / 1.2815516
        ({"p50": "4s", "p90": "20s"}, 4 * math.exp((math.log(5) / 1.2815515655446004) ** 2 / 2)),
    ],
)
def test_means(written: Any, mean: float) -> None:
    assert quantity(written, units.duration).mean == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize(
    ("written", "mean"),
    [
        ("12k", 12_000.0),
        ({"poisson": 3.5}, 3.5),
        ({"geometric": 4}, 4.0),
        ({"geometric": {"p": "25%"}}, 4.0),
    ],
)
def test_counts(written: Any, mean: float) -> None:
    assert quantity(written, units.tokens, whole=True).mean == pytest.approx(mean, rel=1e-9)


def test_three_quantiles_are_all_met() -> None:
    found = quantity({"p50": "1s", "p90": "3s", "p99": "60s"}, units.duration)
    assert [found.at(u) for u in (0.5, 0.9, 0.99)] == pytest.approx([1.0, 3.0, 60.0])


def test_caps_and_per_task() -> None:
    found = quantity(
        {"p50": "4s", "p90": "20s", "at_least": "1s", "at_most": "30s"}, units.duration
    )
    assert isinstance(found, Capped)
    assert (found.low, found.high) == (1.0, 30.0)
    whole = quantity({"p50": "4s", "p90": "20s", "per": "task"}, units.duration)
    assert isinstance(whole, PerTask)
    assert whole.between == 1.0
    part = quantity(
        {"p50": "4s", "p90": "20s", "at_most": "9s", "per": {"task": "68%"}}, units.duration
    )
    assert (part.between, part.high) == (0.68, 9.0)


def test_a_constant_has_no_spread_to_share() -> None:
    assert quantity({"p50": "4s", "p90": "4s", "per": "task"}, units.duration) == Constant(4.0)


@pytest.mark.parametrize(
    ("written", "faults"),
    [
        (None, {(): "bad-value"}),
        (True, {(): "bad-value"}),
        (["4s"], {(): "bad-value"}),
        (4, {(): "bad-value"}),
        ({}, {(): "bad-value"}),
        ({"per": "task"}, {(): "bad-value"}),
        ({"p50": "4s"}, {(): "bad-value"}),
        ({"p50": "4s", "p90": "1s"}, {(): "bad-value"}),
        ({"p50": "4s", "p90": "5"}, {("p90",): "bad-value"}),
        ({"p50": 4, "p90": "5"}, {("p50",): "bad-value", ("p90",): "bad-value"}),
        ({"p50": "4s", "mean": "5s"}, {(): "bad-value"}),
        ({"mean": "4s"}, {(): "missing-key"}),
        ({"mean": "4s", "cv": -1}, {("cv",): "bad-value"}),
        ({"mean": "4s", "cv": True}, {("cv",): "bad-value"}),
        ({"min": "4s", "max": "5s"}, {(): "missing-key"}),
        ({"uniform": "4s"}, {("uniform",): "bad-value"}),
        ({"uniform": ["4s", 5]}, {("uniform", 1): "bad-value"}),
        ({"values": "4s"}, {("values",): "bad-value"}),
        ({"values": []}, {(): "bad-value"}),
        ({"weights": [1]}, {(): "missing-key"}),
        ({"values": ["4s"], "weights": None}, {("weights",): "bad-value"}),
        ({"values": ["4s"], "weights": ["x"]}, {("weights", 0): "bad-value"}),
        ({"values": ["4s"], "weights": [1, 2]}, {(): "bad-value"}),
        ({"exponential": {"mode": "4s"}}, {("exponential",): "bad-value"}),
        ({"exponential": "0s"}, {("exponential",): "bad-value"}),
        ({"geometric": {"p": "0%"}}, {("geometric", "p"): "bad-value"}),
        ({"mixture": ["4s"]}, {("mixture",): "bad-value"}),
        ({"mixture": [{"value": "4s"}]}, {("mixture", 0): "missing-key"}),
        ({"mixture": [{"weight": 1, "value": 4}]}, {("mixture", 0, "value"): "bad-value"}),
        ({"p50": "4s", "p90": "9s", "at_mots": "9s"}, {("at_mots",): "unknown-key"}),
        ({"p50": "4s", "p90": "9s", "at_most": 9}, {("at_most",): "bad-value"}),
        ({"p50": "4s", "p90": "9s", "per": "item"}, {("per",): "bad-value"}),
        ({"p50": "4s", "p90": "9s", "per": {"task": 2}}, {("per", "task"): "bad-value"}),
        ({50: "4s"}, {(50,): "unknown-key"}),
    ],
)
def test_refusals(written: Any, faults: dict[Any, str]) -> None:
    with pytest.raises(QuantityFaults) as caught:
        quantity(written, units.duration)
    found = {path: problem.code for path, problem in caught.value.faults}
    assert found == faults
    assert set(found.values()) <= explanations().keys()


def test_a_constant_count_is_whole() -> None:
    with pytest.raises(QuantityFaults, match="whole"):
        quantity(2.5, units.tokens, whole=True)
    with pytest.raises(QuantityFaults, match="whole"):
        quantity({"values": [1, 2.5]}, units.tokens, whole=True)


def test_faults_are_placed_at_the_value_or_the_key() -> None:
    tree = read("time:\n  p50: 4\n  p99: 5s\n  at_mots: 1h\n", "w.yaml")
    assert isinstance(tree.value, dict)
    with pytest.raises(QuantityFaults) as caught:
        quantity(tree.value["time"], units.duration)
    assert [(str(p.place), p.hint) for p in placed(caught.value, tree, ("time",))] == [
        ("w.yaml:4:3", "did you mean `at_most`?")
    ]
    with pytest.raises(QuantityFaults) as caught:
        quantity({"p50": 4, "p99": "5s"}, units.duration)
    assert [str(p.place) for p in placed(caught.value, tree, ("time",))] == ["w.yaml:2:8"]
