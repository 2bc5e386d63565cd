"""How many copies one server carries, against what can be worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from agentsim.analysis.carries import Carries
from agentsim.cli import exits, main
from agentsim.experiment.carry import _Job, carries, crowd
from agentsim.experiment.executors import executor_for
from agentsim.experiment.replicate import replicated
from tests.runs import HUNDRED, graph_of, write

ONE = {**HUNDRED, "slots": 1}
CALL = {"call": "main", "input": 0, "output": 1000}
"""10 s at 100 tok/s, one at a time."""


def found(folder: Path, steps: list[Any], limit: float, box: Any = ONE, **more: Any) -> Carries:
    graph = graph_of(folder, {**more, "steps": steps}, box)
    with executor_for(1) as executor:
        tallies = replicated(executor, graph, 0, 2)
        return carries(executor, graph, tallies, 0, limit)["main"]


@pytest.mark.parametrize(
    ("limit", "copies", "p90", "more"),
    [(9, 0, None, 10.0), (10, 4, 10.0, 20.0), (25, 5, 20.0, 30.0), (30, 6, 30.0, 40.0)],
)
def test_a_slot_of_10_s_and_30_s_between(
    tmp_path: Path, limit: float, copies: int, p90: float | None, more: float
) -> None:
    """N copies go round in max(40, 10 N) s, of which 30 are no turn: a turn takes 10 N - 30 s.

    Of 4 and fewer it takes 10 s: once they have queued they come one after the other.
    """
    it = found(tmp_path, [CALL, {"wait": "30s"}], limit)
    assert (it.copies, it.at_least) == (copies, False)
    assert (it.own and it.own.p90) == p90
    assert it.more is not None
    assert (it.more.copies, it.more.p90) == (copies + 1, more)
    assert it.between == (copies, copies + 1)
    assert (it.agents, it.people) == (None, None)


def test_each_has_its_own_people_and_pools(tmp_path: Path) -> None:
    """15 s of a person and 15 s of a pool's one unit: nobody waits but for the server."""
    steps = [
        CALL,
        {"person": "dev", "time": "15s"},
        {"wait": "15s", "uses": {"bench": 1}},
    ]
    it = found(tmp_path, steps, 25, people={"dev": {}}, pools={"bench": {"capacity": 1}})
    assert (it.copies, it.people) == (5, 5)


def test_agents_at_work(tmp_path: Path) -> None:
    """An agent is at work for all of its call, and there are 30 s without one: 5 go round in 50 s,
    20 of which are turns: 5 * 20 / 50."""
    agents = {"coder": {"turns": 1, "output": 1000, "thinking": 0, "prompt": 0, "tools": {}}}
    steps = [{"agent": "coder", "task": 0}, {"wait": "30s"}]
    it = found(tmp_path, steps, 25, agents=agents)
    assert it.copies == 5
    assert it.agents == pytest.approx(2.0, rel=0.02)


def test_what_no_other_call_slows_carries_all(tmp_path: Path) -> None:
    it = found(tmp_path, [CALL, {"wait": "30s"}], 10, HUNDRED)
    assert it.at_least
    assert it.copies == 1024
    assert it.own is not None
    assert it.own.p90 == 10.0


def test_calls_that_are_given_up_have_no_end(tmp_path: Path) -> None:
    limit = {"count": "requests", "window": {"size": "1h", "allow": 1}, "on_limit": "reject"}
    it = found(tmp_path, [CALL, {"wait": "30s"}], 60, {**ONE, "limits": [limit]})
    assert it.copies == 0
    assert it.more is not None
    assert it.more.p90 is None


def test_a_quota_longer_than_the_time_is_told(tmp_path: Path) -> None:
    limit = {"count": "requests", "window": {"size": "300d", "allow": "1G"}}
    it = found(tmp_path, [CALL, {"wait": "30s"}], 10, {**ONE, "limits": [limit]})
    assert "longer than the time that was looked at" in it.notes[0]


def test_machine_repair(tmp_path: Path) -> None:
    """4 copies, 10 s of service and 30 s between, both exponential.

    p0 = 1 / (1 + 4/3 + 12/9 + 24/27 + 24/81) = 0.20611; the server ends (1 - p0) / 10 = 0.079389
    a second, so a turn takes 4 / 0.079389 - 30 = 20.385 s in the mean.
    """
    exponential = {"exponential": 1000}
    steps = [{**CALL, "output": exponential}, {"wait": {"exponential": "30s"}}]
    graph = graph_of(tmp_path, {"steps": steps}, ONE)
    many, fork = crowd(graph, 0, 4, 500, 40.0)
    name = graph.servers[0].name
    turns = [turn for run in range(8) for turn in _Job(many, 0, run, name, fork, 4).run().turns]
    assert fmean(turns) == pytest.approx(20.385, rel=0.02)


def test_the_answer_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    box = write(tmp_path, "box.yaml", ONE)
    file = write(tmp_path, "w.yaml", {"steps": [CALL, {"wait": "30s"}]})
    command = ["run", str(file), "--hw", str(box), "--quick", "--turn-p90", "25s"]
    assert main(command) == exits.DONE
    told = " ".join(capsys.readouterr().out.split())
    assert "carries 5 of this workflow at once: 9 in 10 turns within 25 s." in told
    assert "With 6 they take 30 s." in told
    assert main([*command, "--json"]) == exits.DONE
    own = json.loads(capsys.readouterr().out)["servers"]["main"]["can_serve"]
    assert (own["copies"], own["turn_p90"], own["at_least"]) == (5, 25.0, False)
    assert [row["p90"] for row in own["tried"] if row["copies"] == 6] == [30.0]


def test_a_merge_queue_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    box = write(tmp_path, "box.yaml", ONE)
    queue = {"queues": {"trunk": {"ci": "1m"}}, "steps": [CALL, {"merge": "trunk"}]}
    file = write(tmp_path, "w.yaml", queue)
    assert main(["run", str(file), "--hw", str(box), "--quick", "--turn-p90", "25s"]) == exits.DONE
    told = " ".join(capsys.readouterr().out.split())
    assert "not found where there is a merge queue" in told
