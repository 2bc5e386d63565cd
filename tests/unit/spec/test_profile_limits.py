"""Profiles that would give a wrong number in silence: refused, or told by `hw show`."""

from __future__ import annotations

import pytest

from agentsim.errors import Problems
from agentsim.spec.catalogue import names
from agentsim.spec.hardware import load_profile, profile_of
from agentsim.spec.reader import read

FIRST = "agentsim: 1\ndecode: {rate: 100 tok/s}\n"


@pytest.mark.parametrize(
    ("text", "place", "code"),
    [
        ("limits: [{count: requests, bucket: 0.5, refill: 1/s}]", "3:36", "bad-value"),
        ("prefill: {rate: 100 tok/s, per_context_token: 20ms}", "3:47", "bad-value"),
        ("prefill: {rate: 100 tok/s, schedule: chnked}", "3:38", "bad-value"),
        ("prefill: {rate: 100 tok/s, schedule: chunked}", "3:38", "bad-value"),  # nobody waits
        ("latency: {p50: 1s, p90: 2s, at_most: 500ms}", "3:38", "bad-value"),
        ("price: {input: 1, output: 2, paid: use}", "3:30", "bad-value"),
        ("5: 1", "3:1", "unknown-key"),
    ],
)
def test_refused(text: str, place: str, code: str) -> None:
    with pytest.raises(Problems) as caught:
        profile_of(read(f"{FIRST}{text}\n", "box.yaml"), "box")
    (problem,) = caught.value.problems
    assert problem.place is not None
    assert (f"{problem.place.line}:{problem.place.column}", problem.code) == (place, code)


@pytest.mark.parametrize(
    ("spread", "good"),
    [
        ("{value: 0}", False),  # decoding would take no time at all
        ("{mean: 100, cv: 0}", False),
        ("{p50: 2.5, p90: 3}", False),
        ("{p50: 1, p90: 3}", True),
        ("{uniform: [0.5, 1.5]}", True),
    ],
)
def test_a_spread_is_a_factor_around_1(spread: str, good: bool) -> None:
    tree = read(f"agentsim: 1\ndecode: {{rate: 9 tok/s, spread: {spread}}}\n", "box.yaml")
    if good:
        profile_of(tree, "box")
        return
    with pytest.raises(Problems, match="a factor around 1"):
        profile_of(tree, "box")


@pytest.mark.parametrize(("deep", "told"), [("1300 tok/s", True), ("1100 tok/s", False)])
def test_a_prefill_that_gets_quicker_is_told(deep: str, told: bool) -> None:
    """1,300 is 30 % above 1,000; a first row that is cold is up to 7.4 % low (dgx-spark-ds4)."""
    text = f"{FIRST}prefill: {{rate: {{0: 1000 tok/s, 8k: {deep}}}}}\n"
    notes = profile_of(read(text, "box.yaml"), "box").plan.about.notes
    assert any("prefill is quicker at 8,000 tokens than at 0" in note for note in notes) == told


@pytest.mark.parametrize(
    ("name", "deepest"),
    [
        # the last rows of the tables that the figures were fitted to (facts, hardware.yaml)
        ("dgx-spark-ds4", 65_536),
        ("m3-ultra-ds4", 65_536),
        ("m2-ultra", 32_768),
        ("tok100", 32_768),
        ("tok5", 65_536),
        ("h200", 8_100),  # 7.2k of input and 0.9k of output
        ("claude-opus", 185_000),
    ],
)
def test_how_far_the_shipped_profiles_were_measured(name: str, deepest: int) -> None:
    assert load_profile(name).plan.about.deepest == deepest


def test_a_class_or_an_unconfirmed_part_makes_a_profile_no_better_than_it_is() -> None:
    """The worst of the parts in docs/facts.md."""
    grades = {name: load_profile(name).plan.about.grade for name in names("hardware")}
    assert grades["groq-gpt-oss-120b"] == "B"  # decode A, first token B
    assert grades["taalas"] == "C"  # decode B, context and price C
    assert grades["tok5"] == grades["cerebras"] == grades["tok100"] == "C"
    assert grades["h200"] == grades["m2-ultra"] == "A"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # sigma = ln 2 / 1.2816 = 0.5409; p99 = exp(2.3263 * 0.5409) = 3.52 s
        ("latency: {p50: 1s, p90: 2s, p99: 10s}", "`latency`: a log-normal through p50 and"),
        ("latency: {p50: 1s, p90: 2s, p99: 10s}", "has a p99 of 3.52 s, not 10 s: "),
        ("first_token: {p50: 1s, p90: 2s, p99: 2s}", "has a p99 of 3.52 s, not 2 s"),
        ("latency: {p50: 1s, p90: 2s, p99: 3.6s}", ""),
        ("latency: {p50: 1s, p90: 2s}", ""),
        # four: the one that is furthest off
        ("latency: {p50: 1s, p90: 2s, p95: 2.5s, p99: 10s}", "a p99 of 3.52 s"),
    ],
)  # fmt: skip
def test_quantiles_that_no_log_normal_has(text: str, told: str) -> None:
    plan = profile_of(read(f"{FIRST}{text}\n", "box.yaml"), "box").plan
    found = [note for note in plan.about.notes if "log-normal" in note]
    assert len(found) == bool(told)
    assert not told or told in found[0]


def test_a_spread_that_no_log_normal_has() -> None:
    # sigma = ln 1.2 / 1.2816 = 0.1423; p99 = exp(2.3263 * 0.1423) = 1.39
    text = "agentsim: 1\ndecode: {rate: 9 tok/s, spread: {p50: 1, p90: 1.2, p99: 3}}\n"
    plan = profile_of(read(text, "box.yaml"), "box").plan
    assert any("has a p99 of 1.39, not 3:" in note for note in plan.about.notes)
