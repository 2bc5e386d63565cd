"""Settings that contradict each other or that a run cannot heed: refused, or told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.spec.conftest import Load, Refused


def box(folder: Path, more: str) -> str:
    path = folder / "box.yaml"
    path.write_text(f"agentsim: 1\ndecode: {{rate: 9 tok/s}}\n{more}\n")
    return str(path)


def told(notes: tuple[str, ...], word: str) -> list[str]:
    return [note for note in notes if word in note]


OPENED = "{agent: coder, id: one, prompt: 9k}"


@pytest.mark.parametrize(
    "second",
    [
        "{agent: coder, session: one, prompt: 5k}",
        "{call: main, input: 1, output: 1, session: one, prompt: 5k}",
        "{agent: coder, session: one, fork: yes, prompt: 5k}",
    ],
)
def test_a_second_prompt_is_told(graph: Load, second: str) -> None:
    (note,) = told(graph(f"steps:\n  - {OPENED}\n  - {second}").notes, "`prompt`")
    assert "(line 4): its `prompt` counts for nothing where one has opened" in note
    assert "with 9,000 tokens, not 5,000" in note


@pytest.mark.parametrize(
    "second",
    [
        "{agent: coder, session: one, prompt: 9k}",  # the same
        "{agent: coder, session: one}",
        "{agent: coder, prompt: 5k}",  # opens its own
    ],
)
def test_a_prompt_that_contradicts_nothing(graph: Load, second: str) -> None:
    assert told(graph(f"steps:\n  - {OPENED}\n  - {second}").notes, "counts for nothing") == []


def compacting(compact: str) -> str:
    return f"steps: [{{agent: coder, prompt: 10k, compact: {{{compact}}}}}]"


def test_a_mark_above_the_context_is_told(graph: Load, tmp_path: Path) -> None:
    notes = graph(compacting("at: 500k, to: 20k, time: 9s"), box(tmp_path, "context: 64k")).notes
    (note,) = told(notes, "`compact`")
    assert "at 500,000 tokens is more than the context of box, 64,000" in note


def test_a_call_that_compacts_needs_room(graph: Load, tmp_path: Path) -> None:
    """19k and the 2k that it writes are more than 20k; 18k of 19k leaves a thousand tokens."""
    notes = graph(compacting("at: 19k, to: 18k"), box(tmp_path, "context: 20k")).notes
    room, soon = told(notes, "`compact`")
    assert "leaves its own call no room" in room
    assert "20,000 less the 2,000 that the call writes" in room
    assert "cuts from 19,000 to 18,000 tokens only" in soon


@pytest.mark.parametrize("compact", ["at: 18k, to: 12k", "at: 20k, to: 12k, time: 9s"])
def test_a_compaction_that_fits(graph: Load, tmp_path: Path, compact: str) -> None:
    assert told(graph(compacting(compact), box(tmp_path, "context: 20k")).notes, "`compact`") == []


ONE = "steps: [{call: main, input: 1, output: 1}]"


@pytest.mark.parametrize("account", ["", ", account: team"])
def test_one_quota_with_two_buckets(refused: Refused, tmp_path: Path, account: str) -> None:
    """60 a minute is 1 a second: one quota, given twice."""
    rows = [f"{{count: requests, bucket: {n}, refill: {r}{account}}}"
            for n, r in (("100", "60/min"), ("50", "1/s"))]  # fmt: skip
    (problem,) = refused(ONE, box(tmp_path, f"limits: [{', '.join(rows)}]"))
    assert problem.code == "bad-value"
    assert "entry 1 fills the quota of requests as fast, and holds 100, not 50" in problem.message


@pytest.mark.parametrize(
    "other",
    [
        "{count: requests, bucket: 5000, refill: 5000/d, account: team}",  # a quota a day
        "{count: output, bucket: 50, refill: 60/min, account: team}",
        "{count: requests, bucket: 50, refill: 60/min, account: other}",
    ],
)
def test_two_quotas_that_both_count(graph: Load, tmp_path: Path, other: str) -> None:
    one = "{count: requests, bucket: 100, refill: 60/min, account: team}"
    server = graph(ONE, box(tmp_path, f"limits: [{one}, {other}]")).servers[0]
    assert len(server.limits) == 2


def test_a_budget_that_no_run_has_to_keep(refused: Refused) -> None:
    (problem,) = refused("budget: {wall: 1h, chance: 0%}\nsteps: [{wait: 1s}]")
    assert problem.code == "bad-value"
    assert "expected more than 0 %" in problem.message
    assert problem.place is not None
    assert (problem.place.line, problem.place.column) == (2, 28)


@pytest.mark.parametrize("day", ["2026-02-31", "yesterday", "2026-13", "2026-2"])
def test_a_date_that_is_none(refused: Refused, tmp_path: Path, day: str) -> None:
    (problem,) = refused(ONE, box(tmp_path, f"source: {{as_of: {day}}}"))
    assert "expected a date, such as 2026-02 or 2026-02-28" in problem.message


@pytest.mark.parametrize("day", ["2026", "2026-02", "2024-02-29"])
def test_a_date(graph: Load, tmp_path: Path, day: str) -> None:
    assert graph(ONE, box(tmp_path, f"source: {{as_of: {day}}}")).servers[0].about.as_of == day
