"""`graph` and `schema` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.cli import exits
from agentsim.spec import schema as schemas
from tests.unit.cli.made import typed

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_graph_in_words_is_the_default(capsys: Capture) -> None:
    code, out, err = typed(capsys, "graph", "first")
    assert (code, err) == (exits.DONE, "")
    assert out.startswith("One feature, reviewed, then me\n\n1. agent coder\n")
    assert out.isascii()


def test_graph_takes_params_and_writes_a_file(capsys: Capture) -> None:
    given = ("graph", "orchestrator", "--set", "helpers=8", "-f", "mermaid", "-o", "o.mmd")
    assert typed(capsys, *given) == (exits.DONE, "", "")
    text = Path("o.mmd").read_text("utf-8")
    assert text.startswith("flowchart TD\n")
    assert "8 items" in text


def test_graph_as_json(capsys: Capture) -> None:
    code, out, _ = typed(capsys, "graph", "review-loop", "--json", "--depth", "1")
    assert code == exits.DONE
    steps = json.loads(out)["groups"][0]["steps"]
    assert [step["path"] for step in steps] == ["implement", "until-clean", "until-merged"]
    assert [step["folded"] for step in steps] == [0, 2, 2]


def test_graph_needs_no_hardware(capsys: Capture) -> None:
    """A prompt that no hosted model holds can be drawn all the same."""
    Path("w.yaml").write_text("agentsim: 1\nsteps: [{call: main, input: 900G, output: 1}]\n")
    code, out, _ = typed(capsys, "graph", "w.yaml")
    assert code == exits.DONE
    assert "900B tokens in" in out


def test_graph_tells_all_that_is_wrong_with_a_file(capsys: Capture) -> None:
    Path("w.yaml").write_text(
        "agentsim: 1\nsteps: [{wait: 1s, id: a, needs: [b]}, {wait: 1s, id: b, needs: [a]}]\n"
    )
    code, out, err = typed(capsys, "graph", "w.yaml")
    assert (code, out) == (exits.USAGE, "")
    assert "[needs-circle]" in err


def test_a_picture_too_large_says_how_to_see_a_part(capsys: Capture) -> None:
    waits = ", ".join(["{wait: 1s}"] * 300)
    Path("w.yaml").write_text(f"agentsim: 1\nsteps: [{{do: [{waits}]}}]\n")
    code, _, err = typed(capsys, "graph", "w.yaml", "-f", "mermaid")
    assert code == exits.USAGE
    assert "301 boxes" in err
    assert "--depth 1" in err
    assert typed(capsys, "graph", "w.yaml", "-f", "mermaid", "--depth", "1")[0] == exits.DONE
    assert typed(capsys, "graph", "w.yaml")[0] == exits.DONE


def test_a_step_that_is_not_there(capsys: Capture) -> None:
    code, _, err = typed(capsys, "graph", "review-loop", "--step", "until-clen.reviewer")
    assert code == exits.USAGE
    assert "until-clean.reviewer" in err


@pytest.mark.parametrize("which", schemas.FORMATS)
def test_schema_prints_or_writes_it(capsys: Capture, which: schemas.Format) -> None:
    assert typed(capsys, "schema", which) == (exits.DONE, schemas.text(which), "")
    assert typed(capsys, "schema", which, "-o", "s.json") == (exits.DONE, "", "")
    assert json.loads(Path("s.json").read_text("utf-8")) == schemas.schema(which)


def test_schema_without_a_name_is_that_of_workflows(capsys: Capture) -> None:
    assert typed(capsys, "schema")[1] == schemas.text("workflow")
    page = typed(capsys, "schema", "-f", "markdown")[1]
    assert "## Workflow files" in page
    assert "## Hardware profiles" in page
    assert "## Workflow files" not in typed(capsys, "schema", "hardware", "-f", "markdown")[1]
