"""The ttl cache against a naive one that keeps every use and reads them all at each question.

Random sessions on shared blocks; requests whose times are known at their start, and requests that
are told when their prompt has been read; some are cut short, before or after that.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

import pytest

from agentsim.laws.caches import FOREVER, cache_of
from agentsim.laws.prefix import Prefix
from agentsim.records import Why

Blocks = tuple[tuple[str, int], ...]
PROMPTS: tuple[Blocks, ...] = (
    (("harness", 100), ("coder", 50)),
    (("harness", 100), ("reviewer", 30)),
    (("harness", 100),),
    (("coder", 50), ("harness", 100)),
    (),
)
HISTORIES = 1500


@dataclass
class Told:
    """One use as it came to pass; `end` None while it goes on."""

    names: dict[Any, int]
    start: int
    ready: int
    answered: int = 0
    end: int | None = None


@dataclass
class Naive:
    ttl: int
    block: int
    answers: bool
    uses: list[Told] = field(default_factory=list)

    def held(self, name: tuple[Any, ...], now: int) -> int:
        """Of one chain or history: the most that was read since it last ran out."""
        held, last = 0, -FOREVER
        for use in sorted(self.uses, key=lambda use: use.start):
            if name not in use.names or use.start > now:
                continue
            if use.start - last > self.ttl:
                held = 0
            end = FOREVER if use.end is None or use.end > now else use.end
            last = max(last, end)
            if use.ready <= now and (use.end is None or use.end >= use.ready):
                held = max(held, use.names[name])
                if name[0] == "own" and self.answers and end <= now:
                    held = max(held, use.names[name] + use.answered)
        return held if now - last <= self.ttl else 0

    def lookup(self, names: dict[Any, int], total: int, now: int) -> int:
        hit = max((min(self.held(name, now), total) for name in names), default=0)
        return hit - hit % self.block

    def missing(self, names: dict[Any, int], total: int, now: int, hit: int) -> int:
        """What more of it has been held at any time."""
        most = 0
        for name in names:
            for use in self.uses:
                if name not in use.names or use.ready > now:
                    continue
                if use.end is not None and use.end < use.ready:
                    continue
                answered = 0
                if name[0] == "own" and self.answers and use.end is not None and use.end <= now:
                    answered = use.answered
                most = max(most, use.names[name] + answered)
        most = min(most, total)
        return max(0, most - most % self.block - hit)


def names_of(blocks: Blocks, session: int, epoch: int, total: int) -> dict[Any, int]:
    """Each chain of blocks that fits into the prompt, and the session's own history."""
    found: dict[Any, int] = {}
    upto = 0
    for i, (_, tokens) in enumerate(blocks, 1):
        upto += tokens
        if upto <= total:
            found["chain", blocks[:i]] = upto
    found["own", session, epoch] = total
    return found


def play(seed: int, planned: bool) -> int:
    """One random history; returns how many lookups were hits."""
    draw = random.Random(seed)
    ttl, block, answers = draw.choice((0, 5, 20, 50)), draw.choice((1, 1, 16)), draw.random() < 0.5
    cache, naive = cache_of("ttl", ttl, block, answers), Naive(ttl, block, answers)
    queue: list[tuple[int, int, int, str, Any]] = []
    count = hits = 0

    def at(when: int, order: int, what: str, about: Any) -> None:
        nonlocal count
        count += 1
        heappush(queue, (when, order, count, what, about))

    for number in range(draw.randint(1, 6)):
        blocks = draw.choice(PROMPTS)
        short = draw.random() < 0.15
        total = draw.randint(1, 160) if short else sum(size for _, size in blocks) + 5
        prefix = Prefix(blocks, number, 0, total)
        at(draw.randint(0, 30), 1, "start", {"prefix": prefix, "number": number})
    for _ in range(120):
        if not queue:
            break
        now, _, _, what, it = heappop(queue)
        prefix = it["prefix"]
        if what == "start":
            names = names_of(prefix.blocks, it["number"], prefix.epoch, prefix.total)
            found = cache.lookup(prefix, now)
            assert found == naive.lookup(names, prefix.total, now), (seed, planned, now)
            lost = cache.lost(prefix, now, found)
            missing = 0 if lost is None else lost.tokens
            assert missing == naive.missing(names, prefix.total, now, found), (seed, planned, now)
            if lost is not None:
                assert now - lost.since > ttl
                assert lost.why is Why.EXPIRED
            hits += found > 0
            ready = now + draw.choice((0, 0, 1, 5, 10))
            end = ready + draw.choice((0, 1, 5, 30, 80))
            stop = draw.randint(now, end) if draw.random() < 0.25 else end
            it |= {"ready": ready, "planned": end, "kept": draw.choice((0, 7, 20)), "use": None}
            it["whole"] = stop == end
            use = Told(names, now, ready)
            if planned:
                cache.use(prefix, now, ready, end, it["kept"])
                it["use"] = use
                naive.uses.append(use)
            elif stop >= ready:
                it["use"] = use
                at(ready, 0, "read", it)
            at(stop, 0, "end", it)
        elif what == "read":
            it["use"].start = now
            naive.uses.append(it["use"])
            cache.use(prefix, now, now, FOREVER)
        elif what == "end":
            kept = it["kept"] if it["whole"] else 0
            if planned and not it["whole"]:
                cache.cut(prefix, it["ready"], it["planned"], now)
            elif not planned and it["use"] is not None:
                cache.cut(prefix, it["ready"], FOREVER, now, kept)
            if it["use"] is not None:
                it["use"].end, it["use"].answered = now, kept
            total = prefix.total + kept + draw.choice((0, 3, 40))
            epoch = prefix.epoch
            if draw.random() < 0.1:
                epoch, total = epoch + 1, sum(size for _, size in prefix.blocks) + 5
            if epoch != prefix.epoch:
                prefix = Prefix(prefix.blocks, it["number"], epoch, total)
            prefix.total = total
            gap = draw.choice((0, 1, 4, 5, 6, 20, 21, 60))
            at(now + gap, 1, "start", {"prefix": prefix, "number": it["number"]})
    return hits


@pytest.mark.parametrize("planned", [True, False])
def test_every_lookup_of_random_histories(planned: bool) -> None:
    hits = [play(seed, planned) for seed in range(HISTORIES)]
    assert sum(hits) > 10 * HISTORIES
