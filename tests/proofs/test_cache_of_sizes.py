"""The caches by size and by slot against naive ones, over random histories.

The one by size: every entry with its last use in a table; all that was told is played again from
the start at each question. The one by slot: whole contexts, token by token.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from agentsim.laws.caches import cache_of
from agentsim.laws.caches.slot import SlotCache
from agentsim.laws.prefix import Prefix

Blocks = tuple[tuple[str, int], ...]
PROMPTS: tuple[Blocks, ...] = (
    (("harness", 100), ("coder", 50)),
    (("harness", 100), ("reviewer", 30)),
    (("harness", 100),),
    (("coder", 50), ("harness", 100)),
    (),
)
HISTORIES = 600
NEVER = 1 << 62


@dataclass
class Use:
    path: list[tuple[Any, int, int]]  # (name, start, upto or 0), the first block first
    total: int
    answered: int
    ends: bool = True
    reads: bool = True


@dataclass
class Naive:
    """Events (time, order of telling, what, use); the state is worked out anew each time."""

    capacity: int
    tails: bool
    block: int
    answers: bool
    events: list[tuple[int, int, str, Use]] = field(default_factory=list)

    def held(self, now: int) -> tuple[dict[Any, int], dict[Any, int]]:
        """Up to where each entry is held, and up to where it has been (or has been sent)."""
        held: dict[Any, int] = {}
        ever: dict[Any, int] = {}
        start: dict[Any, int] = {}
        last: dict[Any, tuple[int, int]] = {}
        users: dict[Any, int] = {}
        at_work: list[Use] = []
        for step, (when, _, what, use) in enumerate(sorted(self.events, key=lambda it: it[:2])):
            if when > now:
                break
            if (what == "end" and not use.ends) or (what == "read" and not use.reads):
                continue
            upto_all = use.total + (use.answered if what == "end" and self.answers else 0)
            if what == "read":
                at_work.append(use)
            elif what == "begin":
                for name, *_ in use.path:
                    users[name] = users.get(name, 0) + 1
            else:
                for name, *_ in use.path:
                    users[name] -= 1
            grows = what == "read" or (what in ("end", "cut") and any(u is use for u in at_work))
            for depth, (name, begin, upto) in enumerate(use.path):
                start[name] = begin
                held.setdefault(name, begin)
                wanted = min(upto, upto_all) if upto else upto_all
                ever.setdefault(name, begin)
                if grows:
                    ever[name] = max(ever[name], wanted)
                if wanted > self.capacity:
                    wanted = self.capacity if self.tails else 0
                if grows:
                    held[name] = max(held[name], wanted)
                last[name] = (step, depth)
            self.drop(held, start, last, users)
        return held, ever

    def drop(self, held: Any, start: Any, last: Any, users: Any) -> None:
        while (over := sum(held[n] - start[n] for n in held) - self.capacity) > 0:
            some = [n for n in held if held[n] > start[n]]
            first = min(some, key=lambda n: (users.get(n, 0) > 0, last[n][0], -last[n][1]))
            size = held[first] - start[first]
            held[first] -= min(size, over) if self.tails else size

    def lookup(self, path: list[tuple[Any, int, int]], total: int, now: int) -> int:
        return self.of(self.held(now)[0], path, total)

    def missing(self, path: list[tuple[Any, int, int]], total: int, now: int, hit: int) -> int:
        return max(0, self.of(self.held(now)[1], path, total) - hit)

    def of(self, held: dict[Any, int], path: list[tuple[Any, int, int]], total: int) -> int:
        hit = 0
        for name, begin, upto in path:
            hit = held.get(name, begin)
            if not upto or hit < upto:
                break
        hit = min(hit, total)
        return hit - hit % self.block


def path_of(blocks: Blocks, session: int, epoch: int) -> list[tuple[Any, int, int]]:
    found: list[tuple[Any, int, int]] = []
    upto = 0
    for i, (_, tokens) in enumerate(blocks, 1):
        found.append((blocks[:i], upto, upto + tokens))
        upto += tokens
    return [*found, (("own", session, epoch), upto, 0)]


def by_size(seed: int) -> tuple[int, int]:
    """One random history; how many lookups were hits, and how many were not of all that was sent
    before."""
    draw = random.Random(seed)
    tails, answers, block = draw.random() < 0.5, draw.random() < 0.5, draw.choice((1, 1, 16))
    capacity = draw.choice((120, 200, 300, 500, 1000))
    cache = cache_of("lru", 0, block, answers, capacity, tails)
    naive = Naive(capacity, tails, block, answers)
    planned = draw.random() < 0.5
    work: list[dict[str, Any]] = []
    for number in range(draw.randint(2, 6)):
        blocks = draw.choice(PROMPTS)
        total = sum(size for _, size in blocks) + draw.choice((5, 60))
        prefix = Prefix(blocks, number, 0, total)
        work.append({"prefix": prefix, "when": draw.randint(0, 30), "what": "start"})
    told = hits = short = 0
    for _ in range(50):
        it = min(work, key=lambda row: row["when"])
        now, prefix, number = it["when"], it["prefix"], it["prefix"].session
        path = path_of(prefix.blocks, number, prefix.epoch)
        if it["what"] == "start":
            found = cache.lookup(prefix, now)
            assert found == naive.lookup(path, prefix.total, now), (seed, now)
            lost = cache.lost(prefix, now, found)
            missing = 0 if lost is None else lost.tokens
            assert missing == naive.missing(path, prefix.total, now, found), (seed, now)
            hits += found > 0
            short += found < it.get("sent", 0)
            ready = now + draw.choice((0, 3, 10))
            end = ready + draw.choice((0, 5, 30))
            stop = draw.randint(now, end) if draw.random() < 0.25 else end
            use = Use(path, prefix.total, draw.choice((0, 7, 20)))
            it |= {"use": use, "ready": ready, "end": end, "stop": stop, "told": False}
            if planned:
                cache.use(prefix, now, ready, end, use.answered)
                told += 3
                naive.events += [
                    (now, told - 2, "begin", use),
                    (ready, told - 1, "read", use),
                    (end, told, "end", use),
                ]
                it |= {"told": True, "what": "end", "when": stop}
            else:
                it |= {"what": "read", "when": ready} if stop >= ready else {}
                if stop < ready:
                    it |= {"what": "end", "when": stop}
        elif it["what"] == "read":
            use = it["use"]
            cache.use(prefix, now, now, NEVER)
            told += 2
            naive.events += [(now, told - 1, "begin", use), (now, told, "read", use)]
            it |= {"told": True, "what": "end", "when": it["stop"]}
        else:
            use, whole = it["use"], it["stop"] == it["end"]
            if planned and not whole:
                use.ends, use.reads = False, it["ready"] <= now
                told += 1
                naive.events.append((now, told, "cut", use))
                cache.cut(prefix, it["ready"], it["end"], now)
            elif not planned and it["told"]:
                told += 1
                naive.events.append((now, told, "end" if whole else "cut", use))
                cache.cut(prefix, it["ready"], NEVER, now, use.answered if whole else 0)
            it["sent"] = prefix.total - prefix.total % block
            prefix.total += use.answered + draw.choice((0, 3, 40))
            if draw.random() < 0.1:
                start = sum(size for _, size in prefix.blocks) + 5
                it["prefix"] = Prefix(prefix.blocks, number, prefix.epoch + 1, start)
                it["sent"] = 0
            it |= {"what": "start", "when": now + draw.choice((1, 5, 20))}
    return hits, short


def test_a_cache_by_size() -> None:
    found = [by_size(seed) for seed in range(HISTORIES)]
    assert sum(hits for hits, _ in found) > 4 * HISTORIES
    assert sum(short for _, short in found) > 2 * HISTORIES, "too little is pushed out to prove it"


Tokens = list[tuple[Any, int]]


def common(one: Tokens, other: Tokens) -> int:
    count = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        count += 1
    return count


@pytest.mark.parametrize("block", [1, 16])
def test_a_cache_by_slot(block: int) -> None:
    found = [by_slot(seed, block) for seed in range(HISTORIES)]
    assert sum(hits for hits, _ in found) > HISTORIES
    assert sum(misses for _, misses in found) > HISTORIES


def by_slot(seed: int, block: int) -> tuple[int, int]:
    """One random history, with forks; how many lookups were hits, and how many missed."""
    draw = random.Random(seed)
    slots = draw.randint(1, 4)
    cache = cache_of("slot", 0, block, True, slots=slots)
    assert isinstance(cache, SlotCache)
    kept: list[Tokens] = [[] for _ in range(slots)]
    used = [-1] * slots
    busy: dict[int, tuple[int, Prefix, int]] = {}  # session -> its slot, prefix, what it sent
    sessions: list[tuple[Prefix, Tokens]] = []
    names = hits = misses = 0
    ever: list[Tokens] = []
    for step in range(60):
        idle = [it for it in range(len(sessions)) if it not in busy]
        act = draw.random()
        if act < 0.15 or not sessions:
            blocks = draw.choice(PROMPTS)
            tokens: Tokens = [
                (blocks[:i], n) for i, (_, size) in enumerate(blocks, 1) for n in range(size)
            ]
            sessions.append((Prefix(blocks, len(sessions), 0, len(tokens)), tokens))
        elif act < 0.25:
            # a copy of a session as it stands now
            old, tokens = draw.choice(sessions)
            history = len(tokens) - sum(size for _, size in old.blocks)
            blocks = (*old.blocks, (f"history {old.session} {history}", history))
            new = Prefix(blocks, len(sessions), 0, len(tokens))
            sends, old.total = old.total, len(tokens)
            cache.fork(old, new, step)
            old.total = sends
            sessions.append((new, list(tokens)))
        elif act < 0.65 and idle and len(busy) < slots:
            number = draw.choice(idle)
            prefix, tokens = sessions[number]
            names += 1
            tokens += [((number, names), n) for n in range(draw.choice((3, 20, 40)))]
            prefix.total = len(tokens)
            free = [it for it in range(slots) if it not in {slot for slot, *_ in busy.values()}]
            best = max(common(kept[it], tokens) for it in free)
            alike = [it for it in free if common(kept[it], tokens) == best]
            slot = min(alike, key=lambda it: used[it])
            assert cache.lookup(prefix, step) == best - best % block, seed
            at_work = [sessions[it][1][: sent.total] for it, (_, sent, _) in busy.items()]
            most = max((common(one, tokens) for one in ever), default=0)
            there = max((common(one, tokens) for one in at_work), default=0)
            missing = max(0, most - most % block - max(best - best % block, there))
            lost = cache.lost(prefix, step, best - best % block)
            assert (0 if lost is None else lost.tokens) == missing, seed
            misses += missing > 0
            hits += best >= block
            seat = cache.take(prefix)
            kept[slot] = kept[slot][:best]
            busy[number] = (slot, prefix, seat)
        elif busy:
            number = draw.choice(list(busy))
            slot, prefix, seat = busy.pop(number)
            tokens = sessions[number][1]
            sent = prefix.total
            names += 1
            answer: Tokens = [((number, names), n) for n in range(draw.choice((0, 5, 30)))]
            tokens += answer
            cache.leave(seat, prefix, sent + len(answer))
            kept[slot] = tokens[: sent + len(answer)]
            ever.append(kept[slot])
            used[slot] = step
    return hits, misses
