"""`init` writes a first workflow and never loses one."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.cli import exits
from agentsim.spec.hardware import load_profile
from tests.unit.cli.made import typed

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("given", "file"),
    [([], "first.yaml"), (["mine"], "mine.yaml"), (["a.yml"], "a.yml"), (["v1.2"], "v1.2.yaml")],
)
def test_it_writes_the_ten_lines(capsys: Capture, given: list[str], file: str) -> None:
    code, out, err = typed(capsys, "init", *given)
    assert (code, out) == (exits.DONE, f"{file}\n")
    text = Path(file).read_text("utf-8")
    assert f"agentsim run {file}" in text
    assert f"agentsim run {file}" in err
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(lines) == 10
    assert "{{" not in text


def test_it_never_overwrites(capsys: Capture) -> None:
    Path("first.yaml").write_text("mine")
    code, _, err = typed(capsys, "init")
    assert code == exits.USAGE
    assert "--force" in err
    assert Path("first.yaml").read_text() == "mine"
    assert typed(capsys, "init", "--force")[0] == exits.DONE
    assert "# How long" in Path("first.yaml").read_text()


@pytest.mark.parametrize(
    ("given", "file", "beside"),
    [
        (["init"], "first.yaml", "workflow.schema.json"),
        (["init", "--hw"], "mybox.yaml", "hardware.schema.json"),
        (["init", "--from", "review-loop"], "review-loop.yaml", "workflow.schema.json"),
        (["init", "--hw", "--from", "tok5"], "tok5.yaml", "hardware.schema.json"),
        (["init", "sub/mine.yaml"], "sub/mine.yaml", "workflow.schema.json"),
    ],
)
def test_an_editor_finds_the_schema_beside_the_file(
    capsys: Capture, given: list[str], file: str, beside: str
) -> None:
    Path("sub").mkdir()
    assert typed(capsys, *given)[0] == exits.DONE
    first = Path(file).read_text("utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema={beside}"
    schema = Path(file).parent / beside
    which = beside.partition(".")[0]
    assert typed(capsys, "schema", which) == (exits.DONE, schema.read_text("utf-8"), "")


def test_a_schema_of_an_older_version_is_made_anew_and_a_foreign_one_is_kept(
    capsys: Capture,
) -> None:
    schema = Path("workflow.schema.json")
    schema.write_text('{"$comment": "Made by `agentsim schema workflow`: old"}')
    assert typed(capsys, "init")[0] == exits.DONE
    assert len(schema.read_text("utf-8")) > 10_000
    schema.write_text('{"title": "of somebody else"}')
    assert typed(capsys, "init", "other")[0] == exits.DONE
    assert schema.read_text() == '{"title": "of somebody else"}'


def test_from_one_that_is_there(capsys: Capture) -> None:
    Path("workflows").mkdir()
    Path("workflows/other.yaml").write_text("agentsim: 1\n# é\n", "utf-8")
    assert typed(capsys, "init", "--from", "other")[0] == exits.DONE
    assert Path("other.yaml").read_text("utf-8") == "agentsim: 1\n# é\n"


def test_from_one_that_is_not_there(capsys: Capture) -> None:
    code, _, err = typed(capsys, "init", "--from", "nothing")
    assert code == exits.USAGE
    assert "nothing" in err
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("given", "file"), [([], "mybox.yaml"), (["ours"], "ours.yaml"), (["a.yml"], "a.yml")]
)
def test_a_profile_to_start_with(capsys: Capture, given: list[str], file: str) -> None:
    code, out, err = typed(capsys, "init", "--hw", *given)
    assert (code, out) == (exits.DONE, f"{file}\n")
    assert err == (
        "also written: hardware.schema.json, by which an editor checks the file\n"
        f"now try: agentsim run first --hw {file}\n"
    )
    plan = load_profile(f"./{file}").plan
    # an own machine: nothing is left out but a price, and as many slots as streams in the table
    assert plan.about.left_out == ("price",)
    assert plan.slots == 8
    # as measured on an M2 Ultra (hardware/m2-ultra.yaml: 11.36 ms and 45.35 ms a step)
    assert plan.decode.step(1) == pytest.approx(0.01136, rel=0.01)
    assert plan.decode.step(8) == pytest.approx(0.04535, rel=0.01)
    assert "{{" not in Path(file).read_text("utf-8")


def test_a_profile_from_one_that_ships(capsys: Capture) -> None:
    assert typed(capsys, "init", "--hw", "--from", "tok5")[0] == exits.DONE
    assert load_profile("./tok5.yaml").plan.decode == load_profile("tok5").plan.decode
