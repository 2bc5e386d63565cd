"""A cache by time: a prefix is a hit until `ttl` has passed since the end of its last use."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from heapq import heappop, heappush

from agentsim.laws.prefix import Name, Prefix, State, Use
from agentsim.records import Loss, Why

_NEVER = -(1 << 62)


class _Entry:
    """One chain of blocks or one session's history: how much of it is held, and since when.

    A use of a session's history is a use of the blocks before it: a block asks the histories that
    follow it (`followers`) when the last use that it knows of has run out. So a thousand of them
    are asked once in a while, not at each call.
    """

    __slots__ = (
        "ahead",
        "base",
        "coming",
        "dropped",
        "end",
        "followers",
        "last",
        "length",
        "linked",
        "past",
        "reading",
        "ready",
        "upto",
        "why",
    )

    def __init__(self, base: int = 0, upto: int = 0) -> None:
        self.upto = upto  # of blocks: tokens up to their end
        self.past = 0  # tokens held before it was let go of, and why that was
        self.why = Why.EXPIRED
        self.last = _NEVER  # the end of its last use before
        self.length = 0  # tokens held
        self.coming = 0  # of a history: tokens held from `ready` on
        self.ready: int = 0
        self.end: int = _NEVER  # of the last use; of blocks: of the last one known of
        self.base = base  # of a history: tokens of the blocks before it
        self.linked = False  # of a history: it follows all of its blocks
        self.ahead: tuple[list[int], list[int]] | None = None  # of uses told ahead: from, until
        # of blocks: who follows, and when each prompt that it reads will have been read
        self.followers: dict[_Entry, list[int]] = {}
        self.reading: list[int] = []  # of blocks: those instants of all, the earliest first
        self.dropped: dict[int, int] = {}  # of them: how many were cut before, so do not count

    def used(self, now: int) -> int:
        """The end of the last use that has begun by `now`."""
        if self.ahead is None:
            return self.end
        starts, ends = self.ahead
        begun = bisect_right(starts, now)
        return ends[begun - 1] if begun else _NEVER

    def live(self, now: int, ttl: int) -> bool:
        """Learns the last use from those that follow, and lets go of those that have run out."""
        if now - self.end <= ttl:
            return True
        for entry in list(self.followers):
            end = entry.used(now)
            self.end = max(self.end, end)
            if now - end > ttl:
                entry.linked = False
                del self.followers[entry]
        return now - self.end <= ttl

    def read(self, now: int) -> bool:
        """Whether somebody has read the block by `now`."""
        reading, dropped = self.reading, self.dropped
        while reading and dropped and reading[0] in dropped:
            ready = heappop(reading)
            dropped[ready] -= 1
            if not dropped[ready]:
                del dropped[ready]
        return bool(reading) and reading[0] <= now

    def reads(self, who: _Entry, ready: int) -> None:
        """A history that follows will have read the block at `ready`."""
        self.followers[who].append(ready)
        heappush(self.reading, ready)

    def unread(self, who: _Entry, ready: int) -> None:
        """It was cut before."""
        own = self.followers.get(who, [])
        if ready in own:
            own.remove(ready)
            self.dropped[ready] = self.dropped.get(ready, 0) + 1

    def forget(self, now: int, why: Why) -> None:
        """Nothing is held and nobody reads it."""
        held = max(self.length, self.coming)
        if self.upto and self.read(now):
            held = self.upto
        if held:
            self.past, self.why, self.last = max(self.past, held), why, self.end
        self.length = self.coming = 0
        self.reading.clear()
        self.dropped.clear()

    def settle(self, now: int, ttl: int, upto: int) -> int:
        """What is held at `now`: drops what has run out, takes in what has been read."""
        if not self.live(now, ttl):
            self.forget(now, Why.EXPIRED)
        elif upto > self.length and self.read(now):
            self.length = upto
        elif self.coming and now >= self.ready:
            self.length = max(self.length, self.coming)
            self.coming = 0
        return self.length

    def expect(self, length: int, ready: int) -> None:
        """`length` tokens of a history will be held from `ready` on."""
        if length > self.coming or (length == self.coming and ready < self.ready):
            self.coming, self.ready = length, ready


class _Era:
    """In which a prefix remembers its entries: they may have been forgotten since, not by it."""

    __slots__ = ("of",)

    def __init__(self, of: object) -> None:
        self.of = of


class TtlCache:
    """docs/model.md, "A call": a hit while now - end of last use <= ttl, refreshed by use.

    ttl: nanoseconds. block: hits are whole multiples of so many tokens. answers: `covers: all`,
    the answer is kept too; else what the last request sent. A prompt can be used by requests that
    start at or after the instant at which it has been read.
    """

    def __init__(self, ttl: int, block: int = 1, answers: bool = False) -> None:
        if ttl < 0 or block < 1:
            raise ValueError("a cache needs a ttl of 0 or more and a block of 1 token or more")
        self._ttl = ttl
        self._block = block
        self._answers = answers
        self._entries: dict[Name, _Entry] = {}
        self._sweep_at = 1024
        self._era = _Era(self)

    def lookup(self, prefix: Prefix, now: int) -> int:
        """The longest of what is held of the session's history and of its chains of blocks."""
        total = prefix.total
        own = self._usual(prefix, now)
        if own is not None and own.length >= own.base:
            # the session's own history is held, and with it all that stands before
            hit = own.length if own.length < total else total
            return hit - hit % self._block
        hit, ttl = 0, self._ttl
        for entry, upto in self._found(prefix, now):
            if upto > total:
                continue
            held = entry.settle(now, ttl, upto)
            if held > hit:
                hit = min(held, total)
        return hit - hit % self._block

    def use(self, prefix: Prefix, now: int, ready: int, end: int, answered: int = 0) -> None:
        """A request starts, will have read its prompt at `ready`, and will end at `end`."""
        total = prefix.total
        own = self._usual(prefix, now)
        if own is None or total < own.base:
            own = self._follow(prefix, now, ready)
        if total > own.length:
            if ready <= now:
                own.length = total
            else:
                own.expect(total, ready)
        own.end = max(own.end, end)
        if own.ahead is not None:
            own.ahead[0].append(now)
            own.ahead[1].append(end)
        if answered and self._answers:
            own.expect(total + answered, end)

    def lost(self, prefix: Prefix, now: int, hit: int) -> Loss | None:
        """What was held when it ran out. Of a history that lives nothing is missing."""
        if self._usual(prefix, now) is not None:
            return None
        most = hit
        last: _Entry | None = None
        for entry, upto in self._found(prefix, now):
            past = min(entry.past, prefix.total)
            past -= past % self._block
            if upto <= prefix.total and past > most:
                most, last = past, entry
        return None if last is None else Loss(most - hit, last.last, last.why)

    def clear(self, now: int) -> None:
        for entry in self._entries.values():
            if entry.live(now, self._ttl):
                entry.settle(now, self._ttl, entry.upto)
                entry.forget(now, Why.UNLOADED)
            entry.linked = False

    def fork(self, old: Prefix, new: Prefix, now: int) -> None:
        """What is held of the original's history is held of the copy's, since its last use.

        It may end before the history does: the last answer is not in it, or not its last blocks.
        """
        own, copy = self._found(old, now)[-1][0], self._found(new, now)[-1][0]
        copy.length = min(own.settle(now, self._ttl, 0), old.total)
        copy.end = min(own.end, now)
        copy.past, copy.why, copy.last = min(own.past, old.total), own.why, own.last

    def _follow(self, prefix: Prefix, now: int, ready: int) -> _Entry:
        """The session's history, which from now on follows the blocks that its prompt holds."""
        found = self._found(prefix, now)
        own = found[-1][0]
        own.settle(now, self._ttl, 0)
        for entry, upto in found[:-1]:
            if upto <= prefix.total:
                if entry.settle(now, self._ttl, upto) < upto and ready <= now:
                    entry.length = upto
                entry.followers.setdefault(own, [])
                if entry.length < upto:
                    entry.reads(own, ready)
        own.linked = prefix.total >= own.base
        return own

    def ahead(self, prefix: Prefix, now: int) -> int:
        """The session's own history, where it is all that counts: linked, live, held in full."""
        own, total = self._usual(prefix, now), prefix.total
        if own is None or own.length < own.base or total < own.base:
            return -1
        hit = own.length if own.length < total else total
        return hit - hit % self._block

    def lead(self, prefix: Prefix, now: int) -> State:
        """After the first use of a stretch: what others ask of the history is as of their time."""
        own = self._found(prefix, now)[-1][0]
        own.ahead = [now], [own.end]
        return own.length, own.coming, own.ready, own.end

    def land(self, prefix: Prefix, now: int) -> None:
        """From now on the history's last use is its last one."""
        self._found(prefix, now)[-1][0].ahead = None

    def back(self, prefix: Prefix, now: int, state: State, uses: Sequence[Use]) -> None:
        """The history as it stood after that first use, and after those that came to pass."""
        own = self._found(prefix, now)[-1][0]
        linked, own.linked = own.linked, True
        own.length, own.coming, own.ready, own.end = state
        for prefix.total, began, ready, end, answered in uses:
            self.use(prefix, began, ready, end, answered)
        # its blocks may have let it go since
        own.linked = linked

    def cut(self, prefix: Prefix, ready: int, planned: int, end: int, answered: int = 0) -> None:
        """A use told to end at `planned` ended at `end`; a prompt not yet read is not held."""
        total, found = prefix.total, self._found(prefix, end)
        for entry, _ in found:
            if entry.end == planned:
                entry.end = end  # who else uses it says so when it is asked
        own = found[-1][0]
        if end < ready:
            self._unread(found, ready)
        elif total > own.length:
            own.length = total
        own.coming = 0  # neither what was not read nor the answer
        if answered and self._answers:
            own.expect(total + answered, end)

    def _unread(self, found: list[tuple[_Entry, int]], ready: int) -> None:
        """A prompt that would have been read at `ready` was not, nor were the blocks of it."""
        own = found[-1][0]
        for entry, _ in found[:-1]:
            entry.unread(own, ready)
        own.linked = False  # the next use reads the blocks

    def _usual(self, prefix: Prefix, now: int) -> _Entry | None:
        """The session's history where it is linked and live: the usual case."""
        held = prefix.held
        if held is None or held[0] is not self._era:
            return None
        own: _Entry = held[1][-1][0]
        if not own.linked or now - own.end > self._ttl:
            return None
        if own.coming and now >= own.ready:
            own.length = max(own.length, own.coming)
            own.coming = 0
        return own

    def _found(self, prefix: Prefix, now: int) -> list[tuple[_Entry, int]]:
        """The entries of a prefix, looked up once and remembered in it; upto 0 = the session's."""
        held = prefix.held
        if held is None or held[0] is not self._era:
            if len(self._entries) >= self._sweep_at:
                self._sweep(now)
            names = prefix.names()
            base = names[-2][1] if len(names) > 1 else 0
            known: _Entry | None = None
            if held is not None and isinstance(held[0], _Era) and held[0].of is self:
                known = held[1][-1][0]  # what has run out was held once
            entries = [(self._entry(name, upto, base, known), upto) for name, upto in names]
            held = prefix.held = (self._era, entries)
        return held[1]

    def _entry(self, name: Name, upto: int, base: int, known: _Entry | None) -> _Entry:
        entry = self._entries.get(name)
        if entry is None:
            entry = known if known is not None and not upto else _Entry(0 if upto else base, upto)
            self._entries[name] = entry
        return entry

    def _sweep(self, now: int) -> None:
        """Forget histories that have run out; next when twice as much is left: O(1) a call."""
        kept = {name: e for name, e in self._entries.items() if e.live(now, self._ttl) or e.upto}
        self._entries = kept
        self._sweep_at = max(1024, 2 * len(kept))
        self._era = _Era(self)  # what prefixes remember may have been forgotten
