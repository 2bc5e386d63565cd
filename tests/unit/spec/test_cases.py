"""Files in tests/cases: valid ones are run, invalid ones refused with their code at their place.

Dropping a file there is writing a test. What it must come to stands in comments at its top:

    # expect: code line:column     invalid: a problem that it has; it has no other (0:0: an option)
    # answer: path = value         valid: a figure of --json; also >= and <=
    # hardware: {decode: ...}      the profile that it runs on, else `cerebras`
    # options: --hw small=tok5     more of --hw, --set and --rates
    # profile                      the file is a hardware profile itself
"""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentsim.cli.request import source
from agentsim.errors import Problem, Problems
from agentsim.experiment import Options, answer
from agentsim.report import json_
from agentsim.spec import Source, load
from agentsim.spec.definitions import MODELS
from agentsim.spec.explained import explanations
from agentsim.spec.hardware import load_profile
from agentsim.spec.steps import KINDS

CASES = Path(__file__).resolve().parents[2] / "cases"
VALID = sorted((CASES / "valid").glob("*.yaml"))
INVALID = sorted((CASES / "invalid").glob("*.yaml"))
EXPECT = re.compile(r"^# expect: (\S+) (\d+):(\d+)$", re.MULTILINE)
ANSWER = re.compile(r"^# answer: (\S+) (=|>=|<=) (.+)$", re.MULTILINE)
RUNS = 20

# Codes that a file need not have: those of the command line, or of a file that is none.
# tests/unit/spec/test_explained.py has a case of each of them.
NO_FILE = {
    "bad-encoding", "bad-range", "cannot-go-on", "cannot-write", "fallback-circle", "file-exists",
    "file-too-large", "file-unreadable", "too-many-aliases", "too-many-variants", "two-machines",
    "two-quotas",
}  # fmt: skip


def named(path: Path) -> str:
    return path.stem


def given(text: str, what: str) -> str:
    """What stands behind `# what:` at the top of a file."""
    found = re.search(rf"^# {what}: (.+)$", text, re.MULTILINE)
    return found[1] if found else ""


def asked(path: Path, folder: Path) -> Source:
    """The file on its hardware, with its options."""
    text = text_of(path)
    bound: list[str] = []
    rates: list[str] = []
    sets: list[tuple[str, str]] = []
    words = shlex.split(given(text, "options"))
    for option, value in zip(words[::2], words[1::2], strict=True):
        if option == "--set":
            name, _, written = value.partition("=")
            sets.append((name, written))
        else:
            {"--hw": bound, "--rates": rates}[option].append(value)
    if profile := given(text, "hardware"):
        box = folder / "box.yaml"
        box.write_text(yaml.safe_dump({"agentsim": 1, **yaml.safe_load(profile)}), "utf-8")
        bound.append(str(box))
    elif not any(option == "--hw" for option in words):
        bound.append("cerebras")
    return source(str(path), tuple(bound), tuple(sets), tuple(rates))


def look(found: Any, path: str) -> Any:
    """The figure at `steps/a.b/time/mean`."""
    for part in path.split("/"):
        found = found[int(part)] if isinstance(found, list) else found[part]
    return found


@pytest.mark.parametrize("path", VALID, ids=named)
def test_a_valid_file_answers(path: Path, tmp_path: Path) -> None:
    wanted = ANSWER.findall(path.read_text("utf-8"))
    assert wanted, "the file does not say what it must come to"
    quick = Options(runs=RUNS, levers=False, sensitivity=False)
    found = json_.answer(answer(asked(path, tmp_path), quick))
    for where, sign, text in wanted:
        figure, value = look(found, where), json.loads(text)
        match sign:
            case "=" if isinstance(value, str):
                assert figure == value, where
            case "=":
                assert figure == pytest.approx(value, rel=1e-9, abs=1e-9), where
            case ">=":
                assert figure >= value, where
            case _:
                assert figure <= value, where


def problems_of(path: Path, folder: Path) -> tuple[Problem, ...]:
    try:
        if text_of(path).startswith("# profile\n"):
            load_profile(str(path))
        else:
            load(asked(path, folder))
    except Problems as fault:
        return fault.problems
    pytest.fail("it is accepted")


@pytest.mark.parametrize("path", INVALID, ids=named)
def test_an_invalid_file_is_refused_at_its_place(path: Path, tmp_path: Path) -> None:
    wanted = EXPECT.findall(text_of(path))
    assert wanted, "the file does not say what to expect"
    problems = problems_of(path, tmp_path)
    places = [(problem.code, problem.place) for problem in problems]
    found = [(code, str(at.line), str(at.column)) for code, at in places if at is not None]
    assert sorted(found) == sorted(wanted), "\n".join(map(str, problems))
    assert {at.file for _, at in places if at is not None and at.line} <= {str(path)}


@cache
def kinds_and_sections() -> set[str]:
    """Every key that the valid files hold, at any depth."""

    def keys(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    files = [yaml.load(path.read_text("utf-8"), yaml.BaseLoader) for path in VALID]
    return set().union(*map(keys, files))


def test_every_kind_of_step_and_definition_is_in_a_valid_file() -> None:
    fields = {field.alias or name for kind in MODELS for name, field in fields_of(MODELS[kind])}
    own = {field.alias or name for kind in KINDS for name, field in fields_of(KINDS[kind].model)}
    wanted = {*KINDS, *MODELS, *fields, *own} - {"skim"}
    assert wanted - kinds_and_sections() == set(), "drop a file into tests/cases/valid"


def fields_of(model: Any) -> Any:
    return model.model_fields.items()


def test_every_code_is_in_an_invalid_file() -> None:
    found = {code for path in INVALID for code, _, _ in EXPECT.findall(text_of(path))}
    assert found <= set(explanations())
    assert set(explanations()) - found <= NO_FILE, "drop a file into tests/cases/invalid"


def text_of(path: Path) -> str:
    return path.read_text("utf-8", "replace")


def test_there_are_cases() -> None:
    assert len(VALID) >= 40
    assert len(INVALID) >= 100
