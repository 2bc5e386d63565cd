"""Workflows as data, loaded and run in-process: what the proofs and the tests of the engine use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from agentsim.analysis.chain import spent
from agentsim.engine import simulate
from agentsim.graph import Graph, Node, inner_of, with_inner
from agentsim.records import SECOND, CallFacts, Part, PersonFacts, Span, Trace, Visit
from agentsim.spec import Source, load

File = Mapping[str, Any]

HUNDRED: File = {"decode": {"rate": "100 tok/s"}, "prefill": "none"}
"""10 ms a token, whatever else runs; prompts cost nothing."""

READS: File = {"decode": {"rate": "100 tok/s"}, "prefill": {"rate": "1000 tok/s"}}
"""10 ms an output token, 1 ms an input token."""


DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # a third of the time of the proofs


def write(folder: Path, name: str, content: File) -> Path:
    """A workflow or a profile as a file, with the keys that every file needs."""
    path = folder / name
    whole = {"agentsim": 1, "name": path.stem, **content}
    path.write_text(yaml.dump(whole, Dumper=DUMPER, sort_keys=False), encoding="utf-8")
    return path


def graph_of(folder: Path, workflow: File, hardware: File = HUNDRED, **bound: File) -> Graph:
    """The graph of a workflow; `bound` are further profiles by role."""
    given = [str(write(folder, "hardware.yaml", hardware))]
    for role, profile in bound.items():
        given.append(f"{role}={write(folder, f'{role}.yaml', profile)}")
    return load(Source(str(write(folder, "workflow.yaml", workflow)), tuple(given)))


@dataclass(frozen=True)
class Run:
    """One replication, asked by the paths of its steps. Times are seconds, as they were written."""

    graph: Graph
    trace: Trace

    @property
    def wall(self) -> float:
        return (self.trace.ended - self.trace.began) / SECOND

    @property
    def breakdown(self) -> dict[Part, float]:
        """Seconds on the critical path by kind; kinds without any are left out."""
        found: dict[Part, int] = {}
        for row in spent(self.trace)[0].values():
            for part, time in enumerate(row):
                if time:
                    found[Part(part)] = found.get(Part(part), 0) + time
        return {part: time / SECOND for part, time in found.items()}

    def rank(self, path: str) -> int:
        """The first step of that path."""
        return next(rank for rank, step in enumerate(self.graph.steps) if step.path == path)

    def spans(self, path: str) -> list[Span]:
        """The spans of a step, in the order in which they were written."""
        rank = self.rank(path)
        return [span for span in self.trace.spans if span.step == rank]

    def visits(self, path: str) -> list[Visit]:
        rank = self.rank(path)
        return [visit for visit in self.trace.visits if visit.step == rank]

    def ends(self, path: str) -> list[float]:
        """When the spans of a step ended."""
        return [span.ended / SECOND for span in self.spans(path)]

    def marks(self, path: str, number: int = 0) -> list[tuple[Part, float]]:
        """The marks of one span of a step, in seconds."""
        return [(part, until / SECOND) for part, until in self.spans(path)[number].marks]

    def calls(self, path: str) -> list[CallFacts]:
        return [s.facts for s in self.spans(path) if isinstance(s.facts, CallFacts)]

    def pieces(self, path: str) -> list[PersonFacts]:
        return [s.facts for s in self.spans(path) if isinstance(s.facts, PersonFacts)]


def changed(node: Any, change: Callable[[Any], Node]) -> Any:
    """A step with all that is in it, each of which is changed when what is in it has been."""
    inner = tuple(changed(one, change) for one in inner_of(node))
    return change(with_inner(node, inner))


def run(
    folder: Path, workflow: File, hardware: File = HUNDRED, seed: int = 0, **bound: File
) -> Run:
    """Load and run once."""
    graph = graph_of(folder, workflow, hardware, **bound)
    return Run(graph, simulate(graph, seed, 0))
