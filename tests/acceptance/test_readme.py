"""The README holds what is true: its commands run, its file and its answers are the real ones."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(match[1], match[2]) for match in FENCE.finditer(README)]
QUICK = {"run": ["--runs", "20", "--no-sensitivity"], "sweep": ["--runs", "20"]}


def _commands() -> list[str]:
    """The lines `agentsim ...` and `$ agentsim ...` of fenced blocks, without their comments."""
    lines = [line for _, text in BLOCKS for line in text.splitlines()]
    found = [re.fullmatch(r"(?:\$ )?(agentsim .*?)(?:\s+#.*)?", line) for line in lines]
    return list(dict.fromkeys(match[1] for match in found if match))


def _answers() -> dict[str, str]:
    """Command -> the first line of the answer that is pasted below it."""
    pasted = [text.splitlines() for _, text in BLOCKS if text.startswith("$ agentsim ")]
    return {lines[0].removeprefix("$ "): lines[1] for lines in pasted}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the README names, for commands that write beside them."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("hardware", "workflows"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def _run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    _, name, *rest = shlex.split(command)
    if name == "validate" and not (folder / rest[0]).exists():
        _run(f"agentsim init {rest[0]}", folder)  # the README makes the file in the line above
    # -c with the entry point: what the installed command does, whatever stands on the path.
    start = "import sys; from agentsim.cli import main; sys.argv[0] = 'agentsim'; sys.exit(main())"
    words = [sys.executable, "-c", start, name, *rest, *QUICK.get(name, [])]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_the_readme_has_commands_and_answers() -> None:
    kinds = {command.split()[1] for command in _commands()}
    assert kinds >= {"run", "sweep", "validate", "hw", "init"}
    assert [command.split()[1] for command in _answers()] == ["run", "sweep"]


@pytest.mark.parametrize("command", _commands())
def test_every_command_of_the_readme_runs(command: str, tmp_path: Path, clone: Path) -> None:
    folder = clone
    if " init " in command:  # it refuses to write over a file that another test has made
        folder = tmp_path
    done = _run(command, folder)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert not (done.returncode == 1 and command.split()[1] in ("hw", "init", "validate"))


@pytest.mark.parametrize(("command", "pasted"), _answers().items())
def test_the_pasted_answer_begins_as_the_real_one(command: str, pasted: str, clone: Path) -> None:
    assert _run(command, clone).stdout.splitlines()[0] == pasted


def test_the_ten_lines_are_those_of_the_file() -> None:
    shown = next(text for language, text in BLOCKS if language == "yaml")
    assert shown == (ROOT / "workflows" / "first.yaml").read_text(encoding="utf-8")
    assert len([line for line in shown.splitlines() if not line.startswith("#")]) == 10


@pytest.mark.parametrize("kind", ["hardware", "workflows"])
def test_the_tables_name_all_that_ships(kind: str) -> None:
    header = {"hardware": "| profile |", "workflows": "| workflow |"}[kind]
    table = README[README.index(header) :].split("\n\n")[0]
    named = re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
    assert sorted(named) == sorted(file.stem for file in (ROOT / kind).glob("*.yaml"))


def test_every_link_leads_to_a_file() -> None:
    targets = re.findall(r"\]\(([^)#]+)", README)
    assert targets
    assert [name for name in targets if "://" not in name and not (ROOT / name).is_file()] == []
