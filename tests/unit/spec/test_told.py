"""What is told of a file: all of it, with its line and file, and not what an option chose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentsim.errors import Weight
from agentsim.graph import Node
from agentsim.spec import Source, load
from agentsim.spec.before import missing
from agentsim.spec.failing import Failing
from agentsim.spec.told import MOST_ALIKE, Told, few
from agentsim.spec.verdicts import verdict_notes
from tests.unit.spec.conftest import Load

VAIN = ("does nothing", "never", "go to nobody")


def vain(notes: tuple[str, ...]) -> list[str]:
    return [it for it in notes if any(word in it for word in VAIN)]


# --- an agent that is used with steps of its own, and without -------------------------------------

LIFE = """
agents: {a: {turns: 2, output: 10, tokens_per_line: 9, caps: {tools: 1}}}
tools: {t: {time: 2s, returns: 10}}
steps:
  - {person: you, time: 1m, writes: 1000 loc}
  - {agent: a}
"""
BOSS = (
    "  - {agent: a, id: boss, %sdo: [{call: self, input: 0, output: 5}, "
    "{parallel: [{tool: t}, {tool: t, id: t2}]}]}\n"
)


def test_a_definition_counts_where_its_agent_has_steps_of_its_own(graph: Load) -> None:
    """The boss reads 1000 lines at 9 tokens, and runs its two tools one after the other."""
    assert vain(graph(LIFE + BOSS % "reads: changes, ").notes) == []


def test_where_it_does_not_read_its_lines_count_for_nothing(graph: Load) -> None:
    (note,) = vain(graph(LIFE + BOSS % "").notes)
    assert note.startswith("the agent a (line 2): `tokens_per_line` does nothing")


def test_without_them_both_are_told(graph: Load) -> None:
    found = vain(graph(LIFE).notes)
    assert ["`tokens_per_line`" in found[0], "`caps`" in found[1]] == [True, True]


# --- all of it ------------------------------------------------------------------------------------


def test_what_is_told_of_many_steps_hides_nothing_of_a_tool(graph: Load) -> None:
    """Twelve steps, then the two of the tool: 14."""
    steps = ", ".join(f"{{tool: t, id: s{i}, retry: 2}}" for i in range(12))
    tools = "tools: {t: {time: 2s}, u: {time: 2s, timeout: 1h, retry: 2}}"
    found = vain(graph(f"{tools}\nsteps: [{{tool: u}}, {steps}]").notes)
    assert len(found) == 14
    assert sum(it.startswith("the tool u (line 2)") for it in found) == 2


def told(key: str, count: int) -> list[Told]:
    return [Told(f"s{i}: {key}", ("steps", i, key)) for i in range(count)]


def test_each_kind_has_a_cap_of_its_own_that_says_how_many_there_are() -> None:
    given = [*told("retry", MOST_ALIKE + 3), *told("timeout", 2)]
    before = list(given)
    found = few(given)
    assert given == before
    assert [it.text for it in found[MOST_ALIKE - 1 :]] == [
        f"s{MOST_ALIKE - 1}: retry",
        "and 3 more on `retry` like these",
        "s0: timeout",
        "s1: timeout",
    ]
    assert {it.weight for it in found} == {Weight.FILE}


# --- each with its line, and the file where that is another one -----------------------------------

PART = """agentsim: 1
tools: {lint: {time: 1s, fails: 10%}}
agents: {p: {turns: 2, output: 10, tools: {lint: 50%}, writes: 9000 loc}}
steps:
  - {person: you, reads: answer}
  - {do: []}
  - {wait: 1s, retry: 2}
  - {agent: coder, reads: changes, session: zzz9}
  - {agent: coder, id: first, prompt: 3k}
  - {agent: coder, id: second, session: first, prompt: 4k}
  - {agent: p}
  - {call: main, input: 1, output: 1, max_output: 999999}
  - {person: you, id: look, time: 1m, approves: 50%}
  - {loop: 2, do: [{tool: lint, id: l1, approves: 0%, or: go on}]}
