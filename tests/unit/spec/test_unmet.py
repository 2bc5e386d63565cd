"""Steps that ask for what nothing before them gives: verdicts, sessions, lines to read.

What is refused would never run in the engine (`Frame.run` skips a step whose `when` does not hold
the last verdict), and what loads may run under some param.
"""

from __future__ import annotations

import pytest

from tests.unit.spec.conftest import Load, Refused

TOOLS = "tools: {t: {time: 1s, fails: 50%}, calm: {time: 1s}}\n"
REVIEW = "{wait: 1s, approves: 50%}"
CALL = "{call: main, input: 1, output: 1"


def when(verdict: str) -> str:
    return f"{{wait: 1s, id: late, when: {verdict}}}"


@pytest.mark.parametrize(
    "steps",
    [
        f"[{when('changes')}]",
        f"[{{wait: 1s}}, {when('approved')}]",
        f"[{REVIEW}, {when('failed')}]",
        f"[{REVIEW}, {when('rejected')}]",
        f"[{{person: you, time: 1m, approves: 50%, rejects: 50%}}, {when('rejected')}]",
        f"[{{tool: t}}, {when('[failed, changes]')}]",  # the list ends where it fails
        f"[{{tool: calm, or: go on}}, {when('failed')}]",  # this one never fails
        f"[{REVIEW}, {{tool: t}}, {when('changes')}]",  # the tool's verdict hides the review's
        f"[{{parallel: [{REVIEW}, {when('changes')}]}}]",
        f"[{{loop: 3, do: [{{tool: t}}]}}, {when('failed')}]",  # a loop that runs out fails
        f"[{{loop: 3, or: fail, do: [{REVIEW}]}}, {when('changes')}]",
        f"[{{each: 2, do: [{{wait: 1s}}]}}, {when('approved')}]",
        f"[{REVIEW[:-1]}, id: r}}, {{wait: 1s, id: a, needs: []}}, "
        f"{{wait: 1s, id: late, needs: [a], when: changes}}]",
        f"[{REVIEW}, {{do: [{when('approved')}], when: changes}}]",
    ],
)
def test_a_when_that_nothing_before_it_can_meet(refused: Refused, steps: str) -> None:
    (problem,) = refused(f"{TOOLS}steps: {steps}")
    assert problem.code == "never-runs"
    assert "late` never runs" in problem.message
    assert problem.hint
    assert problem.place is not None
    assert problem.place.line == 3


@pytest.mark.parametrize(
    "steps",
    [
        f"[{REVIEW}, {when('changes')}]",
        f"[{{wait: 1s, approves: 100%}}, {when('changes')}]",  # a param may say less (case E02)
        f"[{{tool: t}}, {when('approved')}]",
        f"[{{tool: t, or: go on}}, {when('failed')}]",
        f"[{{tool: calm, timeout: 1s, or: go on}}, {when('failed')}]",
        f"[{{do: [{{tool: t}}], or: go on}}, {when('failed')}]",
        f"[{CALL}, or: go on}}, {when('failed')}]",  # its context may be full
        f"[{REVIEW}, {{wait: 1s}}, {{do: [{when('changes')}]}}]",
        f"[{{do: [{{wait: 1s}}, {REVIEW}]}}, {{wait: 1s}}, {when('changes')}]",
        f"[{{loop: 2, do: [{when('changes')}, {REVIEW}]}}]",  # from the second round on
        f"[{{loop: 2, do: [{{tool: t}}], between: [{when('failed')}]}}]",
        f"[{{loop: 2, or: go on, do: [{{tool: t}}]}}, {when('failed')}]",
        f"[{{loop: 2, do: [{REVIEW}]}}, {when('changes')}]",
        f"[{{parallel: [{REVIEW}, {{wait: 1s}}]}}, {when('changes')}]",
        f"[{{each: 2, do: [{REVIEW}]}}, {when('changes')}]",
        f"[{{each: [], do: [{{wait: $(item), approves: 50%}}]}}, {when('changes')}]",
        f"[{REVIEW}, {{each: 2, do: [{when('changes')}]}}]",
        f"[{{do: [{when('changes')}, {REVIEW}, {{tool: t}}], retry: 1}}]",
        f"[{{wait: 1s, id: a, needs: []}}, {REVIEW[:-1]}, id: r}}, "
        f"{{wait: 1s, id: late, needs: [r], when: changes}}]",
        f"[{REVIEW}, {when('[failed, changes]')}]",
        f"[{when('no')}]",
    ],
)
def test_a_when_that_may_be_met(graph: Load, steps: str) -> None:
    graph(f"{TOOLS}steps: {steps}")


