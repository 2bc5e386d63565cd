"""The prefix caches by hand. Case A6 of the worked cases."""

import pytest

from agentsim.laws.caches import CACHES, FOREVER, cache_of
from agentsim.laws.prefix import Prefix

S = 1_000_000_000
HARNESS = (("harness", 18_000), ("coder", 6000))


def ttl(seconds=300, block=1, answers=False):
    return cache_of("ttl", seconds * S, block, answers)


def told(cache, prefix, ready, end, answered=0, start=None):
    """A request that ends as it was told; it starts at `start`, or when its prompt was read."""
    cache.use(prefix, ready if start is None else start, ready, end, answered)


def test_the_table_is_complete():
    for kind in CACHES:
        cache = cache_of(kind, 1, 1, False, 1)
        assert cache.lookup(Prefix((), 1, 0, 100), 0) == 0


def test_none_holds_nothing():
    cache = cache_of("none", 0, 1, False)
    prefix = Prefix(HARNESS, 1, 0, 30_000)
    cache.use(prefix, 0, 1, FOREVER)
    told(cache, prefix, 1, 2, 500)
    assert cache.lookup(prefix, 2) == 0


@pytest.mark.parametrize(("gap", "hit"), [(142, 120_000), (300, 120_000), (301, 0), (546, 0)])
def test_a_hit_up_to_the_ttl(gap, hit):
    # A6: 120k read in 30 s, answered by 40 s; the gap counts from the end; <= ttl is a hit
    cache = ttl(300)
    told(cache, Prefix((), "work", 0, 120_000), 30 * S, 40 * S, 1000)
    assert cache.lookup(Prefix((), "work", 0, 123_000), (40 + gap) * S) == hit


def test_the_boundary_is_exact():
    cache = ttl(300)
    told(cache, Prefix((), 1, 0, 100), 0, 7)
    assert cache.lookup(Prefix((), 1, 0, 100), 300 * S + 7) == 100
    cache = ttl(300)
    told(cache, Prefix((), 1, 0, 100), 0, 7)
    assert cache.lookup(Prefix((), 1, 0, 100), 300 * S + 8) == 0


def test_use_refreshes():
    cache = ttl(300)
    prefix = Prefix((), 1, 0, 100)
    for now in (0, 250, 500, 750):
        assert cache.lookup(prefix, now * S) == (100 if now else 0)
        told(cache, prefix, now * S, now * S)


def test_blocks_are_shared_across_sessions():
    cache = ttl()
    told(cache, Prefix(HARNESS, "implement", 0, 60_000), 10 * S, 20 * S)
    other = (("harness", 18_000), ("reviewer", 2000))
    assert cache.lookup(Prefix(HARNESS, "other", 0, 40_000), 30 * S) == 24_000
    assert cache.lookup(Prefix(other, "review", 0, 40_000), 30 * S) == 18_000
    # The order counts: what stands before a block is part of it.
    turned = (("coder", 6000), ("harness", 18_000))
    assert cache.lookup(Prefix(turned, "turned", 0, 40_000), 30 * S) == 0
    assert cache.lookup(Prefix(HARNESS, "implement", 0, 70_000), 30 * S) == 60_000


def test_compaction_leaves_the_blocks():
    cache = ttl()
    told(cache, Prefix(HARNESS, 1, 0, 100_000), 10 * S, 20 * S)
    assert cache.lookup(Prefix(HARNESS, 1, 1, 44_000), 30 * S) == 24_000


def test_not_before_it_has_been_read():
    cache = ttl()
    told(cache, Prefix(HARNESS, 1, 0, 30_000), 10 * S, 20 * S, start=0)
    other = Prefix(HARNESS, 2, 0, 30_000)
    assert cache.lookup(other, 10 * S - 1) == 0
    assert cache.lookup(other, 10 * S) == 24_000


def test_what_was_held_stays_while_more_is_read():
    cache = ttl()
    told(cache, Prefix(HARNESS, 1, 0, 30_000), 0, 5 * S)
    told(cache, Prefix(HARNESS, 1, 0, 50_000), 20 * S, 30 * S, start=6 * S)
    assert cache.lookup(Prefix(HARNESS, 1, 0, 50_000), 10 * S) == 30_000
    assert cache.lookup(Prefix(HARNESS, 1, 0, 60_000), 20 * S) == 50_000


