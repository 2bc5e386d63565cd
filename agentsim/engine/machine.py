"""A machine whose memory holds so many models: a call waits until its own is there.

One queue a machine, first come first served within a priority: who is first and cannot have its
model yet holds back those behind, so that a model in steady use cannot keep another out for ever.
Models are loaded one at a time, and the room of one that no call uses is free at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush

from agentsim.engine.bench import Order
from agentsim.engine.draws import Counter
from agentsim.engine.world import Event, World
from agentsim.records import Loads, Mark, Part, Peak


class Model:
    """The model of one server, in memory or not. `keep`: nanoseconds that it stays unused.

    `emptied` is called when it is loaded anew: what its server remembered of prompts is gone.
    """

    def __init__(self, machine: Machine, keep: int | None, emptied: Callable[[], None]) -> None:
        self.machine = machine
        self.keep = keep
        self.emptied = emptied
        self.here = False
        """In memory, or being loaded, unless it has been unused for too long since."""
        self.ready = 0
        """When it was, or will be, loaded."""
        self.calls = 0
        self.serves = False
        """In memory, with a call in service."""
        self.used = 0
        """When its last call ended."""
        self.coming: list[Seat] = []
        """Calls that wait for it to be loaded."""
        self.loads = self.loading = self.waited = 0

    def is_here(self, now: int) -> bool:
        """Whether it is in memory or being loaded; it leaves after `keep` without a call."""
        if self.here and not self.calls and self.ready <= now and self.keep is not None:
            self.here = now - self.used <= self.keep
        return self.here

    def told(self, server: int) -> Loads:
        """What came to pass up to now; of a load that goes on, its part."""
        left = max(0, self.ready - self.machine.world.now) if self.here else 0
        beside = self.machine.beside()
        return Loads(server, self.loads, self.loading - left, self.waited, beside)


class Seat(Event):
    """A call's use of its model: the event happens when that is in memory.

    `since`: from when on it is being loaded for it, -1 while it waits for its turn. `leave()` gives
    it back, or takes the ask back; it may be called twice.
    """

    held = False
    left = False
    since = -1

    def __init__(self, model: Model, who: str, load: Counter | None) -> None:
        self.callbacks = []  # what Event.__init__ does, without the call
        self.model = model
        self.who = who
        self.load = load
        self.asked = model.machine.world.now

    def mark(self, marks: list[Mark], began: int) -> None:
        """What the call waited for its turn, and for its model to be loaded, up to now."""
        if self.since < 0:
            return
        for part, until in (
            (Part.SLOT_WAIT, self.since),
            (Part.MODEL_LOAD, self.model.machine.world.now),
        ):
            if until > (marks[-1][1] if marks else began):
                marks.append((part, until))

    def leave(self) -> None:
        if self.left:
            return
        self.left = True
        self.model.machine.take_back(self)


class Machine:
    """`places`: how many models are in memory at once."""

    def __init__(self, world: World, name: str, places: int) -> None:
        self.world = world
        self.name = name
        self.places = places
        self.models: list[Model] = []
        self.order = 0
        self.dirty = False
        self._queue: list[tuple[float, int, Order, int, Seat]] = []
        self._seq = 0
        self._until = 0  # when the load that goes on is over
        self._serving = 0  # models with a call in service
        self._beside = self._since = 0
        world.join(self)

    def beside(self) -> int:
        """Nanoseconds up to now in which several of its models served at once."""
        now = self.world.now
        if self._serving > 1:
            self._beside += now - self._since
        self._since = now
        return self._beside

    def ask(
        self, model: Model, order: Order, who: str, priority: float, load: Counter | None
    ) -> Seat:
        """Queue for a model. A seat that is given at once is over, as an event.

        `load` says how long loading takes, if it must be loaded for this call.
        """
        seat = Seat(model, who, load)
        world = self.world
        now = world.now
        is_free = not self._queue and not self.dirty
        if is_free and model.is_here(now) and model.ready <= now and world.alone():
            self._serve(seat)
            seat.callbacks = None
            return seat
        self._seq += 1
        heappush(self._queue, (-priority, now, order, self._seq, seat))
        world.unsettle(self)
        return seat

    def take_back(self, seat: Seat) -> None:
        model, now = seat.model, self.world.now
        if seat.held:
            model.calls -= 1
            model.used = now
            if not model.calls:
                self._serves(model, False)
        else:
            model.waited += now - seat.asked
        if self._queue:
            self.world.unsettle(self)

    def settle(self) -> list[Event]:
        """Let in whose model is there, and load what is next where there is room."""
        granted: list[Event] = []
        queue, now = self._queue, self.world.now
        while queue:
            seat = queue[0][4]
            if seat.left:
                heappop(queue)
                continue
            model = seat.model
            if not model.is_here(now) and not self._load(seat, now):
                break
            heappop(queue)
            model.waited += now - seat.asked
            seat.since = now
            if model.ready > now:
                seat.held = True
                model.calls += 1
                model.coming.append(seat)
            else:
                self._serve(seat)
                granted.append(seat)
        return granted

    def _serve(self, seat: Seat) -> None:
        """Its model is in memory: it is in service from now on."""
        seat.held = True
        seat.model.calls += 1
        self._serves(seat.model, True)

    def _serves(self, model: Model, does: bool) -> None:
        if model.serves != does:
            self.beside()
            self._serving += 1 if does else -1
            model.serves = does

    def _load(self, seat: Seat, now: int) -> bool:
        """Begin to load a model, in the room of one that no call uses; False where that must wait.

        Of several such models the one goes that was used least lately.
        """
        if self._until > now:
            return False
        here = [it for it in self.models if it.is_here(now)]
        if len(here) >= self.places:
            unused = [it for it in here if not it.calls]
            if not unused:
                return False
            oldest = unused[0]
            for it in unused:
                if it.used < oldest.used:
                    oldest = it
            oldest.here = False
        model = seat.model
        took = 0 if seat.load is None else seat.load()
        model.here = True
        model.ready = now + took
        model.loads += 1
        model.loading += took
        model.emptied()
        if took:
            self._until = model.ready
            self.world.after(took, self._loaded, model)
        return True

    def _loaded(self, model: Model) -> None:
        """A model is in memory now; the calls that waited for it go on."""
        self._serves(model, model.calls > 0)
        model.used = self.world.now
        events: list[Event] = [seat for seat in model.coming if not seat.left]
        model.coming = []
        if self._queue:
            self.world.unsettle(self)
        if events:
            self.world.fire(events)

    def waiting(self) -> Iterator[tuple[str, str, list[str]]]:
        for entry in sorted(self._queue, key=lambda entry: entry[:4]):
            if not entry[-1].left:
                yield entry[-1].who, f"a model in the memory of {self.name}", []

    def peak(self) -> Peak | None:
        return None
