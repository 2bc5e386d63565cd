"""Profiles: what they compile to, the worked figures, and everything that is refused."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from agentsim.analysis.hardware import decode_rate, example
from agentsim.errors import Problems
from agentsim.graph import CachePlan, LimitPlan, ServerPlan
from agentsim.laws.price import Price
from agentsim.spec import profile
from agentsim.spec.catalogue import names
from agentsim.spec.explained import explanations
from agentsim.spec.hardware import Profile, load_profile, profile_of
from agentsim.spec.reader import read

FIRST = "decode: {rate: 100 tok/s}\n"


def made(text: str) -> Profile:
    return profile_of(read("agentsim: 1\n" + text, "hardware.yaml"), "box")


def plan(text: str) -> ServerPlan:
    return made(text).server("main", ("main",))


def refused(text: str) -> list[tuple[str, str]]:
    """(line:column, code) of everything that is wrong; the text begins in line 2."""
    with pytest.raises(Problems) as caught:
        made(text)
    found = caught.value.problems
    assert {problem.code for problem in found} <= explanations().keys()
    assert all(problem.place and problem.place.file == "hardware.yaml" for problem in found)
    return [(f"{p.place.line}:{p.place.column}", p.code) for p in found if p.place]


# --- what ships -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", names("hardware"))
def test_every_shipped_profile_loads_and_tells_its_source(name: str) -> None:
    found = load_profile(name).server("main", ("main", "small"))
    about = found.about
    assert (found.profile, found.name, found.roles) == (name, "main", ("main", "small"))
    assert about.url.startswith("https://")
    assert about.as_of.startswith("20")
    assert about.grade in {"A", "B", "C"}
    assert about.model
    assert found.context is not None
    assert pickle.loads(pickle.dumps(found)) == found
    assert isinstance(hash(found), int)


def test_the_four_classes_have_their_speed() -> None:
    # DESIGN section 6: the speed classes of the discussion.
    speeds = {"tok5": 5, "tok100": 100, "cerebras": 800, "taalas": 15_000}
    for name, speed in speeds.items():
        assert load_profile(name).rate == pytest.approx(speed, rel=1e-12)


# --- worked figures -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "slope", "measured"),
    [
        # antirez/ds4 speed-bench/m2_ultra.csv: fit of 31 rows; the row at 32,768 says 21.92 tok/s
        ("42.78ms", "89.73ns", 21.92),
        # antirez/ds4 speed-bench/m4_max.csv: the row at 32,768 says 24.52 tok/s
        ("37.59ms", "94.61ns", 24.52),
    ],
)
def test_ds4_at_32k_within_two_percent(step: str, slope: str, measured: float) -> None:
    found = plan(f"decode: {{step: {{1: {step}}}, per_context_token: {slope}}}\nslots: 1\n")
    assert decode_rate(found, 32_768) == pytest.approx(measured, rel=0.02)


@pytest.mark.parametrize(
    ("tokens", "output", "spark", "ultra"),
    [
        # 100000/350 + 50/13 and 100000/400 + 50/35; 500/350 + 5000/13 and 500/400 + 5000/35:
        # the public discussion's two machines (claims, row 7)
        (100_000, 50, 289.6, 251.4),
        (500, 5_000, 386.0, 144.1),
    ],
)
def test_the_two_machines_of_the_discussion(
    tokens: int, output: int, spark: float, ultra: float
) -> None:
    rows = (("13", "350", spark), ("35", "400", ultra))
    for decode, prefill, seconds in rows:
        text = f"decode: {{rate: {decode} tok/s}}\nprefill: {{rate: {prefill} tok/s}}\n"
        assert example(plan(text), tokens, output).total == pytest.approx(seconds, abs=0.05)


# --- what a profile compiles to -------------------------------------------------------------


def test_a_first_profile_is_one_line_and_says_what_it_lacks() -> None:
    found = plan(FIRST)
    assert found.decode.rate == 100.0
    assert not found.shared
    assert (found.schedule, found.prefill, found.latency, found.slots) == (
        "separate", None, None, None
    )  # fmt: skip
    assert found.about.title == "box"
    assert found.about.notes == (
        "no prefill given: input costs no time",
        "not given, so not modelled: quota, prompt cache, price, context limit",
        "no source given: it does not say where its figures come from",
    )


def test_what_is_said_is_no_gap() -> None:
    text = (
        FIRST + "prefill: none\nlimits: []\ncache: {kind: none}\ncontext: 131k\n"
        "price: {input: 0, output: 0}\nsource: {grade: A}\nassumed: [One.]\nnote: Two.\n"
    )
    assert plan(text).about.notes == ("One.", "Two.")


def test_ones_own_machine_has_slots_and_no_quota() -> None:
    assert "quota" not in " ".join(plan(FIRST + "slots: 1\n").about.notes)


@pytest.mark.parametrize(
    ("decode", "at1", "at8"),
    [
        ("rate: 100 tok/s", 0.01, 0.01),
        ("step: 20ms", 0.02, 0.02),
        ("step: {8: 50ms, 1: 20ms}", 0.02, 0.05),  # in any order
        ("per_stream: {1: 50 tok/s, 8: 20 tok/s}", 0.02, 0.05),
        ("total: {1: 50 tok/s, 8: 160 tok/s}", 0.02, 0.05),
        ("fit: {a: 10ms, b: 5ms, d: 0ms}", 0.015, 0.05),
        ("fit: {a: 10ms, d: 10ms}", 0.02, 0.01 + 0.01 * 8**0.5),
    ],
)
def test_five_ways_to_give_a_speed(decode: str, at1: float, at8: float) -> None:
    found = plan(f"decode: {{{decode}}}\n").decode
    assert found.step(1) == pytest.approx(at1, rel=1e-12)
    assert found.step(8) == pytest.approx(at8, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "shared", "schedule"),
    [
        (FIRST, False, "separate"),
        (FIRST + "slots: 4\n", True, "exclusive"),
        ("decode: {step: {1: 20ms, 8: 50ms}}\n", True, "exclusive"),
        ("decode: {step: {1: 20ms, 8: 50ms}, shared: no}\nslots: 4\n", False, "separate"),
        ("decode: {rate: 100 tok/s, shared: yes}\n", True, "exclusive"),
    ],
)
def test_defaults_of_sharing(text: str, shared: bool, schedule: str) -> None:
    found = plan(text + "prefill: {rate: 1k tok/s}\n")
    assert (found.shared, found.schedule) == (shared, schedule)


def test_prefill_by_slope_and_by_table() -> None:
    slope = plan(FIRST + "prefill: {rate: 1000 tok/s, per_context_token: 100ns, fixed: 1s}\n")
    assert slope.prefill is not None
    # 1 + 3 + 1e-7 * (10000*3000 + 3000^2 / 2), as in the second call of case E07
    assert slope.prefill.seconds(3_000, 10_000) == pytest.approx(7.45, rel=1e-12)
    table = plan(FIRST + "prefill: {rate: {10k: 500 tok/s, 0: 1000 tok/s}}\n")
    assert table.prefill is not None
    # straight from 1 ms to 2 ms a token over 10,000 tokens, then flat
    assert table.prefill.seconds(10_000, 0) == pytest.approx(15.0, rel=1e-12)
    assert table.prefill.seconds(1_000, 20_000) == pytest.approx(2.0, rel=1e-12)


def test_first_token_and_its_slope() -> None:
    found = plan(FIRST + "first_token: {p50: 1.4s, p90: 2.12s, per_input_token: 8us}\n")
    assert found.first_token is not None
    assert found.first_token.at(0.9) == pytest.approx(2.12, rel=1e-12)
    assert found.per_input_token == 8e-6
    fixed = plan(FIRST + "first_token: {value: 0.2s, per_input_token: 8us}\n")
    assert fixed.first_token is not None
    assert fixed.first_token.mean == 0.2
    assert plan(FIRST + "first_token: 0.2s\n").per_input_token == 0.0


def test_spread_is_a_factor_around_one() -> None:
    found = plan("decode: {rate: 9 tok/s, spread: 20%}\n").spread
    assert found is not None
    assert found.mean == pytest.approx(1.0, rel=1e-12)
    other = plan("decode: {rate: 9 tok/s, spread: {p50: 1, p90: 1.5}}\n").spread
    assert other is not None
    assert other.at(0.9) == pytest.approx(1.5, rel=1e-12)


def test_cache_quotas_and_price() -> None:
    found = made(
        FIRST + "cache: {kind: ttl, ttl: 5m, block: 128, covers: all}\nmax_output: 32k\n"
        "limits:\n"
        "  - {count: total, bucket: 3M, refill: 3M/min, reserve: max_output, refund: yes}\n"
        "  - {count: requests, bucket: 60, refill: 60/min, account: team, on_limit: wait}\n"
        "price: {input: 3, cached: 0.3, cache_write: 3.75, output: $15}\n"
    ).server("small", ("small",))
    assert found.cache == CachePlan("ttl", 300 * 10**9, 128, True)
    assert found.limits == (
        LimitPlan("total", 3e6, 5e4, True, True, "#small"),
        LimitPlan("requests", 60.0, 1.0, False, False, "team"),
    )
    assert found.price == Price(input=3.0, output=15.0, cached=0.3, cache_write=3.75)
    assert found.max_output == 32_000


def test_caches_by_size_and_by_slot() -> None:
    text = FIRST + "cache: {kind: lru, capacity: 2k, evicts: tokens}\n"
    found = made(text).server("small", ("small",))
    assert found.cache == CachePlan("lru", 0, 1, True, 2000, True)
    text = FIRST + "slots: 2\ncache: {kind: slot, covers: prompt, block: 16}\n"
    found = made(text).server("small", ("small",))
    assert found.cache == CachePlan("slot", 0, 16, False)


def test_a_rate_scales_the_whole_decode_law_and_nothing_else() -> None:
    text = (
        "decode: {step: {1: 40ms, 8: 80ms}, per_context_token: 1us, tokens_per_step: 2.5}\n"
        "prefill: {rate: 1k tok/s}\n"
    )
    before, after = plan(text), made(text).server("main", ("main",), 125.0)
    # 2.5 tokens in 40 ms are 62.5 tok/s: half of 125, so all times halve (case E07)
    assert before.decode.rate == pytest.approx(62.5)
    assert after.decode.rate == pytest.approx(125.0)
    assert after.decode.step(8) == pytest.approx(0.04)
    assert after.decode.slope == pytest.approx(0.5e-6)
    assert after.prefill == before.prefill
    assert "62.5 to 125 tok/s" in after.about.notes[0]


@pytest.mark.parametrize("rate", [0.0, -5.0, float("inf"), float("nan"), 1e12])
def test_an_impossible_rate_is_refused(rate: float) -> None:
    with pytest.raises(Problems, match="rate"):
        made(FIRST).server("main", ("main",), rate)


def test_a_step_that_falls_by_no_more_than_scatter_is_told() -> None:
    """39.5 of 40 ms is 1.25 % less."""
    noise = "source: {grade: A}\ndecode: {step: {1: 40ms, 8: 39.5ms}}\n"
    assert any("1.25 % shorter than one of 1" in note for note in plan(noise).about.notes)


def test_the_longest_measured_context() -> None:
    assert plan(FIRST + "source: {measured_to: 64k}\n").about.deepest == 64_000
    assert plan(FIRST).about.deepest is None


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("name: x\n", [("1:1", "missing-key")]),
        ("decode: 800 tok/s\n", [("2:9", "bad-value")]),
        ("decode: {}\n", [("2:9", "missing-key")]),
        ("decode: {rate: 0 tok/s}\n", [("2:16", "bad-value")]),
        ("decode: {rate: -3 tok/s}\n", [("2:16", "bad-value")]),
        ("decode: {rate: 3}\n", [("2:16", "bad-value")]),
        ("decode:\n  rate:\n", [("3:3", "missing-key")]),  # as not written
        ("decode: {step: {1: }}\n", [("2:20", "bad-value")]),  # a row of a table is none
        ("decode: {rate: 5 tok/s, step: 3ms}\n", [("2:25", "bad-value")]),
        ("decode: {rate: 5 tok/s, tokens_per_step: 2}\n", [("2:25", "bad-value")]),
        ("decode: {step: 3ms, tokens_per_step: 0.5}\n", [("2:38", "bad-value")]),
        ("decode: {step: {0: 3ms}}\n", [("2:20", "bad-value")]),
        ("decode: {step: {1: 0ms}}\n", [("2:20", "bad-value")]),
        ("decode: {step: {1.5: 3ms}}\n", [("2:22", "bad-value")]),
        ("decode: {step: {}}\n", [("2:16", "bad-value")]),
        ("decode: {total: {1: 5 tok/s, 4: 5}}\n", [("2:33", "bad-value")]),
        ("decode: {fit: {a: 0s}}\n", [("2:15", "bad-value")]),
        ("decode: {fit: {a: 1s, c: 1s}}\n", [("2:23", "unknown-key")]),
        ("decode: {rate: 5 tok/s, spread: 0.2}\n", [("2:33", "bad-value")]),
        (FIRST + "prefil: none\n", [("3:1", "unknown-key")]),
        (FIRST + "prefill: {}\n", [("3:10", "missing-key")]),
        (
            FIRST + "prefill: {rate: {0: 5 tok/s}, per_context_token: 1ns}\n",
            [("3:31", "bad-value")],
        ),
        (FIRST + "prefill: {rate: 5 tok/s, schedule: exclusive}\n", [("3:36", "bad-value")]),
        (FIRST + "prefill: {rate: 5 tok/s, schedule: chunked}\n", [("3:36", "bad-value")]),
        (FIRST + "slots: 2\nprefill: {rate: 5 tok/s, chunk: 512}\n", [("4:26", "bad-value")]),
        (FIRST + "prefill: {rate: 5 tok/s, chunk: 0}\n", [("3:33", "bad-value")]),
        (FIRST + "first_token: 1s\nlatency: 1s\n", [("4:1", "bad-value")]),
        (FIRST + "first_token: 1s\nprefill: none\n", [("4:1", "bad-value")]),
        (FIRST + "latency: {p50: 1s}\n", [("3:10", "bad-value")]),
        (FIRST + "slots: 0\n", [("3:8", "bad-value")]),
        (FIRST + "slots: 1.5\n", [("3:8", "bad-value")]),
        (FIRST + "context: 0\n", [("3:10", "bad-value")]),
        (FIRST + "context: 8k\nmax_output: 9k\n", [("4:13", "bad-value")]),
        (FIRST + "cache: {kind: ttl}\n", [("3:8", "missing-key")]),
        (FIRST + "cache: {kind: none, ttl: 5m}\n", [("3:21", "bad-value")]),
        (FIRST + "cache: {kind: tll, ttl: 5m}\n", [("3:15", "bad-value")]),
        (FIRST + "cache: {kind: lru}\n", [("3:8", "missing-key")]),
        (FIRST + "cache: {kind: slot}\n", [("3:15", "missing-key")]),
        (FIRST + "cache: {kind: lru, capacity: 1k, ttl: 5m}\n", [("3:34", "bad-value")]),
        (FIRST + "slots: 1\ncache: {kind: slot, capacity: 1k}\n", [("4:21", "bad-value")]),
        (FIRST + "cache: {kind: ttl, ttl: 5m, evicts: tokens}\n", [("3:29", "bad-value")]),
        (FIRST + "cache: {kind: lru, capacity: 9, block: 10}\n", [("3:30", "bad-value")]),
        (FIRST + "cache: {kind: lru, capacity: 0}\n", [("3:30", "bad-value")]),
        (FIRST + "limits: none\n", [("3:9", "bad-value")]),
        (FIRST + "limits: [{count: requests, bucket: 5}]\n", [("3:10", "missing-key")]),
        (FIRST + "limits: [{count: output, bucket: 0, refill: 1/s}]\n", [("3:34", "bad-value")]),
        (
            FIRST + "limits: [{count: output, bucket: 5, refill: 1/s, reserve: max_output}]\n",
            [("3:9", "bad-value")],
        ),
        (
            FIRST + "limits: [{count: requests, bucket: 5, refill: 1/s, refund: yes}]\n",
            [("3:52", "bad-value")],
        ),
        (FIRST + "price: {input: 3}\n", [("3:8", "missing-key")]),
        (FIRST + "price: {input: {200k: 3}, output: 1}\n", [("3:16", "bad-value")]),
        (FIRST + "price: [{input: 3, output: 1}]\n", [("3:8", "bad-value")]),
        (FIRST + "source: {grade: D}\n", [("3:17", "bad-value")]),
        (FIRST + "assumed: something\n", [("3:10", "bad-value")]),
    ],
)
def test_refusals_at_their_place(text: str, wanted: list[tuple[str, str]]) -> None:
    assert refused(text) == wanted


def test_a_table_has_at_most_200_rows() -> None:
    rows = {n: f"{n}ms" for n in range(1, 202)}
    text = ", ".join(f"{n}: {ms}" for n, ms in rows.items())
    assert refused(f"decode: {{step: {{{text}}}}}\n") == [("2:16", "bad-value")]
    fewer = text.rpartition(",")[0]
    assert plan(f"decode: {{step: {{{fewer}}}}}\n").decode.step(200) == pytest.approx(0.2)


def test_all_at_once_and_with_the_nearest_name() -> None:
    text = "decode: {rate: 0 tok/s, per_contxt_token: 3ns}\nslots: none\ncahce: {kind: ttl}\n"
    with pytest.raises(Problems) as caught:
        made(text)
    told = [(p.code, p.hint) for p in caught.value.problems]
    assert ("unknown-key", "did you mean `per_context_token`?") in told
    assert ("unknown-key", "did you mean `cache`?") in told
    assert len(told) == 4


NOT_YET = [
    *(f"{key}: 1\n" for key in profile.LATER[""]),
    "price: {plan: {per_month: 20, windows: 1}}\n",
]


@pytest.mark.parametrize("text", NOT_YET)
def test_what_comes_later_is_told_and_never_ignored(text: str) -> None:
    found = refused(text if text.startswith("decode") else FIRST + text)
    assert [code for _, code in found] == ["not-yet"]


@pytest.mark.parametrize("text", ["", "- 1\n", "agentsim: 2\n" + FIRST, "5\n", FIRST])
def test_a_file_that_is_no_profile(text: str) -> None:
    with pytest.raises(Problems) as caught:
        profile_of(read(text, "hardware.yaml"), "box")
    assert str(caught.value.problems[0].place).startswith("hardware.yaml:1:")


def test_every_key_is_read() -> None:
    """A key whose value means nothing is refused: so none is silently ignored."""
    parts: dict[str, Any] = {
        "": profile.ProfileFile, "decode": profile.DecodeFile, "prefill": profile.PrefillFile,
        "cache": profile.CacheFile, "price": profile.PriceFile, "source": profile.SourceFile,
    }  # fmt: skip
    for part, model in parts.items():
        for key in model.model_fields:
            line = f"{key}: !!str ''\n" if not part else f"{part}: {{{key}: what}}\n"
            if key in {"name", "model", "note", "url", "as_of"}:  # any text will do
                line = line.replace("!!str ''", "[]").replace("what", "[]")
            with pytest.raises(Problems) as caught:
                made(line if "decode" in {key, part} else FIRST + line)
            told = " ".join(problem.message for problem in caught.value.problems)
            assert f"`{key}`" in told, (part, key, told)
