"""Little's law: the mean number in a system is throughput times the mean time in it.

Both sides are found in ways of their own: the mean number by counting who is there from instant to
instant, from the spans; throughput and time from the findings, which come from tallies. For
queues (waiting only), for servers (in service) and for whole items.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from agentsim.analysis import fold, summarise
from agentsim.analysis.findings import Findings
from agentsim.engine import simulate
from agentsim.records import SECOND, CallFacts, Part, Trace
from tests.held.times import area, stretches_of
from tests.runs import File, graph_of

WORKFLOW: File = {
    "tools": {
        "tests": {"time": {"p50": "20s", "p90": "90s"}, "returns": 200, "uses": {"ci": 1}},
        "build": {"time": {"exponential": "30s"}, "returns": 100, "uses": {"ci": 2}},
    },
    "pools": {"ci": {"capacity": 3}},
    "people": {"dev": {"count": 2, "pickup": {"exponential": "60s"}, "switch": "10s"}},
    "agents": {
        "coder": {
            "model": "main",
            "prompt": "2k",
            "turns": {"p50": 4, "p90": 9},
            "output": {"p50": 200, "p90": 900},
            "tools": {"tests": "60%", "build": "40%"},
        }
    },
    "steps": [
        {
            "each": 12,
            "id": "items",
            "limit": 9,
            "do": [
                {"agent": "coder", "id": "code"},
                {"person": "dev", "id": "review", "time": {"exponential": "3m"}},
            ],
        }
    ],
}
HARDWARE: File = {
    "decode": {"step": {1: "10ms", 4: "16ms"}},
    "prefill": {"rate": "2000 tok/s"},
    "latency": {"exponential": "0.5s"},
    "slots": 3,
}

Stretch = tuple[int, int]


def mean_number(stretches: Iterable[Stretch], end: int) -> float:
    """How many there are on average between 0 and `end`: who is there, instant by instant."""
    return area(stretches) / end


def waiting(trace: Trace, part: Part, resource: str) -> list[Stretch]:
    """When something waited for that resource."""
    return [
        stretch
        for span in trace.spans
        if resource in (span.resource, span.who)
        for stretch in stretches_of(span, part)
    ]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Trace, Findings]]:
    graph = graph_of(tmp_path_factory.mktemp("little"), WORKFLOW, HARDWARE)
    traces = [simulate(graph, 5, number) for number in range(25)]
    return [(trace, summarise(graph, [fold(trace, graph)], 5)) for trace in traces]


def test_queue_of_a_pool(ran: list[tuple[Trace, Findings]]) -> None:
    busy = 0
    for trace, found in ran:
        pool = found.pools["ci"]
        assert pool.wait is not None
        users = [span for span in trace.spans if span.resource == "ci"]
        rate = len(users) / trace.ended  # arrivals a nanosecond
        number = mean_number(waiting(trace, Part.POOL_WAIT, "ci"), trace.ended)
        assert number == pytest.approx(rate * pool.wait.mean * SECOND)
        assert number == pytest.approx(pool.queue_mean)
        busy += number > 0
    assert busy > 20  # they do wait: the law is not met by nothing


def test_queue_of_people(ran: list[tuple[Trace, Findings]]) -> None:
    busy = 0
    for trace, found in ran:
        person = found.people["dev"]
        assert person.wait is not None
        number = mean_number(waiting(trace, Part.PERSON_WAIT, "dev"), trace.ended)
        assert number == pytest.approx(12 / trace.ended * person.wait.mean * SECOND)
        assert number == pytest.approx(person.queue_mean)
        busy += number > 0
    assert busy > 20


def test_slots_and_streams(ran: list[tuple[Trace, Findings]]) -> None:
    busy = 0
    for trace, found in ran:
        server = found.servers["main"]
        assert server.wait is not None
        assert server.slots_busy is not None
        calls = [span for span in trace.spans if isinstance(span.facts, CallFacts)]
        rate = len(calls) / trace.ended
        queue = mean_number(waiting(trace, Part.SLOT_WAIT, "coder"), trace.ended)
        assert queue == pytest.approx(rate * server.wait.mean * SECOND)
        busy += queue > 0
        served = []
        for span in calls:
            waited = span.marks[0][1] if span.marks[0][0] is Part.SLOT_WAIT else span.began
            served.append((waited, span.ended))
        in_service = mean_number(served, trace.ended)
        mean = sum(ended - began for began, ended in served) / len(served)
        assert in_service == pytest.approx(rate * mean)
        assert in_service == pytest.approx(3 * server.slots_busy)
    assert busy > 20  # nine items before three slots: calls do wait


def test_items_in_progress(ran: list[tuple[Trace, Findings]]) -> None:
    """Nine at once until the last begin: L from the items' visits, W from the steps inside."""
    for trace, found in ran:
        own = [visit for visit in trace.visits if visit.step == 1 and len(visit.place) == 1]
        assert len(own) == 12
        number = mean_number([(v.began, v.ended) for v in own], trace.ended)
        inside = [found.steps[path] for path in ("items.code", "items.review")]
        times = sum(row.time.mean for row in inside if row.time is not None)
        assert number == pytest.approx(12 / trace.ended * times * SECOND)
        assert number <= 9
