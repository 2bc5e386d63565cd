"""Faults are told all at once: one never hides another, and none makes up another.

Each fault below gives one problem by itself, written beside it. A file with several of them gives
these and no more.
"""

from __future__ import annotations

from itertools import combinations

import pytest

from agentsim.errors import Problem
from tests.unit.spec.conftest import Load, Refused

Fault = tuple[str, str, str, str]
"""(key of the file or "steps", what is written there, code, a part of the message)."""

FAULTS: dict[str, Fault] = {
    "top": ("nam", "x", "unknown-key", "`nam`"),
    "zone": ("timezone", "Mars/X", "bad-value", "unknown zone"),
    "budget": ("budget", "{chance: 80%}", "missing-key", "no limit"),
    "definition": ("pools", "{ci: {capacty: 2}}", "unknown-key", "`capacty`"),
    "expression": ("steps", "{wait: $(1 / 0)}", "expression-failed", "division by zero"),
    "key": ("steps", "{agent: coder, tuns: 8, id: k}", "unknown-key", "`tuns`"),
    "name": ("steps", "{tool: tets, id: n}", "unknown-name", "unknown tool `tets`"),
    "value": ("steps", "{tool: tests, time: -1s, id: v}", "bad-value", "`time`"),
    "turns": ("steps", "{agent: coder, turns: 1000000, id: t}", "too-many-steps", "1,000,000"),
    "context": ("steps", "{agent: coder, task: 9M, id: c}", "context-too-small", "9,000,000"),
}
BETWEEN: dict[str, Fault] = {
    "when": ("steps", "{tool: tests, when: rejected, id: w}", "never-runs", "`rejected`"),
    "session": ("steps", "{agent: coder, session: implemnt, id: s}", "unknown-name", "`implemnt`"),
}
"""Faults that lie between steps: what is missing may stand in a step that could not be read."""

LOSE_A_STEP = {"expression", "key", "name", "value"}
OPENS = "{agent: coder, id: implement}"


def text_of(*faults: Fault) -> str:
    top = [f"{key}: {written}" for key, written, *_ in faults if key != "steps"]
    steps = [f"  - {written}" for key, written, *_ in faults if key == "steps"]
    return "\n".join([*top, "steps:", f"  - {OPENS}", *steps]) + "\n"


def told(found: tuple[Problem, ...], *faults: Fault) -> None:
    """Exactly these, each once."""
    left = list(found)
    for _, _, code, part in faults:
        (own,) = [one for one in left if one.code == code and part in one.message]
        left.remove(own)
    assert not left


@pytest.mark.parametrize("name", [*FAULTS, *BETWEEN])
def test_each_by_itself(refused: Refused, name: str) -> None:
    fault = {**FAULTS, **BETWEEN}[name]
    told(refused(text_of(fault)), fault)


@pytest.mark.parametrize("names", list(combinations(FAULTS, 2)), ids="+".join)
def test_two_at_once(refused: Refused, names: tuple[str, str]) -> None:
    faults = [FAULTS[name] for name in names]
    told(refused(text_of(*faults)), *faults)


def test_all_at_once(refused: Refused) -> None:
    told(refused(text_of(*FAULTS.values())), *FAULTS.values())


@pytest.mark.parametrize("name", FAULTS)
def test_what_lies_between_steps(refused: Refused, name: str) -> None:
    """Told beside any fault that loses no step; beside one that does it would be a guess."""
    faults = [FAULTS[name], *(() if name in LOSE_A_STEP else BETWEEN.values())]
    told(refused(text_of(FAULTS[name], *BETWEEN.values())), *faults)


def test_what_a_lost_step_may_give_is_not_missed(refused: Refused) -> None:
    """The step with the wrong key opens the session, and may fail, as the others ask."""
    steps = """
    steps:
      - {agent: coder, id: implement, tuns: 8, or: go on}
      - {agent: coder, session: implement}
      - {agent: coder, when: failed}
    """
    (problem,) = refused(steps)
    assert problem.code == "unknown-key"


def test_a_wrong_step_has_further_wrong_names(refused: Refused) -> None:
    steps = "steps: [{agent: codr, tuns: 8}, {tool: tests, uses: {c: 1}, tim: 5s}]"
    found = refused(steps + "\npools: {ci: {capacity: 1}}")
    assert sorted((one.code, one.message.split(" in ")[0]) for one in found) == [
        ("unknown-key", "unknown key `tim`"),
        ("unknown-key", "unknown key `tuns`"),
        ("unknown-name", "unknown agent `codr`"),
        ("unknown-name", "unknown pool `c`"),
    ]


def test_the_role_of_a_wrong_step_is_not_unknown(refused: Refused) -> None:
    text = """
    agents: {scout: {model: small, turns: 1, output: 10, prompt: 0}}
    steps: [{agent: scout, tuns: 8}, {agent: coder}]
    """
    (problem,) = refused(text, "tok100", "small=tok5")
    assert (problem.code, "`tuns`" in problem.message) == ("unknown-key", True)


def test_an_expression_that_fails_is_told_once_wherever_its_text_is_used(refused: Refused) -> None:
    text = """
    params: {n: 0}
    agents: {mine: {like: coder, turns: $(8 / n)}}
    steps:
      - {agent: mine}
      - {each: 2, do: [{agent: mine}, {tool: tets}]}
    """
    found = refused(text)
    assert [one.code for one in found] == ["expression-failed", "unknown-name"]


def test_a_file_without_a_fault_loads(graph: Load) -> None:
    assert len(graph(f"steps: [{OPENS}, {{agent: coder, session: implement}}]").root.steps) == 2
