"""An agent: turns of one call and the tools that it asks for, in one session."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from simpy.events import Event

from agentsim.chance import first, key_of, uniforms
from agentsim.engine.ahead import Ahead
from agentsim.engine.caps import speak, start, under
from agentsim.engine.draws import Purpose, counter, once, timer, whole
from agentsim.engine.frame import Frame, Steps, Stop, heed
from agentsim.engine.server import Server, sent
from agentsim.engine.talk import compact, enter, fit, fork_session, open_session, threshold
from agentsim.engine.tasks import Inbox, Session, Task
from agentsim.engine.tools import Hand, Ran, run_tool, run_tools
from agentsim.graph import Agent, Delegate, Node, ToolPlan
from agentsim.records import Verdict


def run_agent(node: Agent, frame: Frame) -> Steps:
    """An agent, as soon as the harness lets it start."""
    return (yield from start(node, node.plan.name, frame, lambda: _run(node, frame)))


def _run(node: Agent, frame: Frame) -> Steps:
    """All turns; then what it wrote counts as changes, and it says its verdict where it has one."""
    task, plan = frame.task, node.plan
    key = frame.key(node.name)
    if node.fork:
        session = fork_session(frame, node.session, node.label, plan.prompt)
    else:
        session = open_session(frame, node.session, node.label, plan.prompt)
    enter(session, node.path)
    try:
        if not (frame.tried and session.prompt < session.tokens):
            # a further try goes on where the last one stopped: its task is not sent twice
            session.tokens += whole(once(node.task, key, Purpose.TASK, task, plan.name))
        reader = f"session {session.number}"
        if node.reads:
            session.tokens += whole(task.look(reader) * plan.tokens_per_line)
        lines = 0.0
        if plan.writes is not None:
            lines = once(plan.writes, key, Purpose.WRITES, task, plan.name)
        said = yield from _turns(node, frame, key, session, lines)
        if lines:
            task.write(lines, reader)
    finally:
        session.busy = False
    if frame.around is not None:
        frame.around.tokens += returned(node, key, task, said)
    if node.says is None:
        return None
    return heed(node.says.verdict(frame.round, first(key, Purpose.VERDICT)), node.path)


def returned(node: Agent, key: int, task: Task, said: int) -> int:
    """Tokens that an agent hands to the one around it: its last answer, if nothing else is said."""
    plan = node.plan
    if plan.returns is None:
        return said
    return whole(once(plan.returns, key, Purpose.RETURNS, task, plan.name))


def _turns(
    node: Agent, frame: Frame, key: int, session: Session, lines: float
) -> Generator[Event | int, Any, int]:
    """All turns; returns the visible tokens of the last."""
    server = frame.stage.servers[node.plan.server]
    kit = Kit(node, frame, key)
    caps = frame.stage.caps
    # where nobody else can touch it, the step is worked out ahead of the clock
    free = server.simple and kit.quick and (caps is None or caps.calls is None)
    lead = Ahead(node, server, session, frame) if free else None
    turns = _each_turn(node, frame, key, session, lines, server, kit, lead)
    if lead is None:
        return (yield from turns)
    try:
        said = yield from turns
    except Stop:
        yield from lead.land()  # it fails at its own time
        raise
    yield from lead.land()
    return said


def _each_turn(
    node: Agent,
    frame: Frame,
    key: int,
    session: Session,
    lines: float,
    server: Server,
    kit: Kit,
    lead: Ahead | None,
) -> Generator[Event | int, Any, int]:
    plan, task = node.plan, frame.task
    note = frame.world.note if lead is None else lead.note
    line = server.line(node, plan.role, plan.name, key, task)
    limits = threshold(plan, server.plan)
    turns = max(1, whole(once(plan.turns, key, Purpose.TURNS, task, plan.name)))
    think = counter(plan.thinking, key, Purpose.THINKING, task, plan.name)
    say = counter(plan.output, key, Purpose.OUTPUT, task, plan.name)
    pause = None
    if plan.compact is not None and plan.compact.time is not None:
        pause = timer(plan.compact.time, key, Purpose.COMPACTION, task, plan.name)
    lacking = whole(lines * plan.tokens_per_line)
    for turn in range(turns):
        last = turn == turns - 1
        if limits is not None and session.tokens >= limits[0]:
            if lead is not None:
                yield from lead.land()
            yield from compact(node, pause, server, line, session, limits[1], frame)
        thinking, visible = think(), say()
        if last and visible < lacking:
            note("output_raised")
            visible = lacking
        held = fit(node, server.plan, session, thinking, visible, None)
        thinking, visible = held.thinking, held.visible
        if held.cut:
            note("output_cut")
        lacking -= visible
        kept = visible + thinking if plan.keeps_thinking or not thinking else 0
        request = sent(line, session, held, kept)
        if lead is None:
            yield from speak(server, request, frame, node)
        elif not lead.call(request):
            yield from lead.land()
            lead.call(request)
        if lead is not None and len(lead.parts) == 1 and lead.stands:
            yield from lead.land()
        session.asked = True
        session.tokens += visible + (thinking if plan.keeps_thinking else 0)
        if last:
            break
        hands = kit.choose()
        if lead is None:
            if len(hands) == 1:
                _, tokens = yield from kit.one(hands[0], frame, node)
            else:
                tokens = yield from kit.run(hands)
        else:
            tokens = lead.use(cast("list[Hand]", hands), kit.in_turn)
        session.tokens += tokens
    return visible


@dataclass(slots=True)
class Sub:
    """A subagent as an agent step calls it in mid-turn: the same each time, but for the draws."""

    node: Agent
    runs: int = 0
    quick: ClassVar[bool] = False


def run_sub(sub: Sub, frame: Frame) -> Ran:
    """One run of a subagent; it fails as a tool does, and the agent goes on."""
    place, around = frame.place, frame.around
    frame.place = (*place, sub.runs)
    frame.around = inbox = Inbox()
    sub.runs += 1
    good = True
    try:
        yield from frame.run(sub.node)
    except Stop as stop:
        if stop.verdict is not Verdict.FAILED:
            raise
        good = False
        frame.world.note("subagent_failed")
    finally:
        frame.place, frame.around = place, around
    return good, inbox.tokens


class Kit:
    """The tools of one agent step: which one a turn asks for, and their streams."""

    def __init__(self, node: Agent, frame: Frame, key: int) -> None:
        plan = node.plan
        self.node = node
        self.frame = frame
        self.in_turn = plan.in_turn
        self.hands = [self._hand(tool, key) for tool, _ in plan.tools]
        self.shares = [share for _, share in plan.tools]
        self._pick = uniforms(key, Purpose.CHOICE)
        self._count = None
        caps = frame.stage.caps
        self._cap = None if caps is None else caps.tools
        self.quick = self._cap is None and all(hand.quick for hand in self.hands)
        self._asks = None
        if node.asks is not None:
            self.quick = False
            self._asks = uniforms(key, Purpose.ASKS)
        self._asked = 0
        self._alone = len(self.hands) == 1 and self.shares[0] >= 1.0
        if plan.tools_per_turn is not None:
            self._alone = False
            self._count = counter(plan.tools_per_turn, key, Purpose.COUNT, frame.task, plan.name)

    def _hand(self, tool: ToolPlan | Delegate, key: int) -> Hand | Sub:
        if isinstance(tool, Delegate):
            return Sub(self.node.subs[tool.number])
        return Hand(tool, key_of(key, tool.name), self.frame)

    def choose(self) -> list[Hand | Sub]:
        """The tools that the next turn asks for."""
        if self._alone:
            return self.hands
        count = 1 if self._count is None else self._count()
        chosen = []
        for _ in range(count):
            # the share left over by the tools is that of turns that call none
            i = bisect_right(self.shares, next(self._pick))
            if i < len(self.hands):
                chosen.append(self.hands[i])
        return chosen

    def run(self, hands: list[Hand | Sub]) -> Generator[Event | int, Any, int]:
        """The tools of one turn, side by side or one by one; returns the tokens they return."""
        if len(hands) > 1 and not self.in_turn:
            return (yield from run_tools(hands, self.frame, self.node, self.one))
        total = 0
        for hand in hands:
            _, tokens = yield from self.one(hand, self.frame, self.node)
            total += tokens
        return total

    def one(self, hand: Hand | Sub, frame: Frame, node: Node) -> Ran:
        """One run of a tool or a subagent; before some of them somebody is asked."""
        if self._asks is None:
            return self._one(hand, frame, node)
        return self._permitted(next(self._asks), hand, frame, node)

    def _permitted(self, drawn: float, hand: Hand | Sub, frame: Frame, node: Node) -> Ran:
        asks, place = self.node.asks, frame.place
        if asks is not None and drawn < self.node.asks_chance:
            frame.place = (*place, self._asked)
            self._asked += 1
            try:
                yield from frame.run(asks)
            finally:
                frame.place = place
        return (yield from self._one(hand, frame, node))

    def _one(self, hand: Hand | Sub, frame: Frame, node: Node) -> Ran:
        """One run of a tool, under the cap on tools where there is one; or of a subagent."""
        if isinstance(hand, Sub):
            return run_sub(hand, frame)
        if self._cap is None:
            return run_tool(hand, frame, node)
        who = hand.tool.name
        return under(self._cap, node, who, frame, lambda: run_tool(hand, frame, node))
