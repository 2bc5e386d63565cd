"""A cache by time: a prefix is a hit until `ttl` has passed since the end of its last use."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from agentsim.laws.prefix import Name, Prefix, State, Use

_NEVER = -(1 << 62)


class _Entry:
    """One chain of blocks or one session's history: how much of it is held, and since when.

    A use of a session's history is a use of the blocks before it. Most uses are noted at the
    history alone: it is `linked` then, and its blocks ask it (`followers`) when somebody asks them.
    """

    __slots__ = (
        "ahead",
        "base",
        "coming",
        "deep",
        "end",
        "followers",
        "length",
        "linked",
        "ready",
        "users",
    )

    def __init__(self, base: int = 0) -> None:
        self.length = 0  # tokens held
        self.coming = 0  # tokens held from `ready` on
        self.ready = 0
        self.end = _NEVER  # of the last use
        self.users = 0  # uses begun and not ended
        self.deep = 0  # those of them that are noted at the blocks too
        self.base = base  # of a history: tokens of the blocks before it
        self.linked = False
        self.ahead: tuple[list[int], list[int]] | None = None  # of uses told ahead: from, until
        self.followers: dict[_Entry, None] = {}

    def ask(self, now: int, ttl: int) -> bool:
        """Is it live at `now`? Learns the last use from those that follow."""
        live = self.users > 0
        if self.followers:
            for entry in list(self.followers):
                end = entry.end if entry.ahead is None else entry.used(now)
                self.end = max(self.end, end)
                if entry.users:
                    live = True
                elif now - end > ttl:
                    entry.linked = False
                    del self.followers[entry]
        return live or now - self.end <= ttl

    def used(self, now: int) -> int:
        """The end of the last use that has begun by `now`, of those told ahead."""
        starts, ends = self.ahead or ([], [])
        begun = bisect_right(starts, now)
        return ends[begun - 1] if begun else _NEVER

    def settle(self, now: int, ttl: int) -> int:
        """What is held at `now`: drops what has run out, takes in what has been read."""
        if not self.ask(now, ttl):
            self.length = self.coming = 0
        elif self.coming and now >= self.ready:
            self.length = max(self.length, self.coming)
            self.coming = 0
        return self.length

    def expect(self, length: int, ready: int) -> None:
        """`length` tokens will have been read at `ready`."""
        if length > self.coming or (length == self.coming and ready < self.ready):
            self.coming, self.ready = length, ready


class TtlCache:
    """DESIGN section 4: a hit while now - end of last use <= ttl, refreshed by use.

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
        self._era = object()

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
            held = entry.settle(now, ttl)
            if held > hit:
                hit = min(held, upto or total)
        return hit - hit % self._block

    def use(self, prefix: Prefix, now: int, ready: int, end: int, answered: int = 0) -> None:
        """`begin` and `keep` in one pass: the hot path of servers whose calls are all planned."""
        ttl, total = self._ttl, prefix.total
        own = self._usual(prefix, now)
        if own is not None and total >= own.base:
            if total > own.length:
                if ready <= now:
                    own.length = total
                else:
                    own.expect(total, ready)
            own.end = max(own.end, end)
            if own.ahead is not None:
                own.ahead[0].append(now)
                own.ahead[1].append(end)
        else:
            for entry, upto in self._found(prefix, now):
                if upto > total:
                    continue
                length = upto or total
                entry.settle(now, ttl)
                if length > entry.length:
                    if ready <= now:
                        entry.length = length
                    else:
                        entry.expect(length, ready)
                entry.end = max(entry.end, end)
            own = self._link(prefix, now)
        if answered and self._answers:
            own.expect(total + answered, end)

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

    def land(self, prefix: Prefix) -> None:
        """From now on the history's last use is its last one."""
        self._found(prefix, 0)[-1][0].ahead = None

    def back(self, prefix: Prefix, state: State, uses: Sequence[Use]) -> None:
        """The history as it stood after that first use, and after those that came to pass."""
        own = self._found(prefix, 0)[-1][0]
        linked, own.linked = own.linked, True
        own.length, own.coming, own.ready, own.end = state
        for prefix.total, began, ready, end, answered in uses:
            self.use(prefix, began, ready, end, answered)
        # its blocks may have let it go since
        own.linked = linked

    def cut(self, prefix: Prefix, ready: int, planned: int, end: int) -> None:
        """A use that was to end at `planned` ended at `end`; a prompt not yet read is not held."""
        for entry, _ in self._found(prefix, end):
            if entry.end == planned:
                entry.end = end
            if (end < ready and entry.ready == ready) or entry.ready == planned:
                entry.coming = 0

    def begin(self, prefix: Prefix, now: int, ready: int) -> None:
        """One more use of each entry; what is not held yet is expected at `ready`."""
        ttl, total = self._ttl, prefix.total
        own = self._usual(prefix, now)
        if own is not None and total >= own.base:
            own.users += 1
            if total > own.length:
                if ready <= now:
                    own.length = total
                else:
                    own.expect(total, ready)
            return
        for entry, upto in self._found(prefix, now):
            if upto > total:
                continue
            held = entry.settle(now, ttl)
            entry.users += 1
            entry.deep += 1
            length = upto or total
            # what is held already need not be expected
            if length > held:
                entry.expect(length, ready)

    def keep(self, prefix: Prefix, ready: int, end: int, answered: int = 0) -> None:
        """The end of a use: entries live on from `end`, and hold the answer where it is covered."""
        found = self._found(prefix, end)
        own = found[-1][0]
        if own.linked and own.users > own.deep and end >= ready:
            # as it was begun: at the history alone
            own.users -= 1
            total = prefix.total
            if own.coming and end >= own.ready:
                own.length, own.coming = max(own.length, own.coming), 0
            own.end = max(own.end, end)
            if total > own.length:
                own.expect(total, ready)
            if answered and self._answers:
                own.settle(end, self._ttl)
                own.expect(total + answered, end)
            return
        for entry, upto in found:
            self._keep(entry, upto, prefix.total, ready, end, answered)
        if end >= ready:
            self._link(prefix, end)

    def _keep(
        self, entry: _Entry, upto: int, total: int, ready: int, end: int, answered: int
    ) -> None:
        if upto > total:
            return
        ttl, users = self._ttl, entry.users
        held = entry.settle(ready if ready < end else end, ttl)
        if users:
            entry.users = users - 1
            entry.deep = min(entry.deep, entry.users)
        entry.end = max(entry.end, end)
        if end < ready:
            if not entry.users and entry.ready == ready:
                entry.coming = 0
            return
        if (upto or total) > held:
            entry.expect(upto or total, ready)
        if answered and self._answers and not upto:
            entry.settle(end, ttl)
            entry.expect(total + answered, end)

    def _usual(self, prefix: Prefix, now: int) -> _Entry | None:
        """The session's history where it is linked and live: the usual case."""
        held = prefix.held
        if held is None or held[0] is not self._era:
            return None
        own: _Entry = held[1][-1][0]
        if not own.linked or (now - own.end > self._ttl and not own.users):
            return None
        if own.coming and now >= own.ready:
            own.length = max(own.length, own.coming)
            own.coming = 0
        return own

    def _link(self, prefix: Prefix, now: int) -> _Entry:
        """From now on uses are noted at the session's history, where it covers all its blocks."""
        found = self._found(prefix, now)
        own = found[-1][0]
        if prefix.total >= own.base:
            own.linked = True
            for entry, upto in found:
                if upto:
                    entry.followers[own] = None
        return own

    def _found(self, prefix: Prefix, now: int) -> list[tuple[_Entry, int]]:
        """The entries of a prefix, looked up once and remembered in it; upto 0 = the session's."""
        held = prefix.held
        if held is None or held[0] is not self._era:
            if len(self._entries) >= self._sweep_at:
                self._sweep(now)
            names = prefix.names()
            base = names[-2][1] if len(names) > 1 else 0
            entries = [(self._entry(name, 0 if upto else base), upto) for name, upto in names]
            held = prefix.held = (self._era, entries)
        return held[1]

    def _entry(self, name: Name, base: int) -> _Entry:
        entry = self._entries.get(name)
        if entry is None:
            entry = self._entries[name] = _Entry(base)
        return entry

    def _sweep(self, now: int) -> None:
        """Forget what has run out; next time when twice as much is left (so O(1) a call)."""
        kept = {name: e for name, e in self._entries.items() if e.ask(now, self._ttl)}
        self._entries = kept
        self._sweep_at = max(1024, 2 * len(kept))
        self._era = object()  # what prefixes remember may have been forgotten
