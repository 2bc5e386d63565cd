"""What changes nothing where it stands is told, and does change nothing: each file is run without
it as well, with the same answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.experiment import Options, answer
from agentsim.report import json_
from agentsim.spec import Source
from tests.unit.spec.conftest import Load, Refused

CALM = "tools: {t: {time: 2s}}\n"
RISKY = "tools: {t: {time: {p50: 2s, p90: 9s}, fails: 30%}}\n"
ASK = "person: you, time: 1m"
WRITER = "agent: coder, turns: 2, output: 10, tools: {}"
AGENT = "agents: {a: {turns: 3, output: 10, tools: {shell: 80%}}}\n"
QUEUE = "queues: {trunk: {ci: 1m}}\n"

# (text, what of it does nothing, what is written in its place, the warning in part)
CASES: list[tuple[str, str, str, str]] = [
    # what cannot fail
    (f"{CALM}steps: [{{tool: t, retry: 2}}]", ", retry: 2", "", "`retry` does nothing"),
    (f"{CALM}steps: [{{tool: t, or: go on}}]", ", or: go on", "", "`or` does nothing"),
    (f"{CALM}steps: [{{tool: t, or: fail}}]", ", or: fail", "", "`or` does nothing"),
    ("steps: [{wait: 1s, retry: 2}]", ", retry: 2", "", "a wait cannot fail"),
    (f"steps: [{{{ASK}, or: go on}}]", ", or: go on", "", "people fail by a `timeout` only"),
    (f"steps: [{{{ASK}, rejects: 5%, retry: 1}}]", ", retry: 1", "", "`rejected` ends the run"),
    (f"{CALM}steps: [{{do: [{{tool: t}}], retry: 1}}]", ", retry: 1", "", "nothing in it can fail"),
    (f"{RISKY}steps: [{{do: [{{tool: t, or: go on}}], retry: 1}}]", ", retry: 1", "", "nothing in"),
    (f"{CALM}steps: [{{loop: 3, do: [{{tool: t}}], or: fail}}]", ", or: fail", "", "`or` does"),
    (
        f"{RISKY}steps: [{{attempts: 3, do: [{{tool: t}}], pick: first, or: go on}}]",
        ", or: go on",
        "",
        "attempts do not fail",
    ),
    (f"{QUEUE}steps: [{{merge: trunk, or: go on}}]", ", or: go on", "", "there is no `conflict`"),
    (
        "tools: {t: {time: 2s, retry: 3}}\nsteps: [{tool: t}]",
        ", retry: 3",
        "",
        "the tool t (line 2): `retry` does nothing",
    ),
    (
        f"{RISKY}steps: [{{tool: t, retry: {{tries: 0, wait: 5s}}}}]",
        ", retry: {tries: 0, wait: 5s}",
        "",
        "never waited with 0 tries",
    ),
    # what ends before
    (f"{CALM}steps: [{{tool: t, timeout: 2s}}]", ", timeout: 2s", "", "it takes 2 s at most"),
    ("steps: [{wait: {uniform: [1s, 5s]}, timeout: 1m}]", ", timeout: 1m", "", "5 s at most"),
    (
        # three tries of 4 s and 1 s before each further one: 14 s
        f"{RISKY}steps: [{{tool: u, timeout: 14s}}]".replace(
            "tools: {", "tools: {u: {time: 4s, fails: 50%, retry: {tries: 2, wait: 1s}}, "
        ).replace("t: {time: {p50: 2s, p90: 9s}, fails: 30%}", "v: {like: u}"),
        ", timeout: 14s",
        "",
        "takes 14 s at most",
    ),
    (
        "tools: {t: {time: 2s, timeout: 1m}}\nsteps: [{tool: t}]",
        ", timeout: 1m",
        "",
        "a run takes 2 s at most",
    ),
    # rounds, branches and items that never come
    (
        f"{CALM}steps: [{{loop: 1, do: [{{{ASK}, approves: 50%}}], between: [{{tool: t}}]}}]",
        ", between: [{tool: t}]",
        "",
        "(line 3): `between` never runs, since there is no second round",
    ),
    (f"{CALM}steps: [{{loop: 0, do: [{{tool: t}}]}}]", "{tool: t}", "{wait: 9s}", "no rounds"),
    (f"{CALM}steps: [{{each: 0, do: [{{tool: t}}]}}]", "{tool: t}", "{wait: 9s}", "no items"),
    (
        "steps: [{choose: [{chance: 0%, wait: 1s}, {chance: 30%, wait: 2s}]}]",
        "{chance: 0%, wait: 1s}, ",
        "",
        "`choose.wait` never runs, since its chance is 0 %",
    ),
    (
        "steps: [{choose: [{chance: 40%, wait: 1s}, {chance: 60%, wait: 2s}, {wait: 3s}]}]",
        ", {wait: 3s}",
        "",
        "`choose.wait-3` never runs, since the others have 100 %",
    ),
    (
        "steps: [{choose: [{wait: 1s}, {chance: 100%, wait: 2s}]}]",
        "{wait: 1s}, ",
        "",
        "`choose.wait-2` runs always, so the other branches never do",
    ),
    (
        "steps: [{choose: [{chance: 100%, wait: 2s}]}]",
        "{choose: [{chance: 100%, wait: 2s}]}",
        "{wait: 2s}",
        "its one branch always runs",
    ),
    ("steps: [{choose: []}, {wait: 1s}]", "{choose: []}, ", "", "an empty list of steps"),
    (
        f"{QUEUE}steps: [{{merge: trunk, rework: [{{wait: 9s}}]}}]",
        ", rework: [{wait: 9s}]",
        "",
        "`rework` is never done",
    ),
    # lists of which only a part is come to
    (f"steps: [{{{ASK}, approves: [10%, 90%]}}]", "[10%, 90%]", "10%", "no loop is around it"),
    (
        f"steps: [{{loop: 2, do: [{{{ASK}, approves: [10%, 50%, 90%]}}]}}]",
        "[10%, 50%, 90%]",
        "[10%, 50%]",
        "has 3 shares, and there are 2 rounds at most: the last never counts",
    ),
    (
        f"steps: [{{loop: 2, do: [{{wait: 1s}}], between: [{{{ASK}, approves: [10%, 90%]}}]}}]",
        "[10%, 90%]",
        "10%",
        "there is one round at most",
    ),
    (
        f"{QUEUE}steps: [{{merge: trunk, conflict: [30%, 90%]}}]",
        "[30%, 90%]",
        "30%",
        "only its first counts",
    ),
    # attempts
    (
        f"steps: [{{attempts: 2, do: [{{{WRITER}}}], pick: {{{ASK}, every: yes}}}}]",
        ", every: yes",
        "",
        "`every` does nothing, since whoever picks reads neither",
    ),
    (
        f"steps: [{{attempts: 2, limit: 2, do: [{{{WRITER}}}], pick: first}}]",
        ", limit: 2",
        "",
        "`limit` is never reached, since there are 2 attempts",
    ),
    ("steps: [{each: 3, limit: 4, do: [{wait: 1s}]}]", ", limit: 4", "", "it has 3 items"),
    # where nothing is scarce, or drawn
    ("steps: [{wait: 1s, priority: 5}]", ", priority: 5", "", "it waits for nothing scarce"),
    ("steps: [{do: [{wait: 1s}], priority: 5}]", ", priority: 5", "", "counts on the steps in it"),
    (
        "steps: [{do: [{wait: {p50: 1s, p90: 3s}}], draws: one}]",
        ", draws: one",
        "",
        "`draws` does nothing here",
    ),
    # agents and tools
    (f"{CALM}steps: [{{tool: t, returns: 5k}}]", ", returns: 5k", "", "`returns` go to nobody"),
    (
        "tools: {t: {time: 2s, returns: 5k}}\nsteps: [{tool: t}]",
        ", returns: 5k",
        "",
        "the tool t (line 2): `returns` go to nobody, since no agent runs it",
    ),
    (
        "steps: [{agent: coder, turns: 1, tools: {shell: 80%}}]",
        ", tools: {shell: 80%}",
        "",
        "`tools` are never run: the last turn runs no tool",
    ),
    (
        f"steps: [{{{WRITER}, asks: {{who: you, chance: 50%, time: 1m}}}}]",
        ", asks: {who: you, chance: 50%, time: 1m}",
        "",
        "`asks` does nothing, since it has no tools",
    ),
    (f"steps: [{{{WRITER}, tools_per_turn: 3}}]", ", tools_per_turn: 3", "", "it has no tools"),
    (
        f"{AGENT}steps: [{{agent: a, tools_per_turn: 1, in_turn: yes}}]",
        ", in_turn: yes",
        "",
        "one tool at most",
    ),
    (
        "steps: [{agent: coder, thinking: 0, keeps_thinking: yes}]",
        ", keeps_thinking: yes",
        "",
        "it does not think",
    ),
    (
        "agents: {a: {turns: 2, output: 10}}\nsteps: [{agent: a, tokens_per_line: 9}]",
        ", tokens_per_line: 9",
        "",
        "it writes and reads no lines",
    ),
    ("steps: [{agent: coder, caps: {agents: 2}}]", ", caps: {agents: 2}", "", "starts nothing"),
    (
        "steps: [{agent: coder, turns: 5, writes: 9 loc, size: L}]",
        ", size: L",
        "",
        "`size` does nothing",
    ),
    (
        "agents: {a: {turns: 2, output: 10, task: 5k}}\nsteps: [{agent: a}]",
        ", task: 5k",
        "",
        "the agent a (line 2): `task` is never added",
    ),
    (
        "agents: {a: {turns: 2, output: 10, returns: 5k}}\nsteps: [{agent: a}]",
        ", returns: 5k",
        "",
        "the agent a (line 2): `returns` go to nobody",
    ),
    (
        "agents: {a: {turns: 2, output: 10, in_turn: yes}}\nsteps: [{agent: a}]",
        ", in_turn: yes",
        "",
        "the agent a (line 2): `in_turn` does nothing",
    ),
    (
        "caps: {tools: 2, held: call}\nsteps: [{agent: coder}]",
        ", held: call",
        "",
        "`held: call` of `caps` (line 2) does nothing without `agents`",
    ),
    (
        "queues: {trunk: {ci: 1m, on_conflict: block}}\nsteps: [{merge: trunk, conflict: 30%}]",
        ", on_conflict: block",
        "",
        "the merge queue trunk (line 2): `on_conflict` does nothing",
    ),
]


def of(case: tuple[str, str, str, str]) -> str:
    return case[3]


@pytest.mark.parametrize(("text", "vain", "instead", "said"), CASES, ids=map(of, CASES))
def test_what_is_told(graph: Load, text: str, vain: str, instead: str, said: str) -> None:
    (note,) = [it for it in graph(text).notes if said in it]
    assert "(line " in note


def test_the_correlation_of_one_attempt(graph: Load) -> None:
    """It changes no chance, though by which numbers the attempt succeeds: see test_attempts."""
    text = (
        f"steps: [{{attempts: 1, do: [{{{ASK}}}], succeeds: 50%, correlation: 60%, pick: first}}]"
    )
    (note,) = [it for it in graph(text).notes if "`correlation`" in it]
    assert "`correlation` changes no chance, since there is one attempt" in note


def figures(folder: Path, text: str) -> Any:
    """What 20 runs come to in time, tokens, money and success."""
    file = folder / "w.yaml"
    file.write_text(f"agentsim: 1\n{text}\n", "utf-8")
    quick = Options(runs=20, levers=False, sensitivity=False)
    found = json_.answer(answer(Source(str(file), ("cerebras",)), quick))
    keys = ("outcome", "wall", "without_people", "tokens", "cost", "quality")
    return [found[key] for key in keys]


@pytest.mark.parametrize(("text", "vain", "instead", "said"), CASES, ids=map(of, CASES))
def test_it_changes_nothing(tmp_path: Path, text: str, vain: str, instead: str, said: str) -> None:
    assert text.count(vain) == 1
    assert figures(tmp_path, text) == figures(tmp_path, text.replace(vain, instead))


TRIES = f"steps: [{{attempts: 2, do: [{{{WRITER}}}]"
FINE = [
    f"{RISKY}steps: [{{tool: t, retry: 2, or: go on}}]",
    f"{RISKY}steps: [{{tool: t, retry: 0}}]",
    f"{CALM}steps: [{{tool: t, timeout: 1s, retry: 2}}]",
    f"{CALM}pools: {{ci: {{capacity: 1}}}}\n"
    "steps: [{tool: t, uses: {ci: 1}, timeout: 5s, or: go on, priority: 2}]",
    f"steps: [{{{ASK}, timeout: 5m, or: go on}}]",
    f"{RISKY}steps: [{{do: [{{tool: t}}], retry: 1, or: go on}}]",
    f"{RISKY}steps: [{{loop: 3, do: [{{tool: t}}], or: go on}}]",
    # a failure that a round goes on after is its verdict, and fails the loop when they run out
    f"{RISKY}steps: [{{loop: 3, do: [{{tool: t, or: go on}}], or: go on}}]",
    f"steps: [{{loop: 3, do: [{{{ASK}, approves: 50%}}], or: fail}}]",
    "steps: [{call: main, input: 1, output: 1, retry: 1}]",  # its context may be too short
    "steps: [{agent: coder, retry: 1, or: go on}]",
    f"{QUEUE}steps: [{{merge: trunk, conflict: 10%, or: go on}}]",
    f"steps: [{{attempts: 2, do: [{{{WRITER}}}], pick: {{agent: reviewer}}, or: go on}}]",
    f"{CALM}steps: [{{loop: 2, do: [{{{ASK}, approves: [10%, 90%]}}], between: [{{tool: t}}]}}]",
    f"steps: [{{loop: {{within: 1h}}, do: [{{{ASK}, approves: [10%, 50%, 90%]}}]}}]",
    f"steps: [{{loop: 2, do: [{{do: [{{{ASK}, approves: [10%, 90%]}}]}}]}}]",
    "steps: [{choose: [{chance: 1%, wait: 1s}, {chance: 30%, wait: 2s}]}]",
    f"{TRIES}, pick: {{person: you, reads: changes, every: yes}}}}]",
    f"{TRIES}, pick: {{person: you, reads: answer, every: yes}}}}]",
    f"{TRIES}, pick: {{agent: reviewer, reads: changes, every: yes}}}}]",
    "steps: [{agent: coder, tools_per_turn: 2, in_turn: yes}]",
    # without its own the caps of the definition would hold, and these count
    "agents: {a: {like: coder, caps: {tools: 1}}}\n"
    "steps: [{agent: a, caps: {agents: 3, held: call}}, {agent: a}]",
    f"{RISKY}steps: [{{do: [{{tool: t}}], retry: 1, draws: x}}]",  # further tries go by it
    "steps: [{agent: planner, do: [{tool: tests, returns: 2k}]}]",
    "tools: {t: {time: 2s, returns: 5k}}\nsteps: [{agent: coder, tools: {t: 50%}}]",
    "agents: {a: {like: explorer, task: 5k, returns: 1k}}\n"
    "steps: [{agent: coder, tools: {a: 50%}}]",
    # of items that differ, what holds of some only
    "steps: [{each: [0, 2], do: [{loop: $(item), do: [{wait: 1s}]}]}]",
    "params: {on: no}\n"
    f"steps: [{{when: $(on), loop: 1, do: [{{wait: 1s}}], between: [{{{ASK}}}]}}]",
]  # fmt: skip
WORDS = ("does nothing", "never", "go to nobody", "counts on", "only its first")


@pytest.mark.parametrize("text", FINE)
def test_what_counts_is_not_told(graph: Load, text: str) -> None:
    assert [it for it in graph(text).notes if any(word in it for word in WORDS)] == []


CHOSEN = [
    ("params: {n: 2}\n", f"loop: $(n), do: [{{{ASK}, approves: [1%, 2%]}}]"),
    ("params: {n: 2, m: $(n)}\n", f"loop: $(m), do: [{{{ASK}}}], between: [{{wait: 1s}}]"),
    ("params: {n: 2}\n", "each: $(n), limit: 1, do: [{wait: 1s}]"),
    ("params: {n: 2}\n", "choose: [{chance: '${0.01 * (n - 1)}', wait: 1s}, {wait: 2s}]"),
]  # fmt: skip


@pytest.mark.parametrize(("params", "step"), CHOSEN)
def test_what_an_option_asks_for_is_not_told(graph: Load, params: str, step: str) -> None:
    """Whoever varies the rounds knows that with one there is no second; of the file it is told."""
    text = f"{params}steps: [{{{step}}}]"
    told = graph(text.replace("n: 2", "n: 1")).notes
    assert any(word in it for it in told for word in WORDS)
    varied = graph(text, sets=(("n", 1),)).notes
    assert not any(word in it for it in varied for word in WORDS)


def test_a_note_names_the_file_that_it_is_of(graph: Load, tmp_path: Path) -> None:
    from agentsim.spec import load

    (tmp_path / "part.yaml").write_text("agentsim: 1\nsteps:\n  - {wait: 1s, retry: 2}\n")
    (tmp_path / "w.yaml").write_text("agentsim: 1\nsteps: [{include: part.yaml}]\n")
    notes = load(Source(str(tmp_path / "w.yaml"), ("cerebras",))).notes
    (note,) = [it for it in notes if "`retry` does nothing" in it]
    assert note.startswith(f"part.wait (line 3 of {tmp_path / 'part.yaml'}): ")


def test_needs_in_a_pick(refused: Refused) -> None:
    text = "steps:\n- attempts: 2\n  do: [{wait: 1s}]\n  pick: {person: you, time: 1m, needs: []}"
    (problem,) = refused(text)
    assert "`needs` has no meaning in a pick" in problem.message
    assert problem.place is not None
    assert (problem.place.line, problem.place.column) == (5, 40)
