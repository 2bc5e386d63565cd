"""Asking a person: pickup, the queue, switching, then reading and deciding."""

from __future__ import annotations

from agentsim.chance import Distribution, first
from agentsim.engine.bench import Job
from agentsim.engine.draws import Purpose, once
from agentsim.engine.frame import Frame, Steps, heed
from agentsim.engine.marks import cut
from agentsim.engine.quality import Pass, begin, close, judged
from agentsim.engine.tasks import Task
from agentsim.engine.world import ns
from agentsim.graph import Ask
from agentsim.laws.reading import WORDS_PER_TOKEN, Reading
from agentsim.records import SECOND, Mark, Outcome, Part, PersonFacts, Verdict


def run_ask(node: Ask, frame: Frame) -> Steps:
    """Notice (beside other work), queue, switch, read and decide; the work begun is not split."""
    world, task = frame.world, frame.task
    desk = frame.stage.people[node.person]
    plan = desk.plan
    key, began = frame.key(node.name), world.now
    marks: list[Mark] = []
    part, outcome, number, until, took = Part.PICKUP, Outcome.CANCELLED, 0, 0, 0
    lines = words = 0.0
    asked: list[Job] = []
    verdict: Verdict | None = None
    own: Pass | None = None
    written = _written(node, frame, key)
    try:
        pickup = _drawn(plan.pickup, key, Purpose.PICKUP, task, plan.name)
        if pickup:
            yield pickup
            marks.append((Part.PICKUP, world.now))
        part = Part.PERSON_WAIT
        job = desk.ask(1, (node.rank, frame.place), node.path, node.priority)
        asked.append(job)
        yield job
        if world.now > (marks[-1][1] if marks else began):
            marks.append((Part.PERSON_WAIT, world.now))
        number, switches = desk.begin(job, task)
        until = world.now
        if switches:
            until += _drawn(plan.switch, key, Purpose.SWITCH, task, plan.name)
        if until > world.now:
            marks.append((Part.SWITCHING, until))
        part = Part.PERSON_WORK
        own = begin(node.craft, frame, key, _reader(plan.name), node.reads == "changes")
        lines, words, seconds = _work(node, frame, key)
        took = ns(seconds + (0.0 if plan.types is None else written / plan.types))
        until += took
        marks.append((Part.PERSON_WORK, until))
        yield until - world.now
        outcome = Outcome.DONE
        verdict = _ended(node, frame, key, written, own)
    finally:
        close(own)
        for job in asked:
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


def _drawn(given: Distribution | None, key: int, purpose: int, task: Task, owner: str) -> int:
    """Nanoseconds of a time that may be none."""
    return 0 if given is None else ns(once(given, key, purpose, task, owner))


def _ended(node: Ask, frame: Frame, key: int, written: float, own: Pass | None) -> Verdict | None:
    """What counts once they are done: the lines that they wrote, what they found, what they say."""
    if written:
        frame.task.write(written, _reader(frame.stage.people[node.person].plan.name))
    if own is not None:
        own.end(written)
    if node.says is None:
        return None
    return judged(node.says, frame.round, first(key, Purpose.VERDICT), own)


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
    elif node.reads == "answer":
        words = WORDS_PER_TOKEN * sum(answer.tokens for answer in frame.answers)
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
