"""What is refused or said before a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.graph import Agent, Block, Call, Fork, Loop, walk
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


def test_what_goes_on_in_a_session_may_have_been_cut(graph: Load, refused: Refused) -> None:
    """6k + 1k are more than the 6,144 tokens of `taalas`, but not where a session was cut."""
    text = "agents: {w: {turns: 1, output: 5, prompt: 6k}}\nsteps: [{agent: w, task: 1k%s}]"
    (step,) = graph(text % ", session: s", "taalas").root.steps
    assert isinstance(step, Agent)
    assert step.session == "s"
    assert [problem.code for problem in refused(text % "", "taalas")] == ["context-too-small"]


BOX = "agentsim: 1\ndecode: {rate: 100 tok/s}\nmax_output: 4k\ncontext: 100k\n"


@pytest.mark.parametrize(
    ("limits", "step", "problems"),
    [
        # reserved are 4,000, the longest answer; less where the call itself says so
        ("{count: output, bucket: 3k, refill: 1/s, reserve: max_output}", "output: 5", 1),
        ("{count: total, bucket: 3k, refill: 1/s, reserve: max_output}", "output: 5", 1),
        (
            "{count: output, bucket: 3k, refill: 1/s, reserve: max_output}",
            "output: 5, max_output: 3k",
            0,
        ),
        # more than the model gives is not reserved either: 4,000 fit into 4,000
        (
            "{count: output, bucket: 4k, refill: 1/s, reserve: max_output}",
            "output: 5, max_output: 8k",
            0,
        ),
        # 2,000 new tokens are in no cache, the prompt of 5,000 may be
        ("{count: uncached_input, bucket: 1999, refill: 1/s}", "output: 5", 1),
        ("{count: uncached_input, bucket: 2000, refill: 1/s}", "output: 5, prompt: {p: 5k}", 0),
        ("{count: input, bucket: 6999, refill: 1/s}", "output: 5, prompt: {p: 5k}", 1),
    ],
)
def test_a_call_that_no_bucket_holds(
    graph: Load, refused: Refused, tmp_path: Path, limits: str, step: str, problems: int
) -> None:
    box = tmp_path / "box.yaml"
    box.write_text(f"{BOX}cache: {{kind: ttl, ttl: 1h}}\nlimits: [{limits}]\n")
    text = f"steps: [{{call: main, input: 2k, {step}}}]"
    if not problems:
        graph(text, str(box))
        return
    assert [problem.code for problem in refused(text, str(box))] == ["never-fits"]


def test_without_a_cache_the_whole_input_is_uncached(refused: Refused, tmp_path: Path) -> None:
    box = tmp_path / "box.yaml"
    box.write_text(f"{BOX}limits: [{{count: uncached_input, bucket: 6999, refill: 1/s}}]\n")
    (problem,) = refused("steps: [{call: main, input: 2k, output: 5, prompt: {p: 5k}}]", str(box))
    assert "takes 7,000 tokens of uncached_input" in problem.message
    assert "holds 6,999" in problem.message


def test_a_longer_answer_than_the_model_gives_is_cut_and_that_is_said(graph: Load) -> None:
    """`cerebras` gives 32,768 tokens at most (its profile)."""
    text = "steps: [{call: main, input: 1, output: 5, max_output: 64k}]"
    (note,) = graph(text).notes
    assert "64,000" in note
    assert "32,768" in note
    assert graph(text.replace("64k", "32768")).notes == ()


@pytest.mark.parametrize(
    ("steps", "who"),
    [
        ("[]", "the workflow (line 2)"),
        ("[{wait: 1s}, {do: [], id: g}]", "g (line 2)"),
        ("[{loop: 2, do: [], id: l}]", "l (line 2)"),
        ("[{loop: 2, do: [{wait: 1s}], between: [], id: l}]", "l (line 2)"),
        ("[{parallel: [], id: p}]", "p (line 2)"),
        ("[{choose: [], id: c}]", "c (line 2)"),
        ("[{each: 3, do: [], id: e}]", "e (line 2)"),
        ("[{each: 0, do: [{wait: 1s}]}, {loop: 0, do: [{wait: 1s}]}]", ""),
    ],
)
def test_an_empty_list_of_steps_is_told(graph: Load, steps: str, who: str) -> None:
    """It takes no time, which is right (case D3) and hardly meant."""
    notes = [it for it in graph(f"steps: {steps}").notes if " holds an empty" in it]
    assert [note.split(" holds an empty")[0] for note in notes] == ([who] if who else [])


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ("[{wait: 1s, approves: 50%}]", ["nothing reads its verdict"]),
        # the reviewer's verdict hides that the tests failed, so the loop may end all the same
        (
            "[{loop: 3, do: [{tool: good, or: go on}, {wait: 1s, approves: 50%}]}]",
            ["gives its own verdict before anything reads `failed`"],
        ),
        ("[{loop: 3, do: [{tool: good}, {wait: 1s, approves: 50%}]}]", []),
        (
            "[{loop: 2, do: [{tool: good, or: go on}, {wait: 1s, when: failed},"
            " {wait: 1s, approves: 50%}]}]",
            [],
        ),
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
    both = {"t": "{time: 1s, fails: 100%}", "good": "{time: 1s, fails: 50%}"}
    tools = ", ".join(f"{name}: {one}" for name, one in both.items() if f"tool: {name}" in steps)
    notes = graph(f"tools: {{{tools}}}\nsteps: {steps}").notes
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
    """They load, and it is their sessions that they load with: two that meet would be refused."""
    loaded = graph(f"steps: {steps}", "tok100")
    calls = [node for node in walk(loaded.root) if isinstance(node, Call)]
    assert len(calls) >= 2
    assert {node.session for node in calls} & {"s", "t"}


def test_a_run_longer_than_the_engine_keeps_is_refused_before_it(refused: Refused) -> None:
    """10,000 x 1,000 waits, all certain; with a verdict the loop might end at once."""
    (problem,) = refused("steps: [{each: 10000, do: [{loop: 1000, do: [{wait: 1s}]}]}]")
    assert problem.code == "too-many-steps"


def test_a_loop_that_may_end_early_is_not_counted(graph: Load) -> None:
    (fork,) = graph(
        "steps: [{each: 10000, do: [{loop: 1000, do: [{wait: 1s, approves: 50%}]}]}]"
    ).root.steps
    assert isinstance(fork, Fork)
    (body,) = fork.branches
    assert isinstance(body, Block)
    (loop,) = body.steps
    assert isinstance(loop, Loop)
    assert (fork.items, loop.rounds) == (10_000, 1_000)


def test_a_chance_to_fail_that_changes_nothing_is_told(graph: Load) -> None:
    """An agent goes on after a run that failed; in a step, or with a retry, it counts."""
    agent = "agents: {a: {turns: 2, output: 5, prompt: 0, tools: {lint: 100%}}}\n"
    tool = "tools: {lint: {time: 5s, fails: 10%}}\n"
    (note,) = (it for it in graph(f"{tool}{agent}steps: [{{agent: a}}]").notes if "fails" in it)
    assert note.startswith("lint (line 2): its `fails` changes nothing")
    tried = tool.replace("10%", "10%, retry: 1")
    for text in (
        f"{tried}{agent}steps: [{{agent: a}}]",
        f"{tool}{agent}steps: [{{agent: a}}, {{tool: lint}}]",
    ):
        assert not [it for it in graph(text).notes if "changes nothing" in it]