@pytest.mark.parametrize(
    ("steps", "code", "hint"),
    [
        (f"[{CALL}, id: implement}}, {CALL}, session: implment}}]", "unknown-name", "`implement`"),
        (f"[{CALL}, session: chat}}, {CALL}, session: chta}}]", "unknown-name", "`chat`"),
        (
            f"[{CALL}, id: coder}}, "
            f"{{loop: 3, do: [{REVIEW}], between: [{CALL}, session: codr}}]}}]",
            "unknown-name",
            "`coder`",
        ),
        (f"[{CALL}, session: b}}, {CALL}, id: b}}]", "not-open", "comes later"),
        (f"[{{each: 2, do: [{CALL}, id: b}}]}}, {CALL}, session: b}}]", "not-open", "item"),
    ],
)
def test_a_session_of_nobody(refused: Refused, steps: str, code: str, hint: str) -> None:
    (problem, *_) = refused(f"steps: {steps}", "tok100")
    assert problem.code == code
    assert hint in problem.hint


@pytest.mark.parametrize(
    ("steps", "notes"),
    [
        (f"[{CALL}, id: a}}, {CALL}, session: a}}]", 0),
        (f"[{CALL}, session: s}}, {CALL}, session: s}}]", 0),  # the first to use it opens it
        (f"[{{loop: 2, do: [{CALL}, session: own}}]}}]", 0),  # goes on in it round by round
        (f"[{{do: [{CALL}, session: own}}], retry: 1}}]", 0),
        (f"[{CALL}, id: a}}, {{each: 2, limit: 1, do: [{CALL}, session: a}}]}}]", 0),
        (f"[{{parallel: [{CALL}, id: a}}]}}, {CALL}, session: a}}]", 0),
        (f"[{{each: [x, y], do: [{CALL}, session: $(item)}}]}}]", 0),
        # the writer's session was meant; that of another is not gone on in
        (f"[{CALL}, id: a}}, {{loop: 2, do: [{REVIEW}], between: [{CALL}, session: w}}]}}]", 1),
        (f"[{CALL}, id: w}}, {{loop: 2, do: [{REVIEW}], between: [{CALL}, session: w}}]}}]", 0),
        (f"[{CALL}, session: quite-alone}}]", 1),
    ],
)
def test_a_session_that_is_somebodys(graph: Load, steps: str, notes: int) -> None:
    found = graph(f"steps: {steps}", "tok100").notes
    assert len(found) == notes
    assert all("no other step is in the session" in note for note in found)


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ("[{agent: w}, {agent: r, reads: changes}]", ""),
        ("[{agent: r}, {agent: r, id: late, reads: changes}]", "nothing before it writes"),
        ("[{agent: r, id: late, reads: changes}, {agent: w}]", "nothing before it writes"),
        ("[{loop: 2, do: [{agent: r, reads: changes}], between: [{agent: w}]}]", ""),
        ("[{person: you, time: 1m, writes: 5 loc}, {agent: r, reads: changes}]", ""),
        ("[{parallel: [{agent: w}, {agent: r, reads: changes}]}]", ""),
        ("[{agent: w}, {each: 2, do: [{agent: r, id: late, reads: changes}]}]", "in its item"),
        ("[{each: 2, do: [{agent: w}]}, {agent: r, reads: changes}]", ""),
        ("[{each: 2, do: [{agent: w}, {agent: r, reads: changes}]}]", ""),
    ],
)
def test_changes_that_nobody_wrote(graph: Load, steps: str, told: str) -> None:
    """Lines count within their item (`Task.unread`), so what stands outside is not read there."""
    agents = "agents: {r: {turns: 1, output: 5, prompt: 0}, w: {like: r, writes: 9 loc}}\n"
    notes = [note for note in graph(f"{agents}steps: {steps}", "tok100").notes if "reads" in note]
    assert len(notes) == bool(told)
    assert all(told in note and "late (line 3): " in note for note in notes)
