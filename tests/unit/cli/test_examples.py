"""Every example of every help, typed as it stands there, in a folder with the files it names."""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from agentsim.cli import app, exits
from tests.unit.cli.made import typed

FEW = {
    "run": ["--runs", "2", "--quick"],
    "compare": ["--runs", "2"],
    "sweep": ["--runs", "2"],
}
"""What is added so that an example takes seconds: the figures are not looked at here."""


def commands() -> Iterator[click.Command]:
    yield app.cli
    for module, attribute, _ in app.COMMANDS.values():
        command = getattr(importlib.import_module(module), attribute)
        yield command
        if isinstance(command, click.Group):
            yield from command.commands.values()


def examples_of(epilog: str) -> list[list[str]]:
    """The arguments of each line `agentsim ...`; beside some stands, after blanks, what it does."""
    lines = [line.strip() for line in epilog.splitlines()]
    typed = [line.split("  ")[0].split(" > ")[0] for line in lines if line.startswith("agentsim ")]
    return [shlex.split(line)[1:] for line in typed]


MEASURED = {
    "bench.md": "| model | test | t/s |\n|---|---|---|\n| gpt-oss-120b | pp512 | 1700 ± 9 |\n"
    "| gpt-oss-120b | tg32 | 85 ± 1 |\n",
    "batched.jsonl": '{"pp": 128, "tg": 32, "pl": 2, "speed_pp": 1700, "speed_tg": 119}\n',
}
"""What an example of `hw fit` reads."""

EXAMPLES = [own for command in commands() for own in examples_of(command.epilog or "")]


def test_examples_are_read_off() -> None:
    epilog = "\b\nExamples:\n  agentsim a b.yaml > c.yaml\n  agentsim d 'e f'  what it does\n"
    assert examples_of(epilog) == [["a", "b.yaml"], ["d", "e f"]]
    assert {own[0] for own in EXAMPLES} == set(app.COMMANDS)


@pytest.mark.parametrize("arguments", EXAMPLES, ids=" ".join)
def test_an_example_of_a_help_does_what_it_says(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if arguments[0] != "init":
        assert typed(capsys, "init", "first.yaml")[0] == 0
        assert typed(capsys, "init", "--hw", "my-box.yaml")[0] == 0
        for name, text in MEASURED.items():
            (tmp_path / name).write_text(text, "utf-8")
    code, out, err = typed(capsys, *arguments, *FEW.get(arguments[0], []))
    assert code in {exits.DONE, exits.MISSED}, err
    if "-o" in arguments:
        assert (tmp_path / arguments[arguments.index("-o") + 1]).stat().st_size
    else:
        assert out or err
