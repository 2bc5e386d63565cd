"""Every code is explained, none that nothing raises, and every example is what it says it is."""

from __future__ import annotations

import ast
import os
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import agentsim
from agentsim.cli.app import LATER, cli
from agentsim.cli.init import FIRST
from agentsim.errors import Problems
from agentsim.spec.arguments import spread
from agentsim.spec.explained import Example, Explanation, explanation, explanations
from agentsim.spec.explained import worth_explaining as worth

PACKAGE = Path(agentsim.__file__).parent
CODE = re.compile(r"[a-z]+(-[a-z]+)+")
# Calls that make a problem, or hand its code to one that does.
MAKERS = {"Problem", "Refused", "_note", "_stop", "_refused", "fault", "wrong"}
# Where a problem is made with a code that is written out somewhere else: by whoever calls it.
HANDS_ON = {
    ("importers/text.py", "bad"),
    ("importers/text.py", "stopped"),
    ("spec/arguments.py", "_refused"),
    ("spec/document.py", "_note"),
    ("spec/expressions.py", "_note"),
    ("spec/scope.py", "wrong"),
    ("spec/profile_parts.py", "wrong"),
    ("spec/values.py", "fault"),
}


def raised(source: str) -> tuple[set[str], set[str]]:
    """Codes that are written out, and the functions that make a problem with one that is not."""
    found: set[str] = set()
    handed: set[str] = set()

    def walk(node: ast.AST, around: str) -> None:
        for inner in ast.iter_child_nodes(node):
            match inner:
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args):
                    if name in MAKERS:
                        keywords = [it.value for it in inner.keywords if it.arg == "code"]
                        found.update(code for it in [*args[:1], *keywords] for code in written(it))
                    # `problem.code` is that of another problem, written out where that one was made
                    if name == "Problem" and isinstance(args[0], ast.Name):
                        handed.add(around)
                case ast.Assign(targets=[ast.Name(id="code")], value=value):
                    found.update(written(value))
            walk(inner, inner.name if isinstance(inner, ast.FunctionDef) else around)

    walk(ast.parse(source), "")
    return found, handed


def written(value: ast.expr) -> list[str]:
    """The codes of `"a-code"` and of `"a-code" if so else "another"`."""
    if isinstance(value, ast.IfExp):
        return written(value.body) + written(value.orelse)
    text = getattr(value, "value", None)
    return [text] if isinstance(text, str) and CODE.fullmatch(text) else []


def all_raised() -> tuple[set[str], set[tuple[str, str]]]:
    found, handed = {"bad-value"}, set()  # the default of `fault`
    for file in sorted(PACKAGE.rglob("*.py")):
        own, others = raised(file.read_text("utf-8"))
        found |= own
        handed |= {(file.relative_to(PACKAGE).as_posix(), around) for around in others}
    return found, handed


def test_reader_of_codes() -> None:
    text = """
def f():
    code = "no-kind" if x else "two-kinds"
    Problem(code, "m")
    Problem("bad-value", "a-b")
    self._note("too-deep", m)
    raise fault("m-n", code="not-yet")
"""
    assert raised(text) == (
        {"no-kind", "two-kinds", "bad-value", "too-deep", "m-n", "not-yet"},
        {"f"},
    )


def test_every_code_that_is_raised_is_explained_and_none_more() -> None:
    found, _ = all_raised()
    assert found - set(explanations()) == set(), "explain them in spec/explained/codes.yaml"
    assert set(explanations()) - found == set(), "nothing raises these"


def test_no_code_is_made_up_where_it_cannot_be_seen() -> None:
    _, handed = all_raised()
    assert handed - HANDS_ON == set()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as a reader of the examples has it: first.yaml, and a file that cannot be read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first.yaml").write_text(FIRST.format(file="first.yaml"), "utf-8")
    unreadable = tmp_path / "unreadable.yaml"
    unreadable.write_text("agentsim: 1\nsteps: []\n", "utf-8")
    unreadable.chmod(0)
    if os.access(unreadable, os.R_OK):  # an account that may read everything
        unreadable.unlink()
        unreadable.symlink_to("/proc/self/mem")  # a regular file that gives no bytes
    return tmp_path


def codes(example: Example, it: Explanation, folder: Path) -> list[str]:
    """The codes that the example's command ends with; none where it is accepted."""
    for name, shown in example.files.items():
        text = shown
        for mark, long in it.fill.items():
            text = text.replace(mark, long)
        (folder / name).write_text(text, "utf-8")
    if example.run.startswith("--vary "):
        try:
            assert spread(example.run.partition("=")[2])
        except Problems as fault:
            return [problem.code for problem in fault.problems]
        return []
    program, *words = shlex.split(example.run)
    assert program == "agentsim"
    if words[0] in LATER:
        pytest.skip(f"the command {words[0]} comes with a later version")
    done = CliRunner().invoke(cli, words)
    assert done.exit_code in (0, 2), done.output
    told = re.findall(r"\[([a-z-]+)\]$", done.stderr, re.MULTILINE)
    assert bool(told) == (done.exit_code == 2), done.output
    return told


@pytest.mark.parametrize("code", explanations())
def test_the_examples_are_wrong_and_right(code: str, folder: Path) -> None:
    it = explanation(code)
    if code == "file-unreadable" and not (folder / "unreadable.yaml").exists():
        pytest.skip("no file here that cannot be read")
    assert codes(it.wrong, it, folder) == [code]
    assert codes(it.right, it, folder) == []


@pytest.mark.parametrize("code", explanations())
def test_explanations_are_short(code: str) -> None:
    it = explanation(code)
    assert re.fullmatch(r"[A-Z-].*\.", it.means)
    assert len(it.means) < 100
    assert it.why.endswith(".")
    assert 40 < len(it.why) < 400
    for example in (it.wrong, it.right):
        for text in example.files.values():
            assert len(text.splitlines()) <= 9
            assert all(len(row) <= 100 for row in text.splitlines())


def test_an_unknown_code_names_the_nearest() -> None:
    with pytest.raises(Problems) as caught:
        explanation("unknwon-key")
    (problem,) = caught.value.problems
    assert (problem.code, problem.hint) == ("unknown-name", "did you mean `unknown-key`?")
    with pytest.raises(Problems) as caught:
        explanation("qqq")
    assert caught.value.problems[0].hint == "`agentsim explain` lists them all"


def test_what_is_worth_looking_up() -> None:
    assert worth(["file-missing", "bad-value", "unknown-key"]) == "bad-value"
    assert worth(["file-missing", "made-up"]) == ""
