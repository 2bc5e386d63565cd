"""An agent: turns of one call and the tools that it asks for, in one session."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator
from typing import Any, ClassVar, cast

from agentsim.chance import first, key_of, uniforms
from agentsim.engine.ahead import Ahead
from agentsim.engine.caps import Caps, Places, around, speak, start, under, within
from agentsim.engine.draws import Purpose, counter, once, whole
from agentsim.engine.frame import Answer, Frame, Steps, Stop, heed
from agentsim.engine.quality import begin, close, judged
from agentsim.engine.server import sent
from agentsim.engine.talk import (
    compact,
    enter,
    fit,
    fork_session,
    open_session,
    own_time,
    pause_of,
)
from agentsim.engine.tasks import Inbox, Session, Task
from agentsim.engine.tools import Hand, Ran, run_tool, run_tools
from agentsim.engine.world import Event
from agentsim.graph import Agent, Delegate, Node, ToolPlan, marks_of
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
    reader = f"session {session.number}"
    own = begin(node.craft, frame, key, reader, node.reads)
    try:
        if session.begins(node.rank, frame.place):
            session.tokens += whole(once(node.task, key, Purpose.TASK, task, plan.name))
        if node.reads:
            session.tokens += whole(task.look(reader) * plan.tokens_per_line)
        lines = 0.0
        if plan.writes is not None:
            lines = once(plan.writes, key, Purpose.WRITES, task, plan.name)
        said = yield from _turns(node, frame, key, session, lines)
        frame.answers = (Answer(said),)
        if lines:
            task.write(lines, reader)
        if own is not None:
            own.end(lines)
    finally:
        session.busy = False
        close(own)
    if frame.around is not None and (frame.around is not session or plan.returns is not None):
        # in the session of the agent around, its last answer stands already
        frame.around.take(returned(node, key, task, said))
    if node.says is None:
        return None
    verdict = judged(node.says, frame.round, first(key, Purpose.VERDICT), own)
    return heed(verdict, node.path)


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
    caps = around(frame)
    places: Places = () if caps is None else caps.calls
    # where nobody else can touch it, the step is worked out ahead of the clock
    alone = not session.shared and session.name not in frame.stage.copied
    open_ = alone and not places and node.plan.turn_time is None
    free = open_ and server.simple and kit.quick
    lead = Ahead(node, server, session, frame) if free else None
    turns = _each_turn(kit, session, lines, lead, places)
    if lead is None:
        return (yield from turns)
    said = 0
    failed: Stop | None = None
    try:
        said = yield from turns
    except Stop as stop:
        failed = stop
    yield from lead.land()  # one that fails does so at its own time
    if failed is not None:
        raise failed
    return said


_NO_MARK = 1 << 60, 0  # no session grows to so many tokens


def _each_turn(
    kit: Kit, session: Session, lines: float, lead: Ahead | None, places: Places
) -> Generator[Event | int, Any, int]:
    node, frame, key = kit.node, kit.frame, kit.key
    plan, task, server = node.plan, frame.task, frame.stage.servers[node.plan.server]
    note = frame.world.note if lead is None else lead.note
    line = server.line(node, plan.role, plan.name, key, task)
    mark, to = marks_of(plan.compact, session.start, server.plan.context) or _NO_MARK
    turns = max(1, whole(once(plan.turns, key, Purpose.TURNS, task, plan.name)))
    think = counter(plan.thinking, key, Purpose.THINKING, task, plan.name)
    say = counter(plan.output, key, Purpose.OUTPUT, task, plan.name)
    pause = pause_of(plan.compact, key, plan.name, frame)
    own = own_time(plan.turn_time, node, key, frame)
    lacking = whole(lines * plan.tokens_per_line)
    for turn in range(turns):
        last = turn == turns - 1
        if session.tokens >= mark:
            if lead is not None:
                yield from lead.land()
            yield from compact(
                node, plan.name, plan.compact, pause, server, line, session, to, frame, places
            )
        if own is not None:
            yield from own()
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
            if lost := (yield from speak(server, request, frame, node, places)):
                thinking, visible, lacking = _shorter(lost, thinking, visible, lacking)
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


def _shorter(lost: int, thinking: int, visible: int, lacking: int) -> tuple[int, int, int]:
    """(thinking, visible, lacking) of an answer of another server, which holds so much less."""
    made = thinking + visible - lost
    thought = min(thinking, made)
    return thought, made - thought, lacking + visible - (made - thought)


class Sub:
    """A subagent as an agent step calls it in mid-turn: the same each time, but for the draws."""

    quick: ClassVar[bool] = False

    def __init__(self, node: Agent, caps: Caps | None) -> None:
        self.node = node
        self.caps = caps
        self.runs = 0


def run_sub(sub: Sub, frame: Frame) -> Ran:
    """One run of a subagent; it fails as a tool does, and the agent goes on."""
    place, before = frame.place, frame.around
    frame.place = (*place, sub.runs)
    frame.around = inbox = Inbox(sub.caps)
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
        frame.place, frame.around = place, before
    return good, inbox.tokens


class Kit:
    """The tools of one agent step: which one a turn asks for, and their streams."""

    def __init__(self, node: Agent, frame: Frame, key: int) -> None:
        plan = node.plan
        self.node = node
        self.frame = frame
        self.key = key
        self.in_turn = plan.in_turn
        self._caps = caps = within(node.caps, node, frame)
        self._places: Places = () if caps is None else caps.tools
        self.hands = [self._hand(tool, key) for tool, _ in plan.tools]
        self.shares = [share for _, share in plan.tools]
        self._pick = uniforms(key, Purpose.CHOICE)
        self._count = None
        self.quick = not self._places and all(hand.quick for hand in self.hands)
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
            return Sub(self.node.subs[tool.number], self._caps)
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
        """One run of a tool, under the caps on tools where there are any; or of a subagent."""
        if isinstance(hand, Sub):
            return run_sub(hand, frame)
        if not self._places:
            return run_tool(hand, frame, node)
        who = hand.tool.name
        return under(self._places, node, who, frame, lambda: run_tool(hand, frame, node))
