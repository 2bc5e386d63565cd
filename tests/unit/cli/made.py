"""A command line whose simulation is a stand-in: what is tested is what the user sees."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest

from agentsim.cli import main, request
from tests.unit.report.made import findings, sweep
from tests.unit.report.made_compared import compared


@dataclass
class Asked:
    """What the command asked of the experiment: the arguments of its last call."""

    source: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    rates: Any = None
    grid: Any = None


def stand_in(
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[], Any] = findings,
    swept: Callable[[], Any] = sweep,
) -> Asked:
    """Puts an experiment in place that gives these answers, whatever it is asked."""
    asked = Asked()
    module = ModuleType("agentsim.experiment")

    def answer_it(source: Any, options: dict[str, Any]) -> Any:
        asked.source, asked.options = source, options
        return answer()

    def sweep_it(source: Any, rates: Any, options: dict[str, Any]) -> Any:
        asked.source, asked.rates, asked.options = source, rates, options
        return swept()

    def compare_it(grid: Any, options: dict[str, Any]) -> Any:
        asked.grid, asked.options = grid, options
        return compared()

    module.__dict__.update(Options=dict, Grid=lambda *given: given)
    module.__dict__.update(answer=answer_it, sweep=sweep_it, compare=compare_it)
    monkeypatch.setitem(sys.modules, "agentsim.experiment", module)
    monkeypatch.setattr(request, "source", lambda *given: given)
    return asked


def typed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `agentsim ARGUMENTS`."""
    code = main(list(arguments))
    shown = capsys.readouterr()
    return code, shown.out, shown.err
