"""Files with a known answer: what compacting is told as, and which tokens count as useful."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.analysis import fold, summarise
from agentsim.analysis.findings import Findings
from agentsim.engine import simulate
from tests.runs import HUNDRED, READS, File, graph_of

CUT: File = {"turns": 3, "output": 100, "prompt": "10k", "tools": {"read-it": "100%"}}
AT: File = {"at": "14k", "to": "12k"}


def answer(folder: Path, workflow: File, hardware: File) -> Findings:
    graph = graph_of(folder, workflow, hardware)
    return summarise(graph, [fold(simulate(graph, 0, 0), graph)], 0)


def both_ways(folder: Path) -> Findings:
    """Two agents of three turns on a server without a cache; each tool run returns 4,900 tokens.

    Sent are 10,000 tokens, then 15,000 (over the 14k: cut to 12k), then 17,000 (cut again). One
    does that in 30 s each time: 60 s. The other by a call of 100 tokens (1 s) that reads what there
    is: 15 + 1 and 17 + 1 s, 34 s.
    """
    tools = {"read-it": {"time": "1s", "returns": 4900}}
    agents = {
        "timed": {**CUT, "compact": {**AT, "time": "30s"}},
        "called": {**CUT, "compact": {**AT, "output": 100}},
    }
    steps = [{"agent": "timed"}, {"agent": "called"}]
    hardware = {**READS, "cache": {"kind": "none"}}
    return answer(folder, {"tools": tools, "agents": agents, "steps": steps}, hardware)


def test_compacting_by_a_call_and_in_a_time_is_one_row(tmp_path: Path) -> None:
    found = both_ways(tmp_path)
    (row,) = (row for row in found.where if row.kind == "compaction")
    assert row.what == ""
    assert row.seconds == pytest.approx(60 + 34)
    assert sum(row.seconds for row in found.where) == pytest.approx(found.wall.mean)
    assert len({(row.kind, row.what) for row in found.where}) == len(found.where)
    # the sentence names neither the agent nor the role: 94 of 94 + 2 * (37 + 3 + 2) s
    assert found.bottleneck.kind == "compaction"
    assert "(" not in found.bottleneck.sentence


def test_tokens_of_a_branch_that_lost_are_of_no_use(tmp_path: Path) -> None:
    """100 tok/s each: `quick` ends after 200 tokens at 2 s and wins. The other branch has ended a
    call of 100 tokens by then, and made 100 of its next: 200 wasted of 400. 200 / 2 s are useful.
    """
    lost = [
        {"call": "main", "input": 0, "output": 100},
        {"call": "main", "input": 0, "output": 900},
    ]
    quick = {"call": "main", "id": "quick", "input": 0, "output": 200}
    found = answer(
        tmp_path, {"steps": [{"parallel": [quick, {"do": lost}], "join": "any"}]}, HUNDRED
    )
    assert found.wall.mean == 2
    assert (found.tokens.output, found.tokens.wasted) == (400, 200)
    own = found.servers["main"]
    assert own.tok_s_total == pytest.approx(200)
    assert own.tok_s_useful == pytest.approx(100)