def test_the_answer_is_kept_where_the_cache_covers_it():
    prefix, later = Prefix((), 1, 0, 10_000), Prefix((), 1, 0, 12_000)
    for answers, hit in ((False, 10_000), (True, 10_500)):
        cache = ttl(answers=answers)
        told(cache, prefix, S, 2 * S, 500)
        assert cache.lookup(later, 3 * S) == hit
    cache = ttl(answers=True)
    told(cache, prefix, S, 2 * S, 0)  # it thought first, and that is not kept (DESIGN section 12)
    assert cache.lookup(later, 3 * S) == 10_000


def test_hits_are_whole_blocks():
    cache = ttl(block=128)
    told(cache, Prefix((), 1, 0, 1000), 0, 0)
    assert cache.lookup(Prefix((), 1, 0, 2000), S) == 896  # 7 * 128


def test_in_use_is_a_hit_however_long():
    cache = ttl(300)
    prefix, other = Prefix(HARNESS, 1, 0, 30_000), Prefix(HARNESS, 2, 0, 30_000)
    cache.use(prefix, 0, 10 * S, FOREVER)
    assert cache.lookup(other, 9 * S) == 0
    assert cache.lookup(other, 3600 * S) == 24_000
    cache.use(other, 3600 * S, 3601 * S, FOREVER)
    cache.cut(prefix, 10 * S, FOREVER, 3700 * S)
    assert cache.lookup(prefix, 4000 * S) == 30_000
    assert cache.lookup(prefix, 4001 * S) == 24_000  # the blocks are still in use by the other
    cache.cut(other, 3601 * S, FOREVER, 4001 * S)
    assert cache.lookup(prefix, 4301 * S) == 24_000
    assert cache.lookup(prefix, 4302 * S) == 0


def test_the_last_use_counts_whoever_is_told_first():
    cache = ttl(300)
    told(cache, Prefix(HARNESS, 1, 0, 30_000), 10 * S, 100 * S)
    told(cache, Prefix(HARNESS, 2, 0, 30_000), 10 * S, 50 * S)
    assert cache.lookup(Prefix(HARNESS, 3, 0, 30_000), 400 * S) == 24_000


def test_a_prompt_cut_short_is_not_held():
    cache = ttl()
    prefix = Prefix(HARNESS, 1, 0, 30_000)
    cache.use(prefix, 0, 10 * S, FOREVER)
    cache.cut(prefix, 10 * S, FOREVER, 4 * S)
    assert cache.lookup(prefix, 11 * S) == 0
    # What had been there before stays.
    told(cache, prefix, 20 * S, 20 * S)
    longer = Prefix(HARNESS, 1, 0, 50_000)
    cache.use(longer, 21 * S, 30 * S, FOREVER)
    cache.cut(longer, 30 * S, FOREVER, 25 * S)
    assert cache.lookup(longer, 40 * S) == 30_000


def test_a_prompt_shorter_than_its_blocks():
    cache = ttl()
    told(cache, Prefix(HARNESS, 1, 0, 20_000), 0, 0)
    assert cache.lookup(Prefix(HARNESS, 2, 0, 40_000), 0) == 18_000
    assert cache.lookup(Prefix(HARNESS, 1, 0, 19_000), 0) == 19_000


def test_what_has_run_out_is_forgotten():
    cache = ttl(10)
    for session in range(20_000):
        told(cache, Prefix((), session, 0, 100), session * S, session * S)
    assert len(cache._entries) <= 2048
    assert cache.lookup(Prefix((), 19_995, 0, 100), 20_000 * S) == 100


def test_refused():
    with pytest.raises(ValueError, match="ttl"):
        cache_of("ttl", -1, 1, False)
    with pytest.raises(ValueError, match="block"):
        cache_of("ttl", 1, 0, False)


def test_a_longer_chain_held_by_others_counts_too():
    """A session sent 20k, short of its blocks of 24k; another read those whole meanwhile."""
    cache = ttl()
    cache.use(Prefix(HARNESS, 1, 0, 20_000), 0, 0, 5 * S)
    cache.use(Prefix(HARNESS, 2, 0, 30_000), 6 * S, 6 * S, 7 * S)
    assert cache.lookup(Prefix(HARNESS, 1, 0, 40_000), 8 * S) == 24_000


