"""A cache by time: a prefix is a hit until `ttl` has passed since the end of its last use."""

from __future__ import annotations

from agentsim.laws.prefix import Name, Prefix

_NEVER = -(1 << 62)


class _Entry:
    """One chain of blocks or one session's history: how much of it is held, and since when."""

    __slots__ = ("coming", "end", "length", "ready", "users")

    def __init__(self) -> None:
        self.length = 0  # tokens held
        self.coming = 0  # tokens held from `ready` on
        self.ready = 0
        self.end = _NEVER  # of the last use
        self.users = 0  # uses begun and not ended

    def live(self, now: int, ttl: int) -> bool:
        return self.users > 0 or now - self.end <= ttl

    def settle(self, now: int, ttl: int) -> int:
        """What is held at `now`: drops what has run out, takes in what has been read."""
        if not self.users and now - self.end > ttl:
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
        hit, ttl, total = 0, self._ttl, prefix.total
        found = self._found(prefix, now)
        own = found[-1][0]
        if own.users == 0 and not own.coming and own.length and now - own.end <= ttl:
            # the usual case: the session's own history is held, and with it all that stands before
            hit = own.length if own.length < total else total
            return hit - hit % self._block
        for entry, upto in found:
            if upto > total:
                continue
            held = entry.settle(now, ttl)
            if held > hit:
                hit = min(held, upto or total)
        return hit - hit % self._block

    def use(self, prefix: Prefix, now: int, ready: int, end: int, answered: int = 0) -> None:
        """`begin` and `keep` in one pass: the hot path of servers whose calls are all planned."""
        ttl, total = self._ttl, prefix.total
        for entry, upto in self._found(prefix, now):
            if upto > total:
                continue
            length = upto or total
            if entry.coming or now - entry.end > ttl:
                entry.settle(now, ttl)
            if length > entry.length:
                if ready <= now:
                    entry.length = length
                else:
                    entry.expect(length, ready)
            entry.end = max(entry.end, end)
        if answered and self._answers:
            own = self._found(prefix, now)[-1][0]
            own.expect(total + answered, end)

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
        for entry, upto in self._found(prefix, now):
            if upto > total:
                continue
            held = entry.settle(now, ttl)
            entry.users += 1
            length = upto or total
            # what is held already need not be expected
            if length > held:
                entry.expect(length, ready)

    def keep(self, prefix: Prefix, ready: int, end: int, answered: int = 0) -> None:
        """The end of a use: entries live on from `end`, and hold the answer where it is covered."""
        ttl, total = self._ttl, prefix.total
        for entry, upto in self._found(prefix, end):
            if upto > total:
                continue
            users = entry.users
            held = entry.settle(ready if ready < end else end, ttl)
            if users:
                entry.users = users - 1
            entry.end = max(entry.end, end)
            if end < ready:
                if not entry.users and entry.ready == ready:
                    entry.coming = 0
                continue
            if (upto or total) > held:
                entry.expect(upto or total, ready)
            if answered and self._answers and not upto:
                entry.settle(end, ttl)
                entry.expect(total + answered, end)

    def _found(self, prefix: Prefix, now: int) -> list[tuple[_Entry, int]]:
        """The entries of a prefix, looked up once and remembered in it; upto 0 = the session's."""
        held = prefix.held
        if held is None or held[0] is not self._era:
            if len(self._entries) >= self._sweep_at:
                self._sweep(now)
            entries = [(self._entry(name), upto) for name, upto in prefix.names()]
            held = prefix.held = (self._era, entries)
        return held[1]

    def _entry(self, name: Name) -> _Entry:
        entry = self._entries.get(name)
        if entry is None:
            entry = self._entries[name] = _Entry()
        return entry

    def _sweep(self, now: int) -> None:
        """Forget what has run out; next time when twice as much is left (so O(1) a call)."""
        kept = {name: e for name, e in self._entries.items() if e.live(now, self._ttl)}
        self._entries = kept
        self._sweep_at = max(1024, 2 * len(kept))
        self._era = object()  # what prefixes remember may have been forgotten
