"""Every error says what to do: by a hint, or by an example of what is right in its message."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import agentsim
from agentsim.cli.app import LATER, cli
from agentsim.cli.init import FIRST
from agentsim.errors import Problem, Problems
from agentsim.spec.arguments import spread
from agentsim.spec.explained import explanation, explanations
from tests.unit.spec.conftest import Load, Refused
from tests.unit.spec.test_cases import INVALID, named, problems_of

PACKAGE = Path(agentsim.__file__).parent
HELPS = re.compile(r"such as|did you mean")


def is_mended(problem: Problem) -> bool:
    return bool(problem.hint) or bool(HELPS.search(problem.message))


@pytest.mark.parametrize("path", INVALID, ids=named)
def test_every_problem_of_a_file(path: Path, tmp_path: Path) -> None:
    assert [str(it) for it in problems_of(path, tmp_path) if not is_mended(it)] == []


@pytest.mark.parametrize("code", explanations())
def test_every_code(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrong example of `explain`, as whoever types it sees it: each line of a problem has
    a hint below it."""
    it = explanation(code)
    if it.wrong.run.startswith("--vary "):
        with pytest.raises(Problems) as caught:
            spread(it.wrong.run.partition("=")[2])
        assert all(map(is_mended, caught.value.problems))
        return
    words = it.wrong.run.split()
    if words[1] in LATER:
        pytest.skip(f"the command {words[1]} comes with a later version")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first.yaml").write_text(FIRST.format(file="first.yaml"), "utf-8")
    (tmp_path / "unreadable.yaml").symlink_to("/proc/self/mem")  # a file that gives no bytes
    for name, text in it.wrong.files.items():
        whole = text
        for mark, long in it.fill.items():
            whole = whole.replace(mark, long)
        (tmp_path / name).write_text(whole, "utf-8")
    done = CliRunner().invoke(cli, words[1:])
    assert done.exit_code == 2, done.output
    assert f"[{code}]" in done.stderr
    assert "hint: " in done.stderr or HELPS.search(done.stderr), done.stderr


# Calls that make a problem -> how many arguments it has with its hint.
MAKERS = {"Problem": 4, "wrong": None, "_refused": 4, "_bad": 3, "_stop": 4}
# Functions that hand on the hint of another one, or that a reader gives the example of its field.
HAND_ON = {("spec/quantity.py", "_one"), ("spec/quantity.py", "_made")}


def bare(source: str) -> list[tuple[str, str]]:
    """(function, call) where a problem is made without a hint, in a function without an example."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        text = ast.get_source_segment(source, function) or ""
        for call in ast.walk(function):
            if not isinstance(call, ast.Call):
                continue
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            most = MAKERS.get(name)
            if name not in MAKERS or not call.args or any(it.arg == "hint" for it in call.keywords):
                continue
            if (most is not None and len(call.args) >= most) or HELPS.search(text):
                continue
            found.append((function.name, ast.unparse(call)))
    return found


def test_the_reader_of_calls() -> None:
    assert bare('def f():\n    Problem("a-b", "m", p)\n') == [("f", "Problem('a-b', 'm', p)")]
    assert bare('def f():\n    Problem("a-b", "m", p, "h")\n    self._bad(p, "m", "h")\n') == []
    assert bare('def f():\n    scope.wrong("m", "key")\n') == [("f", "scope.wrong('m', 'key')")]
    assert bare('def f():\n    x.wrong("m", "k", hint="h")\n    Problem("a", "such as", p)\n') == []


def test_nothing_makes_a_problem_without_a_hint() -> None:
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        where = file.relative_to(PACKAGE).as_posix()
        found += [
            f"{where}: {name}: {call}"
            for name, call in bare(file.read_text("utf-8"))
            if (where, name) not in HAND_ON
        ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        # who an agent asks, where they are named: in a step, a definition, what that is like
        (
            "steps:\n- agent: coder\n  asks: {who: anna, chance: 1%, time: 1s}",
            (4, 15),
            "known people: teammate, you; or define it under `people:`",
        ),
        (
            "agents:\n  a: {like: coder, asks: {who: yuo, chance: 0%, time: 1s}}\n"
            "  b: {like: a}\nsteps: [{agent: b}]",
            (3, 32),
            "did you mean `you`? Or define it under `people:`",
        ),
        # and the pools, tools and marks of definitions
        (
            "tools:\n  t: {time: 1s, uses: {cl: 1}}\nsteps: [{tool: t}]",
            (3, 24),
            "define it under `pools:`",
        ),
        (
            "tools:\n  t: {time: 1s}\nsteps:\n- {tool: t, uses: {cl: 1}}",
            (5, 20),
            "define it under `pools:`",
        ),
        (
            "steps:\n- {agent: coder, tools: {shall: 10%}}",
            (3, 26),
            "did you mean `shell`? Or define it under `tools:`",
        ),
    ],
)
def test_a_name_is_wrong_where_it_stands(
    refused: Refused, text: str, place: tuple[int, int], hint: str
) -> None:
    (problem,) = refused(text)
    assert problem.place is not None
    assert (problem.place.line, problem.place.column) == place
    assert problem.hint == hint


TRIES = "steps:\n- attempts: 3\n  do:\n  - {agent: coder}\n"
TESTS = "  - {tool: tests, fails: 10%}\n"
WHEN = "- {wait: 1s, when: failed}"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            f"{TRIES}{TESTS}  pick: first\n{WHEN}",
            "attempts never fail, and where each of them did they leave no verdict: add "
            "`or: go on` to `attempts.tests` (line 6), so that the picked one hands on `failed`",
        ),
        (
            f"{TRIES}  pick: first\n{WHEN}",
            "attempts never fail, and where each of them did they leave no verdict: end their `do` "
            "with a tool that `fails:`, with `or: go on`",
        ),
        (
            f"queues: {{trunk: {{ci: 1m}}}}\nsteps:\n- {{merge: trunk, conflict: 9%}}\n{WHEN}",
            "a step that fails ends its list: add `or: go on` to `trunk` (line 4)",
        ),
    ],
)
def test_a_failure_that_is_never_heard(refused: Refused, text: str, hint: str) -> None:
    (problem,) = refused(text)
    assert (problem.code, problem.hint) == ("never-runs", hint)


@pytest.mark.parametrize(
    "text",
    [
        f"{TRIES}{TESTS[:-2]}, or: go on}}\n  pick: first\n{WHEN}",  # as the hint has it
        f"{TRIES}  pick: {{agent: reviewer}}\n  or: go on\n{WHEN}",  # who picks may fail
    ],
)
def test_a_failure_that_is_heard(graph: Load, text: str) -> None:
    graph(text)