def test_a_use_cut_short_takes_nothing_from_another():
    """Planned to 100 s and cut at 10 s; another session goes on with the same blocks to 90 s."""
    cache = ttl(20)
    one, other = Prefix(HARNESS, 1, 0, 30_000), Prefix(HARNESS, 2, 0, 30_000)
    cache.use(one, 0, 0, 100 * S)
    cache.use(other, 5 * S, 5 * S, 90 * S)
    cache.cut(one, 0, 100 * S, 10 * S)
    third = Prefix(HARNESS, 3, 0, 30_000)
    assert cache.lookup(third, 31 * S) == 24_000
    assert cache.lookup(third, 110 * S) == 24_000
    assert cache.lookup(third, 110 * S + 1) == 0
    assert cache.lookup(one, 30 * S) == 30_000


def led():
    """Uses of 0-10 s and 22-40 s with a ttl of 12 s, told at 0 s: (cache, prefix, state)."""
    cache = ttl(12)
    one = Prefix(HARNESS, 1, 0, 30_000)
    cache.use(one, 0, 0, 10 * S)
    state = cache.lead(one, 0)
    one.total = 33_000
    assert cache.ahead(one, 22 * S) == 30_000
    assert cache.ahead(one, 22 * S + 1) == -1  # what others do until then decides
    cache.use(one, 22 * S, 22 * S, 40 * S)
    return cache, one, state


def test_uses_told_ahead_count_from_their_own_time_on():
    other = Prefix(HARNESS, 2, 0, 30_000)
    for now, hit in ((21, 24_000), (52, 24_000), (53, 0)):
        assert led()[0].lookup(other, now * S) == hit


def test_uses_told_ahead_are_taken_back():
    for now, hit in ((22 * S, 30_000), (22 * S + 1, 0)):
        cache, one, state = led()
        cache.land(one, 0)
        cache.back(one, 0, state, [])
        assert cache.lookup(one, now) == hit
    cache, one, state = led()
    cache.land(one, 0)
    cache.back(one, 0, state, [(33_000, 22 * S, 22 * S, 40 * S, 0)])
    assert cache.lookup(one, 52 * S) == 33_000


def test_a_prompt_that_was_read_stays_though_its_answer_was_cut():
    """Read by 10 s, answering until 60 s, cut at 20 s: the 30k are held, the answer is not."""
    for answers in (False, True):
        cache = ttl(answers=answers)
        prefix = Prefix(HARNESS, 1, 0, 30_000)
        cache.use(prefix, 0, 10 * S, 60 * S, 500)
        cache.cut(prefix, 10 * S, 60 * S, 20 * S)
        prefix.total = 40_000
        assert cache.lookup(prefix, 70 * S) == 30_000


def test_a_cut_takes_no_block_from_another_that_reads_it():
    """Both read the same 24k until 10 s; one is cut at 5 s."""
    cache = ttl()
    one, other = Prefix(HARNESS, 1, 0, 30_000), Prefix(HARNESS, 2, 0, 30_000)
    cache.use(one, 0, 10 * S, 60 * S)
    cache.use(other, 0, 10 * S, 60 * S)
    cache.cut(one, 10 * S, 60 * S, 5 * S)
    third = Prefix(HARNESS, 3, 0, 30_000)
    assert cache.lookup(third, 9 * S) == 0
    assert cache.lookup(third, 10 * S) == 24_000


def test_blocks_are_shared_across_a_sweep_of_what_ran_out():
    """What a session remembers of its blocks may have been forgotten meanwhile: it looks again.

    1,024 entries run out and are swept when a new session comes; the first session then reads its
    100 tokens again at 100, and another session with the same block finds them at 101.
    """
    cache = cache_of("ttl", 10, 1, False)
    block = (("harness", 100),)
    first = Prefix(block, "first", 0, 150)
    cache.use(first, 0, 0, 0)
    for number in range(1022):
        cache.use(Prefix((), f"other {number}", 0, 50), 0, 0, 0)
    cache.use(Prefix((), "new", 0, 50), 100, 100, 100)
    assert cache.lookup(first, 100) == 0
    cache.use(first, 100, 100, 100)
    assert cache.lookup(Prefix(block, "second", 0, 120), 101) == 100


