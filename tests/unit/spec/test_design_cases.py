"""The workflows of the design's cases: each loads, or says what is not there yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from agentsim.errors import Problems
from agentsim.graph import Graph
from agentsim.spec import Source, load
from agentsim.spec.arguments import scalar

HARDWARE = {"decode": {"rate": "100 tok/s"}, "prefill": "none"}  # of the cases' own runner


def source(args: list[str]) -> Source:
    """The options of a run of the cases, as the command line reads them."""
    given: dict[str, list[str]] = {"--set": [], "--hw": ["hardware.yaml"], "--rates": []}
    for option, value in zip(args[::2], args[1::2], strict=True):
        given[option].append(value)
    pairs = (one.split("=", 1) for one in given["--set"])
    sets = tuple((name, scalar(text)) for name, text in pairs)
    return Source("workflow.yaml", tuple(given["--hw"]), sets, tuple(given["--rates"]))


def write(folder: Path, name: str, content: dict[str, Any]) -> None:
    head = {"agentsim": 1, "name": "case"}
    text = yaml.safe_dump({**head, **content}, sort_keys=False)
    (folder / name).write_text(text, "utf-8")


def outcome(args: list[str]) -> Graph | Problems:
    try:
        return load(source(args))
    except Problems as fault:
        return fault


def test_each_loads_or_is_not_yet(
    design_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    graphs = 0
    for file in sorted((design_data / "cases").glob("*.case.yaml")):
        case = yaml.safe_load(file.read_text("utf-8"))
        for number, run in enumerate(case["runs"], 1):
            write(tmp_path, "workflow.yaml", run.get("workflow") or case["workflow"])
            profile = run.get("hardware") or case.get("hardware") or HARDWARE
            write(tmp_path, "hardware.yaml", profile)
            where = f"{file.name} run {number}"
            found = outcome(list(map(str, run.get("args", ()))))
            if isinstance(found, Graph):
                assert run.get("exit", 0) == 0, where
                graphs += 1
                continue
            codes = {problem.code for problem in found.problems}
            assert run.get("exit") == 2 or codes == {"not-yet"}, f"{where}: {found}"
            for part in run.get("stderr", ()):
                assert part in str(found), where
    assert graphs > 60
