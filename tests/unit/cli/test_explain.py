"""`explain` as people type it, and the line at the end of a list of problems that leads to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.cli import exits
from agentsim.spec.explained import explanations
from tests.unit.cli.made import typed

Capture = pytest.CaptureFixture[str]


def test_without_a_code_all_are_listed_with_one_line_each(capsys: Capture) -> None:
    code, out, _ = typed(capsys, "explain")
    assert code == exits.DONE
    rows = [row.split()[0] for row in out.splitlines()[1 : 1 + len(explanations())]]
    assert rows == list(explanations())
    assert out.splitlines()[-1].strip() == "agentsim explain CODE shows one with an example"
    code, out, _ = typed(capsys, "explain", "--json")
    made = json.loads(out)
    assert (made["agentsim"], set(made["codes"])) == ("codes", set(explanations()))


@pytest.mark.parametrize("given", ["unknown-key", "[unknown-key]"])
def test_one_code(capsys: Capture, given: str) -> None:
    """Also with the brackets, as it is copied from a problem."""
    code, out, _ = typed(capsys, "explain", given)
    assert code == exits.DONE
    assert out.startswith("unknown-key\n\n  The key is not one of those that may stand here.")
    wrong, _, right = out.partition("\nRight\n")
    assert "outptu: 10" in wrong
    assert "output: 10" in right


def test_one_code_as_json(capsys: Capture) -> None:
    _, out, _ = typed(capsys, "explain", "two-quotas", "--json")
    made = json.loads(out)
    assert made["code"] == "two-quotas"
    assert set(made["wrong"]["files"]) == {"pair.yaml", "a.yaml", "b.yaml"}
    assert made["right"]["run"].startswith("agentsim validate pair.yaml")


def test_what_does_not_show_is_shown(capsys: Capture) -> None:
    _, out, _ = typed(capsys, "explain", "bad-character")
    assert "A \\x07 bell" in out
    assert "\x07" not in out


def test_an_unknown_code(capsys: Capture) -> None:
    code, out, err = typed(capsys, "explain", "unknwon-key")
    assert (code, out) == (exits.USAGE, "")
    assert "hint: did you mean `unknown-key`?" in err
    assert "agentsim explain unknown-name" not in err


def test_problems_of_a_file_say_once_where_to_look(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("agentsim: 1\nsteps: [{wait: 5}, {wiat: 5s}, {wait: 6}]\n")
    _, _, err = typed(capsys, "validate", str(file))
    assert err.count("agentsim explain") == 1
    assert err.splitlines()[-1] == "what this means: agentsim explain bad-value"


def test_a_mistyped_name_needs_no_explaining(capsys: Capture, tmp_path: Path) -> None:
    _, _, err = typed(capsys, "validate", "no-such-workflow")
    assert "explain" not in err
    _, _, err = typed(capsys, "validate", str(tmp_path / "gone.yaml"))
    assert "explain" not in err