def lru(capacity, tails=False, answers=True):
    return cache_of("lru", 0, 1, answers, capacity, tails)


def sent(cache, prefix, total, now, answered=0):
    """A request of so many tokens that takes no time; returns what of it was held."""
    prefix.total = total
    hit = cache.lookup(prefix, now)
    cache.use(prefix, now, now, now, answered)
    cache.lookup(prefix, now)
    return hit


def test_the_least_recently_used_goes_whole():
    # 100 + 100 + 100 fit into 300; one token more pushes out a, used longest ago
    cache = lru(300)
    a, b, c = (Prefix((), name, 0, 0) for name in "abc")
    assert [sent(cache, it, 100, now) for now, it in enumerate((a, b, c))] == [0, 0, 0]
    assert sent(cache, b, 101, 3) == 100
    assert sent(cache, a, 100, 4) == 0  # 101 + 100 + 100: c is out now
    assert sent(cache, b, 101, 5) == 101
    assert sent(cache, c, 100, 6) == 0


def test_blocks_that_are_shared_count_once_and_go_last():
    # 100 shared, 50 of each: 200 for two sessions. A third pushes out the history of the first only
    cache = lru(200)
    blocks = (("harness", 100),)
    a, b, c = (Prefix(blocks, name, 0, 0) for name in "abc")
    assert [sent(cache, it, 150, now) for now, it in enumerate((a, b, c))] == [0, 100, 100]
    assert sent(cache, b, 150, 3) == 150
    assert sent(cache, a, 150, 4) == 100


def test_a_copy_of_a_session_counts_what_it_shares_once():
    # 400 of a, then a copy of it with 50 of its own and a with 50 more: 500 in all
    cache = lru(500)
    a = Prefix((), "a", 0, 0)
    sent(cache, a, 400, 0)
    copy = Prefix((("history", 400),), "b", 0, 400)
    cache.fork(a, copy, 1)
    assert sent(cache, copy, 450, 2) == 400
    assert sent(cache, a, 450, 3) == 400
    assert sent(cache, copy, 450, 4) == 450
    assert sent(cache, a, 450, 5) == 450
    # one more token of another: the history of the copy was used longest ago
    sent(cache, Prefix((), "c", 0, 0), 1, 6)
    assert sent(cache, copy, 450, 7) == 400


def test_what_does_not_fit_at_all_pushes_nothing_out():
    for tails, hit in ((False, 0), (True, 300)):
        cache = lru(300, tails)
        a, b = Prefix((), "a", 0, 0), Prefix((), "b", 0, 0)
        sent(cache, a, 100, 0)
        assert sent(cache, b, 301, 1) == 0
        assert sent(cache, b, 301, 2) == hit
        assert sent(cache, a, 100, 3) == (0 if tails else 100)


def test_what_is_in_use_goes_last():
    # a is at work until 100; b and c come meanwhile: c pushes out b, though b was used later
    cache = lru(200)
    a, b, c = (Prefix((), name, 0, 100) for name in "abc")
    cache.use(a, 0, 0, 100)
    sent(cache, b, 100, 1)
    sent(cache, c, 100, 2)
    assert sent(cache, b, 100, 3) == 0
    a.total = 100
    assert cache.lookup(a, 4) == 100


def test_slots_by_hand():
    cache = cache_of("slot", 0, 1, True, slots=2)
    a, b, c = (Prefix((), name, 0, 100) for name in "abc")
    for slot, it in enumerate((a, b)):
        assert cache.lookup(it, 0) == 0
        assert cache.take(it) == slot
    cache.leave(1, b, 120)
    cache.leave(0, a, 100)
    a.total = 150
    assert cache.lookup(a, 1) == 100
    # c finds nothing of its own: the slot of b was left first
    assert cache.take(c) == 1
    assert cache.lookup(b, 1) == 0
    assert cache.take(a) == 0


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("lru", {"capacity": 0}),
        ("lru", {"block": 0}),
        ("slot", {"slots": 0}),
        ("slot", {"block": 0}),
    ],
)
def test_what_no_cache_can_be(kind, wrong):
    with pytest.raises(ValueError, match="cache"):
        cache_of(kind, 0, **({"block": 1, "answers": True} | wrong))
