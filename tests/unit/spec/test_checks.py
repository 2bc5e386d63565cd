"""What is refused or said before a run."""

from __future__ import annotations

import pytest

from tests.unit.spec.conftest import Load, Refused


def test_a_context_that_does_not_fit_names_step_need_limit_and_command(refused: Refused) -> None:
    """The `taalas` profile holds 6,144 tokens, less than 20k + 5k; `h200` and others hold more."""
    (problem,) = refused(
        "agents: {w: {turns: 1, output: 5, prompt: 20k}}\nsteps: [{agent: w, id: big, task: 5k}]",
        "taalas",
    )
    assert problem.code == "context-too-small"
    assert "`big` needs a context of more than 25,000 tokens" in problem.message
    assert "`taalas` holds 6,1" in problem.message
    assert "agentsim run w.yaml --hw " in problem.hint


def test_the_command_keeps_what_other_roles_are_bound_to(refused: Refused) -> None:
    (problem,) = refused(
        "steps: [{call: main, input: 5, output: 5}, {call: small, input: 20k, output: 5}]",
        "tok5",
        "small=taalas",
    )
    assert "--hw tok5 --hw small=" in problem.hint


def test_what_goes_on_in_a_session_may_have_been_cut(graph: Load) -> None:
    graph(
        "agents: {w: {turns: 1, output: 5, prompt: 6k}}\nsteps: [{agent: w, session: s, task: 1k}]",
        "taalas",
    )


def test_a_call_that_no_bucket_holds(refused: Refused) -> None:
    """`cerebras` grants 1M tokens of output and 3M in all; what is reserved counts in full."""
    problems = refused("steps: [{call: main, input: 0, output: 5, max_output: 4M}]")
    assert [problem.code for problem in problems] == ["never-fits", "never-fits"]


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ("[{wait: 1s, approves: 50%}]", ["nothing reads its verdict"]),
        ("[{wait: 1s, approves: 50%}, {wait: 1s, when: changes}]", []),
        ("[{wait: 1s, approves: 50%}, {wait: 1s}, {do: [{wait: 1s}], when: [changes]}]", []),
        ("[{loop: 3, do: [{wait: 1s, approves: 50%}]}]", []),
        ("[{loop: 3, do: [{wait: 1s, approves: 50%}, {wait: 1s, approves: 100%}]}]", ["nothing"]),
        ("[{loop: 3, do: [{parallel: [{wait: 1s, approves: 50%}, {wait: 2s}]}]}]", []),
        ("[{parallel: [{wait: 1s, approves: 50%}]}, {wait: 1s, when: changes}]", []),
        (
            "[{loop: 3, do: [{wait: 1s, approves: 100%}], between: [{wait: 1s, approves: 9%}]}]",
            ["not"],
        ),
        ("[{wait: 1s, approves: 100%}]", []),
        ("[{loop: 3, do: [{tool: t}]}]", ["never approve"]),
        ("[{loop: 1, do: [{tool: t}]}]", []),
        ("[{loop: 3, do: [{tool: t}, {wait: 1s, approves: 50%}]}]", []),
        ("[{loop: 3, do: [{tool: good}]}]", []),
        ("[{loop: 3, do: [{wait: 1s}]}]", []),
    ],
)
def test_verdicts_that_nothing_reads_and_loops_that_cannot_approve(
    graph: Load, steps: str, words: list[str]
) -> None:
    tools = "tools: {t: {time: 1s, fails: 100%}, good: {time: 1s, fails: 50%}}"
    notes = graph(f"{tools}\nsteps: {steps}").notes
    assert len(notes) == len(words)
    for note, word in zip(notes, words, strict=True):
        assert word in note


CALL = "{call: main, input: 1, output: 1"
IN_S = f"{CALL}, session: s"


@pytest.mark.parametrize(
    "steps",
    [
        f"[{{parallel: [{CALL}, session: s, id: a}}, {CALL}, session: s, id: b}}]}}]",
        f"[{{parallel: [{CALL}, id: s}}, {CALL}, session: s, id: b}}]}}]",
        f"[{{parallel: [{{do: [{CALL}, id: s}}]}}, {{loop: 2, do: [{IN_S}, id: b}}]}}]}}]",
        f"[{CALL}, id: s}}, {{each: 2, do: [{CALL}, session: s, id: b}}]}}]",
        f"[{CALL}, session: s}}, {{each: 2, do: [{{loop: 1, do: [{CALL}, session: s}}]}}]}}]",
        f"[{{loop: 2, do: [{{each: 2, do: [{CALL}, session: s, id: b}}]}}, {CALL}, id: s}}]}}]",
        f"[{CALL}, id: s}}, {IN_S}, id: a, needs: [s]}}, {IN_S}, id: b, needs: [s]}}]",
    ],
)
def test_two_steps_in_one_session_at_once(refused: Refused, steps: str) -> None:
    problems = refused(f"steps: {steps}", "tok100")
    assert {problem.code for problem in problems} == {"session-at-once"}


@pytest.mark.parametrize(
    "steps",
    [
        f"[{{parallel: [{CALL}, session: s, id: a}}, {CALL}, session: t, id: b}}]}}]",
        f"[{{each: 2, do: [{CALL}, session: s, id: b}}, {CALL}, session: s, id: c}}]}}]",
        f"[{CALL}, id: s}}, {{each: 2, limit: 1, do: [{CALL}, session: s, id: b}}]}}]",
        f"[{CALL}, id: s}}, {{each: 1, do: [{CALL}, session: s, id: b}}]}}]",
        f"[{{each: 2, do: [{CALL}, session: s, id: b}}]}}, {CALL}, session: s, id: c}}]",
        f"[{CALL}, id: s}}, {{parallel: [{IN_S}, id: b}}, {{each: 2, do: [{CALL}, id: s}}]}}]}}]",
    ],
)
def test_sessions_that_never_meet(graph: Load, steps: str) -> None:
    graph(f"steps: {steps}", "tok100")


def test_a_run_longer_than_the_engine_keeps_is_refused_before_it(refused: Refused) -> None:
    """10,000 x 1,000 waits, all certain; with a verdict the loop might end at once."""
    (problem,) = refused("steps: [{each: 10000, do: [{loop: 1000, do: [{wait: 1s}]}]}]")
    assert problem.code == "too-many-steps"


def test_a_loop_that_may_end_early_is_not_counted(graph: Load) -> None:
    graph("steps: [{each: 10000, do: [{loop: 1000, do: [{wait: 1s, approves: 50%}]}]}]")
