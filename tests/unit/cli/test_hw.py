"""`agentsim hw list` and `hw show` as a person types them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from agentsim.cli import main

BAD = "agentsim: 1\ndecode: {rate: 0 tok/s}\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "hardware").mkdir()
    return tmp_path


def typed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def test_list_tells_what_it_leaves_out(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "hardware/bad.yaml").write_text(BAD)
    (here / "hardware/mine.yaml").write_text(BAD.replace("0 tok", "7 tok"))
    code, out, err = typed(capsys, "hw", "list", "--json")
    names = [row["name"] for row in json.loads(out)["profiles"]]
    assert code == 0
    assert "mine" in names
    assert "bad" not in names
    assert "bad is left out: hardware/bad.yaml:2:16" in err


LONG = "a-model-with-a-name-that-is-much-longer-than-any-column-of-a-table"


def test_list_cuts_names_on_a_terminal_only(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "hardware/mine.yaml").write_text(BAD.replace("0 tok", "7 tok") + f"model: {LONG}\n")
    assert LONG in typed(capsys, "hw", "list")[1]  # a pipe
    assert LONG in typed(capsys, "hw", "list", "-f", "markdown")[1]
    assert typed(capsys, "hw", "list", "-o", "list.txt")[0] == 0
    assert LONG in (here / "list.txt").read_text("utf-8")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    shown = {}
    for wide in (80, 100):
        monkeypatch.setenv("COLUMNS", str(wide))
        out = typed(capsys, "hw", "list", "--no-color")[1]
        assert max(map(len, out.splitlines())) <= wide
        (shown[wide],) = re.findall(r"^  mine +(a-model\S*)\.\.\. ", out, re.M)
        assert "MODEL: ... is cut" in out
    assert len(shown[100]) == len(shown[80]) + 20
    assert LONG.startswith(shown[100])
    # a file is whole, whoever looks on
    assert typed(capsys, "hw", "list", "-o", "list.txt")[0] == 0
    assert LONG in (here / "list.txt").read_text("utf-8")


def test_show_a_name_and_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = typed(capsys, "hw", "show", "taalas")
    assert code == 0
    assert "15,000 tok/s" in out
    (here / "mine.yaml").write_text(BAD.replace("0 tok", "7 tok"))
    code, out, _ = typed(capsys, "hw", "show", "mine.yaml")
    assert code == 0
    assert "7.0 tok/s" in out


def test_faults_end_with_2_and_a_place(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "bad.yaml").write_text(BAD)
    code, out, err = typed(capsys, "hw", "show", "bad.yaml")
    assert (code, out) == (2, "")
    assert "bad.yaml:2:16" in err
    code, _, err = typed(capsys, "hw", "show", "cerbras")
    assert code == 2
    assert "did you mean `cerebras`?" in err
