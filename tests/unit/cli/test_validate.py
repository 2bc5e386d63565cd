"""`validate` on real files: what is in them, what is wrong with them, written out in full."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.cli import exits
from tests.unit.cli.made import typed

Capture = pytest.CaptureFixture[str]

PLAIN = """\
agentsim: 1
name: Plain
steps:
  - wait: 10s
  - call: main
    input: 100
    output: 50
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "box.yaml").write_text(
        "agentsim: 1\nname: Box\ndecode: {rate: 100 tok/s}\nprefill: none\n"
        "source: {url: none, as_of: 2026-01, grade: A}\n"
    )
    Path("plain.yaml").write_text(PLAIN)
    return Path("plain.yaml")


def test_a_good_file(capsys: Capture, file: Path) -> None:
    code, out, _ = typed(capsys, "validate", str(file), "--hw", "box.yaml")
    assert code == exits.DONE
    assert out.startswith("  ok: plain.yaml: 2 steps, 1 model role (main)")
    assert "person" not in out.splitlines()[0]


def test_as_json(capsys: Capture, file: Path) -> None:
    code, out, _ = typed(capsys, "validate", str(file), "--hw", "box.yaml", "--json")
    assert code == exits.DONE
    made = json.loads(out)
    assert (made["agentsim"], made["workflow"], made["problems"]) == ("validation", "Plain", [])
    assert made["steps"] == {"wait": "wait", "main": "call"}
    assert list(made["roles"]) == ["main"]


def test_a_bad_file(capsys: Capture, file: Path) -> None:
    file.write_text(PLAIN.replace("output: 50", "outptu: 50").replace("10s", "ten"))
    code, out, err = typed(capsys, "validate", str(file), "--hw", "box.yaml")
    assert (code, out) == (exits.USAGE, "")
    assert "plain.yaml:7:5: " in err
    assert "plain.yaml:4:" in err
    assert "output" in err.split("hint:")[-1]
    assert "    7 |     outptu: 50\n      |     ^\n" in err


def test_written_out_it_is_valid_and_the_same(capsys: Capture, file: Path) -> None:
    code, out, _ = typed(capsys, "validate", str(file), "--hw", "box.yaml", "--full")
    assert code == exits.DONE
    Path("full.yaml").write_text(out)
    code, out, _ = typed(capsys, "validate", "full.yaml", "--hw", "box.yaml", "--json")
    assert code == exits.DONE
    assert json.loads(out)["steps"] == {"wait": "wait", "main": "call"}


def test_what_init_writes_is_valid(capsys: Capture, file: Path) -> None:
    assert typed(capsys, "init", "mine")[0] == exits.DONE
    code, out, _ = typed(capsys, "validate", "mine.yaml", "--hw", "box.yaml")
    assert code == exits.DONE
    assert "1 person (you)" in out


def test_a_value_that_is_set_is_read_strictly(capsys: Capture, file: Path) -> None:
    code, _, err = typed(capsys, "validate", str(file), "--set", "a={", "--set", "b=[")
    assert code == exits.USAGE
    assert "--set a={: " in err
    assert "--set b=[: " in err