"""
LINES = {
    "`reads: answer`": 5,
    "an empty list of steps": 6,
    "`retry` does nothing": 7,
    "`reads: changes`": 8,
    "the session `zzz9`": 8,
    "its `prompt` counts": 10,
    "9,000 lines": 3,
    "its `max_output`": 12,
    "nothing reads its verdict": 13,
    "never approve": 14,
}


def of_part(tmp_path: Path, part: str) -> tuple[str, ...]:
    (tmp_path / "part.yaml").write_text(part)
    (tmp_path / "w.yaml").write_text("agentsim: 1\nsteps: [{include: part.yaml}]\n")
    return load(Source(str(tmp_path / "w.yaml"), ("cerebras",))).notes


@pytest.mark.parametrize(("words", "line"), LINES.items())
def test_a_line_is_of_the_file_that_it_stands_in(tmp_path: Path, words: str, line: int) -> None:
    (note,) = [it for it in of_part(tmp_path, PART) if words in it]
    assert re.findall(r"\((line [^)]*)\)", note) == [f"line {line} of {tmp_path / 'part.yaml'}"]


def test_a_line_is_that_of_the_key(graph: Load) -> None:
    """Not that of its first step, which stands below it."""
    text = """
        steps:
          - loop: 1
            do: [{person: you, time: 1m, approves: 50%}]
            between:
              - {wait: 1s}
    """
    (note,) = vain(graph(text).notes)
    assert "(line 5): `between` never runs" in note


def test_no_line_of_another_file_is_told_as_one_of_this(tmp_path: Path) -> None:
    """All that is told of a file that only includes another one names the other."""
    lines = [line for it in of_part(tmp_path, PART) for line in re.findall(r"\(line [^)]*\)", it)]
    assert len(lines) >= len(LINES)
    assert [line for line in lines if "part.yaml)" not in line] == []


# --- what an option chose -------------------------------------------------------------------------

SHELL = "tools: {shell: 80%}, in_turn: yes, tools_per_turn: 2"
TOOL = "tools: {t: {time: 2s, %s}}\nsteps: [{tool: t, %s}]"
CHOSEN = [
    # (the file, which has n: 3, by which nothing is told; with n: 1 something is)
    f"agents: {{a: {{turns: $(n), output: 10, {SHELL}}}}}\nsteps: [{{agent: a}}]",
    f"agents: {{a: {{output: 10, {SHELL}}}}}\nsteps: [{{agent: a, turns: $(n)}}]",
    f"agents: {{b: {{turns: $(n), output: 10}}, a: {{like: b, {SHELL}}}}}\nsteps: [{{agent: a}}]",
    f"steps: [{{agent: coder, turns: $(n), {SHELL}}}]",
    "tools: {t: {time: '${n * 1.0}s', timeout: 1.5s}}\nsteps: [{tool: t}]",
    TOOL % ("fails: '${(n - 1) * 0.1}', retry: 2", ""),
    TOOL % ("fails: '${(n - 1) * 0.1}'", "retry: 2"),
    TOOL % ("", "timeout: '${5.0 / n}s'"),
    "steps: [{do: [{person: you, time: 1m}, {tool: t, fails: '${(n - 1) * 0.1}'}], retry: 2}]\n"
    "tools: {t: {time: 2s}}",
    "steps: [{loop: '${4 - n}', do: [{person: you, time: 1m}, "
    "{tool: t, fails: '100%'}], or: go on}]\n"
    "tools: {t: {time: 2s}}",
    "queues: {q: {ci: 1m}}\n"
    "steps: [{merge: q, conflict: '${(n - 1) * 0.1}', rework: [{wait: 1s}]}]",
    "steps: [{agent: coder, thinking: '${(n - 1) * 10}', keeps_thinking: yes}]",
    "steps: [{loop: 2, do: [{person: you, time: 1m, approves: '${(n - 1) * 0.1}'}]}]",
    "steps: [{call: main, input: 1, output: 1, max_output: '${100000 // n}'}]",
    "tools: {t: {time: 2s, fails: 10%, retry: '${n - 1}'}}\nsteps: [{agent: coder, "
    "tools: {t: 50%}}]",
    "tools: {t: {time: 2s}, u: {time: 1s}}\n"
    "steps: [{tool: \"${'u' if n > 1 else 't'}\"}, {tool: t}]",
    "steps: [{agent: coder, writes: 9 loc, defects: 3 per kloc}, "
    "{person: you, time: 1m, reads: changes, finds: '${(n - 1) * 0.1}'}]\n"
    "quality: {correlation: 10%}",
]


def options(text: str) -> tuple[str, str]:
    return f"params: {{n: 3}}\n{text}", f"params: {{n: 1}}\n{text}"


@pytest.mark.parametrize("text", CHOSEN)
def test_what_an_option_chose_is_not_told(graph: Load, text: str) -> None:
    plain, less = options(text)
    known = set(graph(plain).notes)
    assert set(graph(less).notes) - known  # the file's own n is told of
    assert set(graph(plain, sets=(("n", 1),)).notes) - known == set()


def test_what_it_did_not_choose_is_told_all_the_same(graph: Load) -> None:
    """The tool's `retry` has nothing to do with the turns, nor has the step's."""
    text = """
        params: {n: 3}
        agents: {a: {turns: $(n), output: 10}}
        tools: {t: {time: 2s, retry: 2}}
        steps: [{agent: a}, {tool: t, or: go on}, {do: [{tool: t, time: "${1.0 * n}s"}], retry: 1}]
    """
    plain = vain(graph(text).notes)
    assert len(plain) == 3
    assert vain(graph(text, sets=(("n", 2),)).notes) == plain


def test_a_value_that_never_counts_is_told_although_an_option_gives_it(graph: Load) -> None:
    """Nobody asked for steps that never run: whoever varies their time should know."""
    text = "params: {n: 3}\nsteps: [{loop: 1, do: [{person: you, time: 1m}], between: [%s]}]"
    wait = '{wait: "${1.0 * n}s"}'
    (note,) = vain(graph(text % wait, sets=(("n", 2),)).notes)
    assert "`between` never runs" in note


def test_a_param_reaches_into_an_included_file(tmp_path: Path) -> None:
    """The file that is run gives the rounds of the other one, by a param that an option sets."""
    part = "agentsim: 1\nparams: {m: 3}\nsteps:\n  - loop: $(m)\n    do: [{wait: 1s}]\n"
    (tmp_path / "part.yaml").write_text(part + "    between: [{wait: 1s}]\n")
    outer = "agentsim: 1\nparams: {n: %d}\nsteps: [{include: part.yaml, params: {m: $(n)}}]\n"
    (tmp_path / "w.yaml").write_text(outer % 3)
    source = Source(str(tmp_path / "w.yaml"), ("cerebras",), sets=(("n", 1),))
    assert vain(load(source).notes) == []
    (tmp_path / "w.yaml").write_text(outer % 1)
    assert len(vain(load(Source(str(tmp_path / "w.yaml"), ("cerebras",))).notes)) == 1


# --- a kind of node that nobody has thought of ----------------------------------------------------


class Strange(Node):
    """A kind that no check knows."""


STRANGE = Strange(rank=1, path="strange", name="strange")


def test_a_new_kind_of_node_is_not_passed_over(graph: Load) -> None:
    from dataclasses import replace

    plain = graph("steps: [{wait: 1s}]")
    root = replace(plain.root, steps=(STRANGE,))
    with pytest.raises(TypeError, match="Strange"):
        missing(root)
    with pytest.raises(TypeError, match="Strange"):
        verdict_notes(root)
    with pytest.raises(TypeError, match="Strange"):
        Failing(plain).fails(STRANGE)
