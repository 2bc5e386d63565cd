"""Sessions, what a cache holds of them, and compaction: tokens and instants worked by hand.

READS takes 1 ms a token of input that no cache holds and 10 ms a token of output.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.records import SECOND, Outcome, Part
from tests.runs import READS, File, Run, run


def kept(ttl: str, **more: Any) -> File:
    return {**READS, "cache": {"kind": "ttl", "ttl": ttl, "covers": "prompt", **more}}


HOUR = kept("1h")


def cached(found: Run, path: str) -> list[int]:
    return [facts.cached for facts in found.calls(path)]


def sent(found: Run, path: str) -> list[int]:
    """Input tokens of each call of a step."""
    return [facts.fresh + facts.cached for facts in found.calls(path)]


# --- the ttl ----------------------------------------------------------------------------------


@pytest.mark.parametrize("slots", [None, 1, 4], ids=["alone", "one slot", "batch"])
@pytest.mark.parametrize(
    ("gap", "hit"), [("299999999999ns", 10_000), ("300s", 10_000), ("300000000001ns", 0)]
)
def test_a_hit_up_to_the_ttl_and_a_nanosecond_more_is_none(
    gap: str, hit: int, slots: int | None, tmp_path: Path
) -> None:
    """The gap counts from the end of the last use: 10 s of prompt and 1 s of answer."""
    workflow: File = {
        "steps": [
            {"call": "main", "id": "one", "session": "s", "input": "10k", "output": 100},
            {"wait": gap},
            {"call": "main", "id": "two", "session": "s", "input": "1k", "output": 100},
        ]
    }
    hardware = dict(kept("300s"))
    if slots:
        hardware["slots"] = slots
    found = run(tmp_path, workflow, hardware)
    assert cached(found, "two") == [hit]
    assert sent(found, "two") == [10_000 + 100 + 1000]
    assert found.breakdown[Part.PREFILL] == (21.1 if not hit else 11.1)


def test_every_use_refreshes(tmp_path: Path) -> None:
    """Four gaps of 300 s: none of them is longer than the ttl, though 1,200 s are."""
    call = {"call": "main", "session": "s", "input": 0, "output": 0}
    first = {**call, "id": "first", "input": "10k"}
    loop = {"id": "l", "loop": 4, "do": [{"wait": "300s"}, {**call, "id": "again"}]}
    found = run(tmp_path, {"steps": [first, loop]}, kept("300s"))
    assert cached(found, "l.again") == [10_000] * 4
    # nothing but the first prompt is ever read
    assert found.breakdown == {Part.PREFILL: 10, Part.WAIT: 1200}


# --- what contexts share ----------------------------------------------------------------------


def two_agents(second_at: str, second_harness: str = "10k") -> File:
    """`a` starts at 0 with a prompt of 11k (read until 11 s), `b` later; both with one harness."""

    def agent(name: str, harness: str) -> dict[str, Any]:
        return {
            "model": "main",
            "prompt": {"harness": harness, name: "1k"},
            "turns": 1,
            "output": 100,
        }

    late = {"id": "late", "do": [{"wait": second_at}, {"agent": "b"}]}
    return {
        "agents": {"a": agent("a", "10k"), "b": agent("b", second_harness)},
        "steps": [{"id": "p", "parallel": [{"agent": "a"}, late]}],
    }


def test_a_shared_block_is_a_hit_once_it_has_been_read(tmp_path: Path) -> None:
    for at, hit in (("10999999999ns", 0), ("11s", 10_000), ("1m", 10_000)):
        found = run(tmp_path, two_agents(at), HOUR)
        assert cached(found, "p.late.b") == [hit], at
        assert sent(found, "p.late.b") == [11_000]


def test_on_a_batching_server_too(tmp_path: Path) -> None:
    """Prompts are read one after another: whenever `b` asks, it is read after `a`, and is a hit."""
    for at in ("0s", "5s", "10999999999ns", "11s"):
        found = run(tmp_path, two_agents(at), {**HOUR, "slots": 4})
        assert cached(found, "p.late.b") == [10_000], at


def test_a_prompt_that_was_read_while_it_waited_takes_no_more_than_the_wait(
    tmp_path: Path,
) -> None:
    """Both send the same 10k alone: read once, in 10 s; both decode 100 tokens from then on."""
    call = {"call": "main", "input": 0, "output": 100, "prompt": {"p": "10k"}}
    steps = [{"parallel": [{**call, "id": "a"}, {**call, "id": "b"}]}]
    found = run(tmp_path, {"steps": steps}, {**HOUR, "slots": 4})
    assert (cached(found, "parallel.a"), cached(found, "parallel.b")) == ([0], [10_000])
    (b,) = found.spans("parallel.b")
    assert b.marks[0] == (Part.PREFILL, 10 * SECOND)
    assert found.breakdown[Part.PREFILL] == 10


def test_what_was_read_during_the_latency_is_a_hit(tmp_path: Path) -> None:
    """`a` is read from 3 to 14 s. `b` asks at 11.5 s, has its latency until 14.5 s, and is read.

    Asking at 10 s its latency ends at 13 s, and it waits for the desk until 14 s.
    """
    for at in ("10s", "11500ms"):
        found = run(tmp_path, two_agents(at), {**HOUR, "slots": 4, "latency": "3s"})
        assert cached(found, "p.late.b") == [10_000], at


def test_a_block_of_another_size_is_another_block(tmp_path: Path) -> None:
    found = run(tmp_path, two_agents("1m", "9k"), HOUR)
    assert cached(found, "p.late.b") == [0]


def test_hits_are_whole_blocks_of_the_cache(tmp_path: Path) -> None:
    """10,000 tokens in blocks of 128: 78 whole ones, 9,984 tokens."""
    found = run(tmp_path, two_agents("1m"), kept("1h", block=128))
    assert cached(found, "p.late.b") == [9984]


def test_two_servers_share_nothing(tmp_path: Path) -> None:
    workflow = two_agents("1m")
    workflow["agents"]["b"]["model"] = "small"
    found = run(tmp_path, workflow, HOUR, small=HOUR)
    assert cached(found, "p.late.b") == [0]


# --- what is cut ------------------------------------------------------------------------------


@pytest.mark.parametrize("slots", [None, 1, 4], ids=["alone", "one slot", "batch"])
@pytest.mark.parametrize(
    ("limit", "gap", "hit"),
    [
        ("5s", "1s", 0),  # half read: nothing is kept
        ("5s", "30s", 0),  # nor later, when it would have been read and answered
        ("10500ms", "1s", 10_000),  # read, half answered
        ("10500ms", "100s", 10_000),  # the ttl counts from the cut
        ("10500ms", "100000000001ns", 0),
    ],
)
def test_what_a_call_that_was_cut_leaves_in_the_cache(
    limit: str, gap: str, hit: int, slots: int | None, tmp_path: Path
) -> None:
    """A prompt of 10k is read until 10 s, the answer would end at 20; the ttl is 100 s."""
    call = {"call": "main", "prompt": {"harness": "10k"}, "input": 0}
    steps = [
        {**call, "id": "cut", "output": 1000, "timeout": limit, "or": "go on"},
        {"wait": gap},
        {**call, "id": "next", "output": 0},
    ]
    hardware = {**kept("100s"), **({"slots": slots} if slots else {})}
    found = run(tmp_path, {"steps": steps}, hardware)
    assert found.spans("cut")[0].outcome is Outcome.CANCELLED
    assert cached(found, "next") == [hit]


# --- sessions ---------------------------------------------------------------------------------


def agent_with(**fields: Any) -> dict[str, Any]:
    return {"model": "main", "prompt": "1k", "turns": 2, "output": 100, **fields}


def test_without_a_session_every_run_opens_a_new_one(tmp_path: Path) -> None:
    """Each round: 1,000, then 1,000 + 100 of its own answer."""
    workflow: File = {
        "agents": {"x": agent_with()},
        "steps": [{"id": "l", "loop": 3, "do": [{"agent": "x"}]}],
    }
    found = run(tmp_path, workflow)
    assert sent(found, "l.x") == [1000, 1100] * 3
    assert len({facts.session for facts in found.calls("l.x")}) == 3


def test_with_one_it_goes_on(tmp_path: Path) -> None:
    """1,000 and 1,100 with 100 more answered; then 500 of task: 1,700, and 1,800."""
    workflow: File = {
        "agents": {"x": agent_with()},
        "steps": [
            {"agent": "x", "id": "implement"},
            {"agent": "x", "id": "fix", "session": "implement", "task": 500},
        ],
    }
    found = run(tmp_path, workflow)
    assert sent(found, "implement") == [1000, 1100]
    assert sent(found, "fix") == [1700, 1800]
    assert {facts.session for facts in found.calls("fix")} == {0}


def test_the_newest_of_a_name_is_taken(tmp_path: Path) -> None:
    """Two runs of `x` open two sessions; `fix` goes on in the second, which had a task of 5,000."""
    x = {"agent": "x", "turns": 1}
    workflow: File = {
        "agents": {"x": agent_with()},
        "steps": [
            {"loop": 2, "do": [{**x, "id": "write"}], "id": "l"},
            {"call": "main", "id": "fix", "session": "write", "input": 7, "output": 0},
        ],
    }
    found = run(tmp_path, workflow)
    assert sent(found, "fix") == [1000 + 100 + 7]
    assert found.calls("fix")[0].session == found.calls("l.write")[-1].session


def test_items_have_sessions_of_their_own(tmp_path: Path) -> None:
    body = [
        {"agent": "x", "id": "write", "turns": 1},
        {"agent": "x", "id": "fix", "session": "write", "turns": 1},
    ]
    workflow: File = {
        "agents": {"x": agent_with()},
        "steps": [{"id": "e", "each": 3, "do": body}],
    }
    found = run(tmp_path, workflow)
    assert sent(found, "e.fix") == [1100] * 3
    assert len({facts.session for facts in found.calls("e.fix")}) == 3


def test_thinking_stays_only_where_it_is_kept(tmp_path: Path) -> None:
    for keeps, second in (("no", 1100), ("yes", 1500)):
        x = agent_with(thinking=400, keeps_thinking=keeps)
        found = run(tmp_path, {"agents": {"x": x}, "steps": [{"agent": "x"}]})
        assert sent(found, "x") == [1000, second]


def test_a_cache_of_all_holds_the_answer_too(tmp_path: Path) -> None:
    """Turn 2 sends 1,000 + 100: all is a hit; with thinking dropped, only the prompt is."""
    hardware = kept("1h", covers="all")
    for thinking, keeps, hit in ((0, "no", 1100), (50, "no", 1000), (50, "yes", 1150)):
        x = agent_with(thinking=thinking, keeps_thinking=keeps)
        found = run(tmp_path, {"agents": {"x": x}, "steps": [{"agent": "x"}]}, hardware)
        assert cached(found, "x") == [0, hit]


@pytest.mark.parametrize("slots", [{}, {"slots": 2}])
@pytest.mark.parametrize("covers", ["prompt", "all"])
def test_of_a_call_cut_short_the_prompt_is_held_and_no_answer(
    covers: str, slots: dict[str, int], tmp_path: Path
) -> None:
    """10,000 tokens are read by 10 s, then 200 are answered until it is cut at 12 s.

    The next call of the session sends 10,010: what was read is a hit, whatever the cache covers.
    """
    hardware = {**READS, **slots, "cache": {"kind": "ttl", "ttl": "1h", "covers": covers}}
    first = {"call": "main", "id": "x", "session": "s", "input": 10_000, "output": 1000}
    then = {"call": "main", "id": "y", "session": "s", "input": 10_010, "output": 1}
    found = run(tmp_path, {"steps": [{**first, "timeout": "12s", "or": "go on"}, then]}, hardware)
    assert found.calls("x")[0].wasted == 10_200
    assert (found.calls("y")[0].fresh, found.calls("y")[0].cached) == (10, 10_000)


# --- compaction -------------------------------------------------------------------------------

COMPACTS: dict[str, Any] = {
    "model": "main",
    "prompt": {"harness": "10k"},
    "turns": 3,
    "output": "10k",
}


def test_compaction_drops_the_session_and_keeps_the_prompt(tmp_path: Path) -> None:
    """Sent 10k, 20k, then 30k are cut to 15k: of those only the 10k of the prompt are cached.

    10 + 100, 10 + 100, compaction 10, 5 + 100 s.
    """
    x = {**COMPACTS, "compact": {"at": "25k", "to": "15k", "time": "10s"}}
    found = run(tmp_path, {"agents": {"x": x}, "steps": [{"agent": "x"}]}, HOUR)
    assert sent(found, "x") == [10_000, 20_000, 15_000]
    assert cached(found, "x") == [0, 10_000, 10_000]
    assert found.wall == 335
    assert found.breakdown == {Part.PREFILL: 25, Part.DECODE: 300, Part.COMPACTION: 10}
    assert found.trace.notes["compactions"] == 1


def test_compaction_by_a_call(tmp_path: Path) -> None:
    """The call reads the 10k that are new of 30k and writes 1k: 10 + 10 s of compaction."""
    x = {**COMPACTS, "compact": {"at": "25k", "to": "15k", "output": "1k"}}
    found = run(tmp_path, {"agents": {"x": x}, "steps": [{"agent": "x"}]}, HOUR)
    assert sent(found, "x") == [10_000, 20_000, 30_000, 15_000]
    assert cached(found, "x") == [0, 10_000, 20_000, 10_000]
    assert [facts.compaction for facts in found.calls("x")] == [False, False, True, False]
    assert found.breakdown[Part.COMPACTION] == 20
    assert found.breakdown[Part.PREFILL] == 25


def test_without_a_rule_it_is_at_80_percent_of_the_context(tmp_path: Path) -> None:
    """Context 100k: at 80k or more down to the prompt of 10k + 20k, by a call of 2k.

    Sent 10k, 20k, ... 70k, and at 80k: compaction of 80k, then 30k.
    """
    x = {**COMPACTS, "turns": 8}
    hardware = {**HOUR, "context": "100k"}
    found = run(tmp_path, {"agents": {"x": x}, "steps": [{"agent": "x"}]}, hardware)
    wanted = [*range(10_000, 80_000, 10_000), 80_000, 30_000]
    assert sent(found, "x") == wanted
    assert found.calls("x")[7].visible == 2000


def test_a_turn_that_outgrows_the_context_is_compacted_from_what_fits(tmp_path: Path) -> None:
    """10k are sent, then four tools return 25k each: 10k + 1k + 100k in a context of 100k.

    The request that compacts carries 98k beside its output of 2k, 13k are dropped; then 30k.
    """
    x = {**COMPACTS, "turns": 2, "output": "1k", "tools": {"look": "100%"}, "tools_per_turn": 4}
    look = {"time": "1s", "returns": "25k"}
    workflow: File = {"tools": {"look": look}, "agents": {"x": x}, "steps": [{"agent": "x"}]}
    found = run(tmp_path, workflow, {**HOUR, "context": "100k"})
    calls = found.calls("x")
    assert sent(found, "x") == [10_000, 98_000, 30_000]
    assert calls[1].visible == 2000
    assert found.trace.notes["compaction_cut"] == 1
    assert found.trace.outcome is Outcome.DONE


def test_a_compaction_that_is_cut_short_drops_nothing(tmp_path: Path) -> None:
    """The same, cut at 30 s: read were 10k in 10 s, 1k written in 10 s, tools took 1 s, and the
    88k that are new of 98k would be read by 109 s.

    So the session still holds 10k + 1k + 4 * 25k, and a call that goes on in it does not fit.
    """
    x = {**COMPACTS, "turns": 2, "output": "1k", "tools": {"look": "100%"}, "tools_per_turn": 4}
    steps = [
        {"agent": "x", "timeout": "30s", "or": "go on"},
        {"call": "main", "session": "x", "input": 0, "output": 100},
    ]
    workflow: File = {
        "tools": {"look": {"time": "1s", "returns": "25k"}}, "agents": {"x": x}, "steps": steps,
    }  # fmt: skip
    found = run(tmp_path, workflow, {**HOUR, "context": "100k"})
    assert sent(found, "x")[0] == 10_000
    assert found.trace.notes["compaction_cut"] == 1
    assert "compactions" not in found.trace.notes
    assert found.trace.outcome is Outcome.FAILED
    assert "111,000 tokens do not fit the context of 100,000" in found.trace.reason


def test_a_first_request_that_does_not_fit_fails(tmp_path: Path) -> None:
    """Nothing was said yet that could be compacted: a prompt of 10k and a task of 40k to 120k."""
    step = {"agent": "x", "task": {"uniform": ["40k", "120k"]}}
    workflow: File = {"agents": {"x": {**COMPACTS, "output": "1k"}}, "steps": [step]}
    hardware = {**HOUR, "context": "100k"}
    traces = [run(tmp_path, workflow, hardware, seed=seed).trace for seed in range(10)]
    failed = [trace for trace in traces if trace.outcome is Outcome.FAILED]
    # three eighths of the tasks are above 90k
    assert 0 < len(failed) < 10
    assert all("tokens do not fit the context of 100,000" in trace.reason for trace in failed)
    assert all(not trace.spans for trace in failed)


def test_a_rule_beyond_the_context_compacts_where_the_context_is_full(tmp_path: Path) -> None:
    """At 150k, says the agent; the context is 25k: 10k, 20k, and the 30k are compacted from 24k."""
    x = {**COMPACTS, "compact": {"at": "150k", "to": "15k", "output": "1k"}}
    workflow: File = {"agents": {"x": x}, "steps": [{"agent": "x"}]}
    found = run(tmp_path, workflow, {**HOUR, "context": "25k"})
    # the second answer is cut to the 5k that the context still holds, so 25k stand at the third
    assert sent(found, "x") == [10_000, 20_000, 24_000, 15_000]


def test_a_time_of_compaction_is_drawn(tmp_path: Path) -> None:
    """As any time that is given as a distribution: from run to run it differs."""
    times = {"exponential": "10s"}
    x = {**COMPACTS, "compact": {"at": "25k", "to": "15k", "time": times}}
    workflow: File = {"agents": {"x": x}, "steps": [{"agent": "x"}]}
    found = {run(tmp_path, workflow, HOUR, seed=seed).wall for seed in range(4)}
    assert len(found) == 4


# --- the context ------------------------------------------------------------------------------


def test_output_is_cut_to_what_the_context_still_holds(tmp_path: Path) -> None:
    """9,000 of 10,000 are sent: 1,000 remain, of which 800 go to thinking."""
    call = {"call": "main", "id": "x", "input": 9000, "thinking": 800, "output": 900}
    found = run(tmp_path, {"steps": [call]}, {**READS, "context": "10k"})
    facts = found.calls("x")[0]
    assert (facts.thinking, facts.visible, facts.cut) == (800, 200, 700)
    assert found.trace.notes["output_cut"] == 1


def test_and_to_max_output(tmp_path: Path) -> None:
    call = {"call": "main", "id": "x", "input": 0, "thinking": 800, "output": 900}
    found = run(tmp_path, {"steps": [{**call, "max_output": 1000}]})
    assert (found.calls("x")[0].thinking, found.calls("x")[0].visible) == (800, 200)
    found = run(tmp_path, {"steps": [call]}, {**READS, "max_output": 500})
    assert (found.calls("x")[0].thinking, found.calls("x")[0].visible) == (500, 0)


def test_a_tool_result_is_cut_at_25k(tmp_path: Path) -> None:
    workflow: File = {
        "tools": {"dump": {"time": "1s", "returns": "40k"}},
        "agents": {"x": agent_with(tools={"dump": "100%"})},
        "steps": [{"agent": "x"}],
    }
    found = run(tmp_path, workflow)
    assert sent(found, "x") == [1000, 1000 + 100 + 25_000]
    assert found.trace.notes["tool_cut"] == 1
