"""Many calls that fail by chance, against the closed form of their tries."""

from __future__ import annotations

import math
from pathlib import Path

from agentsim.laws.faults import given_up, mean_tries, mean_waits
from agentsim.records import SECOND, CallFacts, Outcome, Part
from tests.runs import HUNDRED, Run, run

N = 3000


def many(folder: Path, tries: int, seed: int = 0) -> Run:
    faults = {
        "error": "10%",
        "overload": "15%",
        "dropped": "15%",
        "retry": {"first": "1s", "factor": 2, "tries": tries, "jitter": "50%"},
    }
    call = {"call": "main", "id": "x", "input": 0, "output": 100, "or": "go on"}
    workflow = {"steps": [{"each": N, "id": "e", "do": [call]}]}
    return run(folder, workflow, {**HUNDRED, "faults": faults}, seed)


def test_tries_and_waits_of_a_geometric_law(tmp_path: Path) -> None:
    """40 % of the tries fail; four tries: 1.624 in the mean, 2.56 % of the calls are given up.

    Waits of 1, 2 and 4 s, jitter without a change of the mean: 0.4 + 0.32 + 0.256 = 0.976 s a call.
    """
    found = many(tmp_path, 4)
    calls = [span for span in found.trace.spans if isinstance(span.facts, CallFacts)]
    done = sum(span.outcome is Outcome.DONE for span in calls)
    assert mean_tries(0.4, 4) == 1.624
    assert math.isclose(given_up(0.4, 4), 0.0256)
    assert math.isclose(mean_waits(0.4, (1, 2, 4)), 0.976)
    # sd of the tries of one call 0.9, of its waits below 2 s
    assert abs(len(calls) / N - 1.624) < 4 * 0.9 / math.sqrt(N)
    assert abs(1 - done / N - 0.0256) < 4 * math.sqrt(0.0256 / N)
    pauses = [
        span for span in found.trace.spans if span.facts is None and span.marks[0][0] is Part.RETRY
    ]
    waited = sum(span.ended - span.began for span in pauses) / SECOND / N
    assert abs(waited - 0.976) < 4 * 2 / math.sqrt(N)
    # broken streams are 15 % of the tries and lose 49.5 of 100 tokens each in the mean
    wasted = sum(span.facts.wasted for span in calls if isinstance(span.facts, CallFacts))
    assert abs(wasted / len(calls) - 0.15 * 49.5) < 4 * 21 / math.sqrt(len(calls))


def test_a_call_more_changes_no_other_call(tmp_path: Path) -> None:
    """More tries: every call that had ended well has the same tries, and so the same end."""
    few, more = many(tmp_path, 2), many(tmp_path, 5)
    ends = {
        (span.place, span.ended)
        for span in few.trace.spans
        if isinstance(span.facts, CallFacts) and span.outcome is Outcome.DONE
    }
    others = {
        (span.place, span.ended)
        for span in more.trace.spans
        if isinstance(span.facts, CallFacts) and span.outcome is Outcome.DONE
    }
    assert ends < others
