"""Files in tests/cases: valid ones load, invalid ones are refused with their code at their place.

Dropping a file there is writing a test. An invalid file begins with a line for each problem that
it must have, and no other: `# expect: code line:column`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentsim.errors import Problems
from agentsim.graph import Graph
from agentsim.spec import Source, load

CASES = Path(__file__).resolve().parents[2] / "cases"
VALID = sorted((CASES / "valid").glob("*.yaml"))
INVALID = sorted((CASES / "invalid").glob("*.yaml"))
EXPECT = re.compile(r"# expect: (\S+) (\d+):(\d+)")


def named(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", VALID, ids=named)
def test_a_valid_file_loads(path: Path) -> None:
    assert isinstance(load(Source(str(path), ("cerebras",))), Graph)


@pytest.mark.parametrize("path", INVALID, ids=named)
def test_an_invalid_file_is_refused_at_its_place(path: Path) -> None:
    wanted = EXPECT.findall(path.read_text("utf-8"))
    assert wanted, "the file does not say what to expect"
    with pytest.raises(Problems) as caught:
        load(Source(str(path), ("cerebras",)))
    places = [(problem.code, problem.place) for problem in caught.value.problems]
    found = [(code, str(at.line), str(at.column)) for code, at in places if at is not None]
    assert sorted(found) == sorted(wanted), str(caught.value)
    assert {at.file for _, at in places if at is not None} == {str(path)}


def test_there_are_cases() -> None:
    assert len(VALID) >= 10
    assert len(INVALID) >= 50
