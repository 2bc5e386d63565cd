"""A chain's frame: what goes on from it has all that it has, also what a later version adds.

Not in `engine`, whose tests run on the compiled engine too: a compiled class has no `__slots__`.
"""

from __future__ import annotations

from pathlib import Path

from agentsim.engine.frame import Frame, Stage
from agentsim.engine.guard import run_guarded
from agentsim.engine.tasks import Task
from agentsim.engine.world import World
from tests.runs import graph_of


def test_a_frame_that_goes_on_from_another_has_all_that_it_has(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, {"steps": [{"wait": "1s"}]})
    stage = Stage(graph, 0, World(), {}, run_guarded)
    frame = Frame(stage, Task(0, "", (), None))
    for number, name in enumerate(Frame.__slots__):
        if name not in {"stage", "task", "world"}:
            setattr(frame, name, number)
    other = frame.fork()
    assert other is not frame
    assert all(getattr(other, name) == getattr(frame, name) for name in Frame.__slots__)
