"""`agentsim compare`: what it asks for, what it writes, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.cli import exits
from tests.unit.cli.made import stand_in, typed

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch


def test_each_hw_is_a_machine_and_commas_bind_its_roles(
    capsys: Capture, monkeypatch: Patch
) -> None:  # fmt: skip
    asked = stand_in(monkeypatch)
    hw = ("--hw", "claude-opus, small=cerebras", "--hw", "h200")
    code, _, _ = typed(capsys, "compare", "a.yaml", "b.yaml", *hw, "--set", "x=1", "--seed", "3")
    assert code == exits.DONE
    assert asked.grid == (
        ("a.yaml", "b.yaml"),
        (("claude-opus", "small=cerebras"), ("h200",)),
        (),
        (("x", 1),),
    )
    assert asked.options["seed"] == 3


def test_without_hw_there_is_one_machine(capsys: Capture, monkeypatch: Patch) -> None:
    asked = stand_in(monkeypatch)
    typed(capsys, "compare", "a.yaml")
    assert asked.grid[1] == ((),)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("loops=0:3", (0, 1, 2, 3)),
        ("loops=0:6:3", (0, 3, 6)),
        ("loops=1,2,4", (1, 2, 4)),
        ("loops=5", (5,)),
    ],
)
def test_values_of_vary(
    capsys: Capture, monkeypatch: Patch, text: str, values: tuple[int, ...]
) -> None:
    asked = stand_in(monkeypatch)
    assert typed(capsys, "compare", "a.yaml", "--vary", text)[0] == exits.DONE
    assert asked.grid[2] == (("loops", values),)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Missing argument 'FILES...'"),
        (["a", "a"], "a is given twice"),
        (["a", "--hw", "x,s=y", "--hw", "x,s=y"], "x,s=y is given twice"),
        (["a", "--hw", "x,"], "a name is missing"),
        (["a", "--vary", "n"], "not of the form name=value"),
        (["a", "--vary", "n=1", "--vary", "n=2"], "--vary n is given twice"),
        (["a", "--vary", "n=1", "--set", "n=2"], "exclude each other"),
        (["a", "--vary", "n=1,2,1"], "--vary n=1,2,1 has 1 twice"),
        (["a", "--set", "n=1", "--set", "m=[", "--vary", "k=9:"], "2 problems"),
        (["a", "--vary", "n=3:1"], "never arrives"),
    ],
)
def test_bad_usage(
    capsys: Capture, monkeypatch: Patch, arguments: list[str], said: str
) -> None:  # fmt: skip
    stand_in(monkeypatch)
    code, out, err = typed(capsys, "compare", *arguments)
    assert (code, out) == (exits.USAGE, "")
    assert said in err


def test_help_tells_the_two_ways_of_hw_apart(capsys: Capture) -> None:
    code, out, _ = typed(capsys, "compare", "--help")
    assert code == exits.DONE
    assert "In `run` several --hw bind the roles of one machine" in out


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_every_form(capsys: Capture, monkeypatch: Patch, tmp_path: Path, form: str) -> None:
    stand_in(monkeypatch)
    _, shown, _ = typed(capsys, "compare", "a.yaml", "-f", form)
    target = tmp_path / "out"
    code, out, _ = typed(capsys, "compare", "a.yaml", "-f", form, "-o", str(target))
    assert (code, out) == (exits.DONE, "")
    assert target.read_text("utf-8").replace("\r\n", "\n") == shown.replace("\r\n", "\n")
    assert "best3" in shown


BUDGET = """agentsim: 1
steps: [{call: main, input: 0, output: 100}]
budget: {wall: 1ms}
"""


def test_a_missed_budget_is_no_gate(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "late.yaml"
    file.write_text(BUDGET, encoding="utf-8")
    code, out, _ = typed(capsys, "compare", str(file), "--hw", "tok5")
    assert code == exits.DONE
    assert "0 % no" in out


def test_the_answer_does_not_depend_on_the_processes(capsys: Capture) -> None:
    """Two machines, a quarter of a chunk each; and the file's own draws, by the other command."""
    compare = ("compare", "until-green", "--hw", "cerebras", "--hw", "tok100", "--runs", "30")
    one, two = (typed(capsys, *compare, "--json", "--jobs", jobs)[1] for jobs in ("1", "2"))
    assert one == two
    run = ("run", "until-green", "--hw", "tok100", "--runs", "30", "--quick", "--json")
    alone = json.loads(typed(capsys, *run)[1])
    assert json.loads(one)["machines"][1]["rows"][0]["answer"] == alone
