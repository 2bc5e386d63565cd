"""Asking a person: pickup, the queue, switching, then reading and deciding."""

from __future__ import annotations

from agentsim.chance import first
from agentsim.engine.draws import Purpose, once
from agentsim.engine.frame import Frame, Steps, heed
from agentsim.engine.marks import cut
from agentsim.engine.world import ns
from agentsim.graph import Ask
from agentsim.laws.reading import Reading
from agentsim.records import SECOND, Mark, Outcome, Part, PersonFacts


def run_ask(node: Ask, frame: Frame) -> Steps:
    """Notice (beside other work), queue, switch, read and decide; the work begun is not split."""
    world, task = frame.world, frame.task
    desk = frame.stage.people[node.person]
    plan = desk.plan
    key = frame.key(node.name)
    began = world.now
    marks: list[Mark] = []
    part, outcome, verdict = Part.PICKUP, Outcome.CANCELLED, None
    number, lines, words, job, until, took = 0, 0.0, 0.0, None, 0, 0
    written = _written(node, frame, key)
    try:
        if plan.pickup is not None:
            pickup = ns(once(plan.pickup, key, Purpose.PICKUP, task, plan.name))
            if pickup:
                yield pickup
                marks.append((Part.PICKUP, world.now))
        part = Part.PERSON_WAIT
        job = desk.ask(1, (node.rank, frame.place), node.path, node.priority)
        yield job
        if world.now > (marks[-1][1] if marks else began):
            marks.append((Part.PERSON_WAIT, world.now))
        number, switches = desk.begin(job, task)
        until = world.now
        if switches and plan.switch is not None:
            until += ns(once(plan.switch, key, Purpose.SWITCH, task, plan.name))
            if until > world.now:
                marks.append((Part.SWITCHING, until))
        part = Part.PERSON_WORK
        lines, words, seconds = _work(node, frame, key)
        took = ns(seconds + (0.0 if plan.types is None else written / plan.types))
        until += took
        marks.append((Part.PERSON_WORK, until))
        yield until - world.now
        outcome = Outcome.DONE
        if node.says is not None:
            verdict = node.says.verdict(frame.round, first(key, Purpose.VERDICT))
        if written:
            task.write(written, _reader(plan.name))
    finally:
        if job is not None:
            job.leave()
        if outcome is Outcome.CANCELLED:
            marks = cut(marks, began, world.now, part)
            if node.reads == "changes":
                task.forget(_reader(plan.name), lines)
            read = _read_by(node, plan.reading, world.now - (until - took), took, lines, words)
            lines, words = read * lines, read * words
        facts = PersonFacts(number, lines, words, verdict)
        frame.record(node.rank, plan.name, plan.name, began, tuple(marks), outcome, facts)
    return heed(verdict, node.path)


def _read_by(
    node: Ask, reading: Reading, worked: int, took: int, lines: float, words: float
) -> float:
    """The share that is read of a piece cut short after `worked` of `took` nanoseconds of work.

    A `time` holds reading and deciding, and what of it is which is not known: it is read evenly.
    """
    if worked <= 0 or not lines + words:
        return 0.0
    if node.time is not None:
        return worked / took
    return reading.read_by(worked / SECOND, lines, words)


def _written(node: Ask, frame: Frame, key: int) -> float:
    """The lines that they write."""
    if node.writes is None:
        return 0.0
    who = frame.stage.people[node.person].plan.name
    return once(node.writes, key, Purpose.WRITES, frame.task, who)


def _reader(person: str) -> str:
    return f"person {person}"


def _work(node: Ask, frame: Frame, key: int) -> tuple[float, float, float]:
    """(lines read, words read, seconds of reading and deciding)."""
    plan = frame.stage.people[node.person].plan
    lines = words = 0.0
    if node.reads == "changes":
        lines = frame.task.look(_reader(plan.name))
    elif node.amount is not None:
        amount = once(node.amount, key, Purpose.AMOUNT, frame.task, plan.name)
        lines, words = (amount, 0.0) if node.reads == "lines" else (0.0, amount)
    if node.time is not None:
        return lines, words, once(node.time, key, Purpose.TIME, frame.task, plan.name)
    seconds = plan.reading.seconds(lines=lines, words=words) if node.reads else 0.0
    decides = node.decides or plan.decides
    if decides is not None:
        seconds += once(decides, key, Purpose.DECIDES, frame.task, plan.name)
    return lines, words, seconds
