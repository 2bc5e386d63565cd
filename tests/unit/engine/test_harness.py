"""What a harness and an agent's own caps do while time passes, and sessions of own steps.

HUNDRED takes 10 ms a token of output, READS also 1 ms a token of input; nothing is cached.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis.places import numbers
from agentsim.engine import simulate
from agentsim.errors import EngineFault
from agentsim.experiment import variants
from agentsim.records import SECOND, CallFacts, Outcome, Part
from tests.runs import READS, File, Run, graph_of, run

ONE = {"turns": 1, "output": 100}
"""A call of 1 s."""
SHELL = {"time": "3s", "returns": 0}


def of(folder: Path, steps: list[Any], hardware: File | None = None, **top: Any) -> Run:
    workflow = {"tools": {"shell": SHELL}, "steps": steps, **top}
    return run(folder, workflow) if hardware is None else run(folder, workflow, hardware)


def inputs(found: Run, path: str) -> list[int]:
    return [facts.fresh + facts.cached for facts in found.calls(path)]


# --- time in each turn ------------------------------------------------------------------------


def test_a_turn_begins_with_the_time_of_the_harness(tmp_path: Path) -> None:
    """2 s, call 1 s, tool 3 s, 2 s, call 1 s."""
    agent = {"turns": 2, "output": 100, "tools": {"shell": "100%"}, "turn_time": "2s"}
    found = of(tmp_path, [{"agent": "a"}], agents={"a": agent})
    assert found.wall == 9
    assert [span.marks[-1] for span in found.spans("a")] == [
        (Part.OTHER, 2 * SECOND),
        (Part.DECODE, 3 * SECOND),
        (Part.TOOL, 6 * SECOND),
        (Part.OTHER, 8 * SECOND),
        (Part.DECODE, 9 * SECOND),
    ]
    half = variants.with_harness(found.graph, 0.5)
    assert simulate(half, 0, 0).ended == 7 * SECOND


def test_it_is_drawn_each_time_and_changes_no_other_draw(tmp_path: Path) -> None:
    agent = {"turns": 3, "output": {"p50": 100, "p90": 200}, "tools": {"shell": "50%"}}
    slow = {**agent, "turn_time": {"uniform": ["1s", "2s"]}}
    plain = of(tmp_path, [{"agent": "a"}], agents={"a": agent})
    found = of(tmp_path, [{"agent": "a"}], agents={"a": slow})
    times = [
        span.ended - span.began for span in found.spans("a") if span.marks[-1][0] is Part.OTHER
    ]
    assert len(set(times)) == 3
    assert all(SECOND <= time <= 2 * SECOND for time in times)
    assert found.calls("a") == [
        facts._replace(shown=own.shown)
        for facts, own in zip(plain.calls("a"), found.calls("a"), strict=True)
    ]
    assert not found.graph.exact
    assert found.breakdown[Part.OTHER] * SECOND == pytest.approx(sum(times))


def test_own_steps_begin_with_it_too(tmp_path: Path) -> None:
    """2 + 1 s each time the agent speaks, not where another one does."""
    call = {"input": 0, "output": 100}
    steps = [
        {"call": "self", **call},
        {"call": "main", **call},
        {"call": "self", "id": "b", **call},
    ]
    found = of(tmp_path, [{"agent": "a", "do": steps}], agents={"a": {"turn_time": "2s"}})
    assert found.wall == 7
    assert simulate(variants.with_harness(found.graph, 0.0), 0, 0).ended == 3 * SECOND


# --- caps of an agent -------------------------------------------------------------------------


def test_caps_of_an_agent_are_anew_each_time_that_it_runs(tmp_path: Path) -> None:
    """Two leads side by side, each with one agent at once of its two: 2 s.

    As one cap of the run, of three with the leads: the first lead's two one by one until 2 s, when
    its own place is free as well, so that the other's two end at 3 s.
    """
    lead = {"agent": "lead", "do": [{"each": 2, "do": [{"agent": "one"}]}]}
    agents = {"lead": {"caps": {"agents": 1}}, "one": ONE}
    assert of(tmp_path, [{"each": 2, "do": [lead]}], agents=agents).wall == 2
    agents["lead"] = {}
    both = of(tmp_path, [{"each": 2, "do": [lead]}], agents=agents, caps={"agents": 3})
    assert both.wall == 3


def test_an_agent_counts_in_all_caps_around_it(tmp_path: Path) -> None:
    """The lead may start three, the run has two beside the lead: of four agents two at a time."""
    lead = {"agent": "lead", "do": [{"each": 4, "do": [{"agent": "one"}]}]}
    agents = {"lead": {"caps": {"agents": 3}}, "one": ONE}
    found = of(tmp_path, [lead], agents=agents, caps={"agents": 3})
    assert found.wall == 2
    waits = {s.resource for s in found.trace.spans if s.marks[0][0] is Part.CAP_WAIT}
    # the fourth has no place in the lead until one is done
    assert waits == {"agents at once", "agents at once in lead"}
    peaks = {peak.resource: peak.in_use for peak in found.trace.peaks}
    assert (peaks["agents at once"], peaks["agents at once in lead"]) == (3, 3)


def test_subagents_of_a_turn_and_its_tools(tmp_path: Path) -> None:
    """Three subagents of 1 s and, in the second turn, as many tools of 3 s: one at a time."""
    lead = {"turns": 2, "output": 100, "tools": {"one": "100%"}, "tools_per_turn": 3}
    capped = {**lead, "caps": {"agents": 1}}
    assert of(tmp_path, [{"agent": "lead"}], agents={"lead": lead, "one": ONE}).wall == 3
    found = of(tmp_path, [{"agent": "lead"}], agents={"lead": capped, "one": ONE})
    assert found.wall == 5
    more = variants.with_limit(found.graph, numbers(found.graph)["agents at once in lead"])
    assert simulate(more, 0, 0).ended == 4 * SECOND
    tools = {**lead, "tools": {"shell": "100%"}, "caps": {"tools": 2}}
    found = of(tmp_path, [{"agent": "lead"}], agents={"lead": tools})
    assert found.wall == 1 + 6 + 1
    more = variants.with_limit(found.graph, numbers(found.graph)["tools at once in lead"])
    assert simulate(more, 0, 0).ended == 5 * SECOND


def test_what_a_subagent_starts_counts_in_those_around(tmp_path: Path) -> None:
    """The helper's tools share the lead's one place: three of 3 s, between calls of 1 s."""
    agents = {
        "lead": {
            "turns": 2,
            "output": 100,
            "tools": {"helper": "100%"},
            "caps": {"tools": 1},
        },
        "helper": {"turns": 2, "output": 100, "tools": {"shell": "100%"}, "tools_per_turn": 3},
    }
    assert of(tmp_path, [{"agent": "lead"}], agents=agents).wall == 1 + (1 + 9 + 1) + 1


def test_tools_of_own_steps_are_the_agents(tmp_path: Path) -> None:
    """Two tools of 3 s in its steps, one at once by the caps of the run; a wait is no tool."""
    inner = [{"each": 2, "do": [{"tool": "shell"}]}, {"each": 2, "id": "w", "do": [{"wait": "1s"}]}]
    found = of(tmp_path, [{"agent": "a", "do": inner}], agents={"a": {}}, caps={"tools": 1})
    assert found.wall == 6 + 1


def test_calls_of_the_agent_itself_are_not_under_its_own_caps(tmp_path: Path) -> None:
    """One call at once of those that it starts: they take 2 s, its own call beside them none more.

    Under the caps of the run all three are counted: 3 s.
    """
    call = {"call": "self", "input": 0, "output": 100}
    inner = [{"parallel": [call, {"agent": "one"}, {"agent": "one", "id": "two"}]}]
    own = {"a": {"caps": {"agents": 1, "held": "call"}}, "one": ONE}
    assert of(tmp_path, [{"agent": "a", "do": inner}], agents=own).wall == 2
    agents = {"a": {}, "one": ONE}
    of_run = {"agents": 1, "held": "call"}
    assert of(tmp_path, [{"agent": "a", "do": inner}], agents=agents, caps=of_run).wall == 3


def test_as_many_as_an_agent_may_start(tmp_path: Path) -> None:
    """Three of two: it fails. Twice two in two runs of it: it does not."""
    agents = {"lead": {"caps": {"spawns": 2}}, "one": ONE}

    def lead(count: int) -> dict[str, Any]:
        return {"agent": "lead", "do": [{"each": count, "do": [{"agent": "one"}]}]}

    found = of(tmp_path, [lead(3)], agents=agents)
    assert found.trace.outcome is Outcome.FAILED
    assert "lead has started 2 agents, as many as `caps` allows" in found.trace.reason
    assert of(tmp_path, [lead(2), lead(2)], agents=agents).trace.outcome is Outcome.DONE


def test_a_circle_within_an_agent_is_named(tmp_path: Path) -> None:
    """The middle one has the only place for what the lead starts, and starts one more."""
    agents = {"lead": {"caps": {"agents": 1}}, "mid": {}, "one": ONE}
    inner = {"agent": "mid", "do": [{"agent": "one"}]}
    with pytest.raises(EngineFault, match=r"agents at once in lead, held by lead\.mid"):
        of(tmp_path, [{"agent": "lead", "do": [inner]}], agents=agents)


def test_an_agent_that_is_cut_gives_up_all_its_places(tmp_path: Path) -> None:
    """`slow` holds a place in both caps until it is cut at 1 s; then the next one has them."""
    agents = {"lead": {"caps": {"agents": 1}}, "slow": {"turns": 1, "output": 900}, "one": ONE}
    steps = [
        {"agent": "slow", "timeout": "1s", "or": "go on"},
        {"agent": "one"},
    ]
    found = of(tmp_path, [{"agent": "lead", "do": steps}], agents=agents, caps={"agents": 2})
    assert found.wall == 2


# --- compaction between own steps -------------------------------------------------------------

CUT = {"compact": {"at": "10k", "to": "3k", "output": 200}, "prompt": "1k"}


def returning(tokens: str) -> dict[str, Any]:
    return {"tools": {"look": {"time": "1s", "returns": tokens}}}


def said(name: str, **more: Any) -> dict[str, Any]:
    return {"call": "self", "id": name, "input": 0, "output": 100, **more}


def test_below_the_mark_nothing_is_cut_and_at_it_something_is(tmp_path: Path) -> None:
    """1,000 + 8,999 returned; one more is the mark. Then 10,000 are cut to 3,000."""
    for tokens, wanted in (("8999", [9999]), ("9000", [10_000, 3000])):
        steps = [{"agent": "lead", "do": [{"tool": "look"}, said("x")]}]
        found = of(tmp_path, steps, READS, agents={"lead": CUT}, **returning(tokens))
        assert inputs(found, "lead.x") == wanted
        assert found.trace.notes.get("compactions", 0) == len(wanted) - 1
    compacting = found.calls("lead.x")[0]
    assert (compacting.compaction, compacting.visible) == (True, 200)
    assert found.breakdown[Part.COMPACTION] == 10 + 2


def test_what_is_to_be_sent_is_not_cut(tmp_path: Path) -> None:
    """9,000 + 1,500 to send: cut to 3,000, then 4,500 are sent."""
    steps = [{"agent": "lead", "do": [{"tool": "look"}, said("x", input=1500)]}]
    found = of(tmp_path, steps, READS, agents={"lead": CUT}, **returning("8k"))
    assert inputs(found, "lead.x") == [9000, 4500]


def test_nothing_is_cut_that_is_no_longer_than_what_stays(tmp_path: Path) -> None:
    """1,000 + 20,000 to send are over the mark, and a history of 1,000 cannot be cut to 3,000."""
    steps = [{"agent": "lead", "do": [said("x", input="20k")]}]
    found = of(tmp_path, steps, READS, agents={"lead": CUT})
    assert inputs(found, "lead.x") == [21_000]
    assert not found.trace.notes


def test_agents_in_its_steps_fill_it_too(tmp_path: Path) -> None:
    """Three helpers return 4k each: 13,000 are cut before the next call, which sends 3,000."""
    helpers = {"each": 3, "do": [{"agent": "one", "returns": "4k"}]}
    steps = [{"agent": "lead", "do": [helpers, said("x")]}]
    found = of(tmp_path, steps, READS, agents={"lead": CUT, "one": ONE})
    assert inputs(found, "lead.x") == [13_000, 3000]


def test_a_call_of_another_role_is_not_the_agents(tmp_path: Path) -> None:
    """It goes on in the session by name; what does not fit fails, as for any call."""
    call = {"call": "main", "id": "x", "session": "lead", "input": 0, "output": 100}
    steps = [{"agent": "lead", "do": [{"tool": "look"}, call]}]
    found = of(tmp_path, steps, READS, agents={"lead": CUT}, **returning("9k"))
    assert inputs(found, "lead.x") == [10_000]


def test_beyond_the_context_it_is_cut_from_what_fits(tmp_path: Path) -> None:
    """1k + 2 * 15k in 20k: 18k beside the 2,000 that are written; to (1k + 16k) / 2."""
    small = {**READS, "context": "20k"}
    steps = [{"agent": "lead", "do": [{"each": 2, "do": [{"tool": "look"}]}, said("x")]}]
    found = of(tmp_path, steps, small, agents={"lead": {"prompt": "1k"}}, **returning("15k"))
    assert inputs(found, "lead.x") == [18_000, 8500]
    assert found.trace.notes == {"compactions": 1, "compaction_cut": 1}


def test_an_input_that_never_fits_fails_with_its_reason(tmp_path: Path) -> None:
    """8,500 that are left and 12k to send are more than 20k."""
    small = {**READS, "context": "20k"}
    inner = [{"each": 2, "do": [{"tool": "look"}]}, said("x", input={"values": ["12k"]})]
    steps = [{"agent": "lead", "do": inner}]
    found = of(tmp_path, steps, small, agents={"lead": {"prompt": "1k"}}, **returning("15k"))
    assert found.trace.outcome is Outcome.FAILED
    assert "20,500 tokens do not fit the context of 20,000" in found.trace.reason


@pytest.mark.parametrize("rule", [{"output": 200}, {"time": "12s"}])
def test_what_is_returned_while_it_is_cut_stands_after_it(rule: File, tmp_path: Path) -> None:
    """10,000 are cut to 3,000 from 1 to 13 s; at 5 s a tool returns 500 to the session.

    The call that was waiting for it sends 3,500.
    """
    late = {"do": [{"wait": "4s"}, {"tool": "look", "id": "late", "returns": 500}], "id": "b"}
    steps = [{"tool": "look"}, {"parallel": [said("x"), late]}, said("y")]
    lead = {"prompt": "1k", "compact": {"at": "10k", "to": "3k", **rule}}
    found = of(
        tmp_path, [{"agent": "lead", "do": steps}], READS, agents={"lead": lead}, **returning("9k")
    )
    assert inputs(found, "lead.parallel.x")[-1] == 3500
    assert inputs(found, "lead.y") == [3600]
    assert found.breakdown[Part.COMPACTION] == 12


def test_a_compaction_that_is_cut_short_leaves_all(tmp_path: Path) -> None:
    """It would last from 1 to 13 s and is cut at 6 s; the next call cuts the whole 10,000."""
    steps = [{"tool": "look"}, said("x", timeout="5s", **{"or": "go on"}), said("y")]
    found = of(
        tmp_path, [{"agent": "lead", "do": steps}], READS, agents={"lead": CUT}, **returning("9k")
    )
    assert [span.outcome for span in found.spans("lead.x")] == [Outcome.CANCELLED]
    assert inputs(found, "lead.y") == [10_000, 3000]
    assert found.trace.notes["compactions"] == 1


def test_the_call_that_cuts_needs_a_place_as_any_other(tmp_path: Path) -> None:
    """One call at once: another agent's call of 1 s from 1 s on, the cut from 2 to 14 s."""
    other = {"do": [{"wait": "1s"}, {"agent": "one", "priority": 1}], "id": "b"}
    lead = {"agent": "lead", "do": [{"tool": "look"}, said("x")]}
    found = of(
        tmp_path,
        [{"parallel": [lead, other]}],
        READS,
        agents={"lead": CUT, "one": ONE},
        caps={"agents": 1, "held": "call"},
        **returning("9k"),
    )
    (cut, _) = [s for s in found.spans("parallel.lead.x") if isinstance(s.facts, CallFacts)]
    assert (cut.began, cut.ended) == (2 * SECOND, 14 * SECOND)


