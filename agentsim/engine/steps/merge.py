"""Through a merge queue, one at a time: rebase, then CI; what fails is mended and comes again."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from agentsim.chance import first
from agentsim.engine.bench import Job
from agentsim.engine.draws import Purpose, once
from agentsim.engine.frame import Frame, Steps, Stop
from agentsim.engine.steps.block import run_block
from agentsim.engine.world import Event, ns
from agentsim.graph import Merge
from agentsim.records import Mark, Outcome, Part, Verdict, WorkFacts

MOST_TRIES = 1000
"""Tries of one merge before it counts as one that never comes through."""


Tried = Generator[Event | int, Any, tuple[Job, str]]
"""The place in the queue, and what went wrong; nothing where it is merged."""


def run_merge(node: Merge, frame: Frame) -> Steps:
    """Queue, rebase, CI. A conflict shows after the rebase, a failure after CI.

    Either is mended by the `rework` steps, outside of the queue or (`block`) in its place; then
    it is rebased again. Without `rework` it fails the step.
    """
    place = frame.place
    plan = frame.stage.graph.queues[node.queue]
    held: Job | None = None
    try:
        for number in range(MOST_TRIES):
            frame.world.step(node.path)
            frame.place = (*place, number)
            held, what = yield from _try(node, frame, held)
            if not what:
                return None
            if node.rework is None:
                raise Stop(Verdict.FAILED, f"{node.path}: {what}")
            if not plan.block:
                held.leave()
                held = None
            yield from run_block(node.rework, frame)
    finally:
        frame.place = place
        if held is not None:
            held.leave()
    raise Stop(Verdict.FAILED, f"{node.path}: not merged in {MOST_TRIES:,} tries")


def _try(node: Merge, frame: Frame, held: Job | None) -> Tried:
    """One pass through the queue, from `held` on where the place was kept."""
    world, task = frame.world, frame.task
    queue, plan = frame.stage.queues[node.queue], frame.stage.graph.queues[node.queue]
    key = frame.key(node.name)
    began, marks = world.now, list[Mark]()
    part, outcome, what = Part.POOL_WAIT, Outcome.CANCELLED, ""
    job = held
    try:
        if job is None:
            job = queue.ask(1, (node.rank, frame.place), node.path, node.priority)
            yield job
            if world.now > began:
                marks.append((part, world.now))
        part = Part.MERGE
        if plan.rebase is not None:
            yield ns(once(plan.rebase, key, Purpose.REBASE, task, plan.name))
        if first(key, Purpose.CONFLICT) < node.chance(frame.place[-1]):
            what = "a conflict"
        else:
            yield ns(once(plan.ci, key, Purpose.CI, task, plan.name))
            if first(key, Purpose.FAILS) < plan.ci_fails:
                what = "CI failed"
        outcome = Outcome.FAILED if what else Outcome.DONE
        if not what:
            job.leave()
    finally:
        if outcome is Outcome.CANCELLED and held is None and job is not None:
            job.leave()
        now = world.now
        if now > (marks[-1][1] if marks else began) or not marks:
            marks.append((part, now))
        facts = WorkFacts((), 0, 0, frame.place[-1], ())
        frame.record(node.rank, plan.name, plan.name, began, tuple(marks), outcome, facts)
    return job, what
