"""Names are found in the order that the manual says, and lead nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.errors import Problems
from agentsim.spec import catalogue


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, beside it a user's folder that is `tmp_path/config`."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("agentsim: 1\n")
    return path


def test_the_order_of_folders(home: Path) -> None:
    ships = catalogue.find("hardware", "cerebras")
    assert ships == catalogue.bundled("hardware") / "cerebras.yaml"
    users = put(home / "config/agentsim/hardware/cerebras.yml")
    assert catalogue.find("hardware", "cerebras") == users
    put(home / "here/hardware/cerebras.yaml")
    assert catalogue.find("hardware", "cerebras") == Path("hardware/cerebras.yaml")


def test_a_path_goes_before_a_name(home: Path) -> None:
    put(home / "here/cerebras.yaml")
    assert catalogue.find("hardware", "cerebras.yaml") == Path("cerebras.yaml")
    assert catalogue.find("hardware", "./cerebras.yaml") == Path("cerebras.yaml")
    put(home / "here/sub/box")
    assert catalogue.find("hardware", "sub/box") == Path("sub/box")


@pytest.mark.parametrize("kind", ["hardware", "workflows"])
def test_a_file_here_goes_before_one_that_ships(home: Path, kind: catalogue.Kind) -> None:
    """`run first` beside one's own `first.yaml` used to answer of the workflow that ships."""
    name = {"hardware": "cerebras", "workflows": "first"}[kind]
    put(home / f"here/{kind}/{name}.yaml")
    put(home / f"here/{name}.yaml")
    assert catalogue.find(kind, name) == Path(f"{name}.yaml")


def test_no_name_is_no_file_here(home: Path) -> None:
    put(home / "here/some.yaml")
    with pytest.raises(Problems, match="no workflow"):
        catalogue.find("workflows", "")


def test_names_are_sorted_and_without_endings(home: Path) -> None:
    put(home / "here/hardware/aaa.yml")
    put(home / "here/hardware/.hidden.yaml")
    put(home / "here/hardware/notes.txt")
    (home / "here/hardware/folder.yaml").mkdir()
    found = catalogue.names("hardware")
    assert list(found) == sorted(found)
    assert found[0] == "aaa"
    assert not {".hidden", "notes", "folder"} & set(found)


def test_kinds_are_apart(home: Path) -> None:
    put(home / "here/workflows/mine.yaml")
    assert "mine" in catalogue.names("workflows")
    assert "mine" not in catalogue.names("hardware")
    assert "first" in catalogue.names("workflows")


def test_an_unknown_name_lists_those_that_exist(home: Path) -> None:
    with pytest.raises(Problems) as caught:
        catalogue.find("hardware", "Cerbras")
    (problem,) = caught.value.problems
    assert problem.code == "unknown-name"
    assert all(name in problem.message for name in ("cerebras", "taalas", "tok100"))
    assert "cerebras" in problem.hint


@pytest.mark.parametrize("name", ["..", ".", "", "~", "secret", "a\0b", "hardware", "x" * 5000])
def test_no_name_leads_out(home: Path, name: str) -> None:
    put(home / "here/secret")
    put(home / "secret.yaml")
    with pytest.raises(Problems) as caught:
        catalogue.find("hardware", name)
    assert caught.value.problems[0].code == "unknown-name"


@pytest.mark.parametrize(
    "name", ["../nothing", "/", "./hardware", "none.yaml", "a/\0", "x/" + "y" * 5000]
)
def test_a_path_that_is_no_file(home: Path, name: str) -> None:
    (home / "here/hardware").mkdir()
    with pytest.raises(Problems) as caught:
        catalogue.find("hardware", name)
    assert caught.value.problems[0].code == "file-missing"


def test_a_name_with_an_ending_is_told_as_a_name(home: Path) -> None:
    with pytest.raises(Problems) as caught:
        catalogue.find("hardware", "cerebras.yaml")
    assert "cerebras" in caught.value.problems[0].hint


def test_a_relative_config_folder_does_not_count(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "config")
    put(home / "here/config/agentsim/hardware/mine.yaml")
    assert "mine" not in catalogue.names("hardware")