def test_a_graph_without_harnesses_is_as_before(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, {"agents": {"a": ONE}, "steps": [{"agent": "a"}]})
    (node,) = graph.root.steps
    assert getattr(node, "caps") is None  # noqa: B009
    assert graph.caps is None


def test_a_compaction_leaves_the_prompt_of_the_session_whoever_goes_on_in_it(
    tmp_path: Path,
) -> None:
    """A session of 60k of prompt, gone on in by an agent without one, on a context of 130k.

    It stands at 60,000 + 100 + 9,000 + 100 = 69,200; a turn adds 9,100. Due at 80 % of 130k,
    104,000: after four turns it stands at 105,600, and is cut to 60k + 20k.
    """
    tools = {"dump": {"time": "1s", "returns": "9k"}}
    agents = {
        "big": {"prompt": {"system": "60k"}, "turns": 2, "output": 100, "tools": {"dump": "100%"}},
        "fixer": {"turns": 6, "output": 100, "tools": {"dump": "100%"}},
    }
    steps = [{"agent": "big", "id": "s"}, {"agent": "fixer", "session": "s"}]
    found = run(
        tmp_path, {"tools": tools, "agents": agents, "steps": steps}, {**READS, "context": "130k"}
    )
    turns = [one.fresh + one.cached for one in found.calls("fixer") if not one.compaction]
    assert turns == [69_200, 78_300, 87_400, 96_500, 80_000, 89_100]
