"""The batching server's state, by hand. Cases E01, C1 and E09 of the worked cases."""

import pytest

from agentsim.laws.batch import NEVER, Batch
from agentsim.laws.decode import Decode, knots_from_per_stream

S = 1_000_000_000
TWO = Decode(knots=((1, 0.010), (2, 0.015)))


def finish(batch, now):
    """Run to the next end: (ids, nanoseconds)."""
    assert batch.due >= now
    now = batch.due
    return batch.done(now), now


def test_two_streams_share_a_step():
    # E01: 1,000 steps of 15 ms
    batch = Batch(TWO)
    batch.join("a", 0, 1000, 0)
    batch.join("b", 0, 1000, 0)
    assert finish(batch, 0) == (["a", "b"], 15 * S)
    assert batch.size == 0
    assert batch.due == NEVER


def test_a_shared_box():
    # C1: 22,200 tokens, per-stream 83 / 38.2 / 22.2 tok/s at 1 / 4 / 8 streams
    law = Decode(knots=knots_from_per_stream({1: 83, 4: 38.2, 8: 22.2}))
    for streams, seconds in ((1, 22_200 / 83), (4, 22_200 / 38.2), (8, 1000.0)):
        batch = Batch(law)
        for id in range(streams):
            batch.join(id, 0, 22_200, 0)
        ids, now = finish(batch, 0)
        assert ids == list(range(streams))
        assert now / S == pytest.approx(seconds, rel=1e-9)


def test_exclusive_prefill():
    # E09 run 1: a makes 200 by t=2, stands still 2-5, both 100 steps of 15 ms: b at 6.5, a at 13.5
    batch = Batch(TWO)
    a = batch.join("a", 0, 1000, 0)
    batch.pause(2 * S)
    assert batch.made(a) == 200
    assert batch.due == NEVER
    batch.join("b", 3000, 100, 5 * S)
    assert batch.done(5 * S) == []
    batch.resume(5 * S)
    ids, now = finish(batch, 5 * S)
    assert (ids, now) == (["b"], 6_500_000_000)
    assert batch.made(a) == 300
    assert finish(batch, now) == (["a"], 13_500_000_000)


def test_an_end_at_the_instant_of_a_pause_is_an_end():
    batch = Batch(TWO)
    batch.join("a", 0, 200, 0)
    batch.join("b", 0, 300, 0)
    batch.pause(3 * S)  # 200 steps of 15 ms
    assert batch.due == 3 * S
    assert batch.done(3 * S) == ["a"]
    assert batch.due == NEVER
    assert batch.done(10 * S) == []
    batch.resume(10 * S)
    assert finish(batch, 10 * S) == (["b"], 11 * S)


def test_separate_prefill():
    # E09 run 3: a makes 500 by t=5; b ends at 6.5 with a at 600; the other 400 take 4 s: 10.5
    batch = Batch(TWO)
    batch.join("a", 0, 1000, 0)
    batch.join("b", 3000, 100, 5 * S)
    ids, now = finish(batch, 5 * S)
    assert (ids, now) == (["b"], 6_500_000_000)
    assert finish(batch, now) == (["a"], 10_500_000_000)


def test_context_slope_alone_is_the_closed_form():
    # E07: 20.5 s for 1,000 tokens from 10,000 at s = 10 ms, c = 1 us
    law = Decode(knots=((1, 0.010),), slope=1e-6)
    batch = Batch(law)
    batch.join("a", 10_000, 1000, 0)
    batch.advance(7 * S)
    assert finish(batch, 7 * S) == (["a"], 20_500_000_000)


def test_context_slope_together():
    # Two of 100 tokens from 1,000 and 3,000: 100*s(2) + c*(4000*100 + 2*100*100/2)
    law = Decode(knots=((1, 0.010), (2, 0.015)), slope=1e-6)
    batch = Batch(law)
    batch.join("a", 1000, 100, 0)
    batch.join("b", 3000, 100, 0)
    assert finish(batch, 0) == (["a", "b"], 1_910_000_000)


def test_the_context_is_kept():
    batch = Batch(TWO)
    a = batch.join("a", 1000, 500, 0)
    batch.join("b", 200, 100, 0)
    batch.advance(S // 2)
    assert batch.context == pytest.approx(1200 + 2 * 0.5 / 0.015)
    batch.advance(int(1.5 * S))
    assert batch.done(int(1.5 * S)) == ["b"]
    assert batch.context == pytest.approx(1100)  # b is gone, a has made 100
    batch.leave(a, 2 * S)
    assert batch.context == 0.0


def test_leaving_early_and_coming_back():
    batch = Batch(TWO)
    a = batch.join("a", 0, 1000, 0)
    b = batch.join("b", 0, 200, 0)
    assert batch.leave(b, S) == 66  # 1 s of steps of 15 ms
    back = batch.join("b", 0, 1000, S)  # the old mark of b no longer counts
    # a has 933.3 steps of 15 ms left
    ids, now = finish(batch, S)
    assert ids == ["a"]
    assert now == 15 * S
    assert (back.here, b.here, a.here) == (True, False, False)


def test_speculation_makes_several_tokens_a_step():
    # E07: 1,000 tokens at 2.5 a step of 40 ms take 16 s; half-way 500 are made
    batch = Batch(Decode(knots=((1, 0.040),), per_step=2.5))
    a = batch.join("a", 0, 1000, 0)
    batch.advance(8 * S)
    assert batch.made(a) == 500
    assert finish(batch, 8 * S) == (["a"], 16 * S)


def test_a_token_just_made_counts():
    """n steps of s are n tokens at n*s, though that time is rounded down to a nanosecond."""
    for step in (1 / 83, 0.0173, 1 / 15_000):
        for n in (1, 3, 7, 41, 333):
            batch = Batch(Decode(knots=((1, step),)))
            a = batch.join("a", 0, 1000, 0)
            batch.advance(round(n * step * 1e9))
            assert batch.made(a) == n


def test_infinitely_fast():
    batch = Batch(TWO.times(0.0))
    batch.join("a", 0, 1000, 5)
    batch.join("b", 0, 10, 5)
    assert batch.due == 5
    assert batch.done(5) == ["b", "a"]


def test_a_timer_in_whole_nanoseconds_is_enough():
    """An end that falls between two nanoseconds is taken at the nearer one."""
    batch = Batch(Decode(knots=((1, 1 / 83),)))
    now = 0
    for id in range(1000):
        batch.join(id, 0, 7, now)
        ids, now = finish(batch, now)
        assert ids == [id]
    assert now / S == pytest.approx(7000 / 83, abs=1e-6)


def test_ends_of_one_instant_come_together():
    """Sequences whose ends differ by rounding only: 3 joins in mid-step with equal ends."""
    batch = Batch(Decode(knots=((1, 0.003),)))
    batch.join("a", 0, 900, 0)
    batch.join("b", 0, 600, 900_000_000)
    batch.join("c", 0, 300, 1_800_000_000)
    assert finish(batch, 1_800_000_000) == (["a", "b", "c"], 2_700_000_000)


def test_nothing_to_make():
    batch = Batch(TWO)
    batch.join("a", 50, 0, 3)
    assert batch.due == 3
    assert batch.done(3) == ["a"]


def test_misuse_is_refused():
    batch = Batch(TWO)
    batch.join("a", 0, 10, 5)
    with pytest.raises(ValueError, match="time went back"):
        batch.advance(4)


def test_tokens_of_no_time_come_while_decoding_stands_still():
    """What is read during a pause and decodes in no time ends then, with its first token."""
    batch = Batch(TWO.times(0.0))
    batch.pause(0)
    a = batch.join("a", 2000, 100, 2 * S)
    assert batch.due == 2 * S
    assert batch.done(2 * S) == ["a"]
    assert batch.when(a.joined, 1.0) == 2 * S


def test_an_end_in_149_years_is_an_end():
    """4,700 tokens at a millionth of a token a second: 4.7e9 s, beyond 2^62 nanoseconds."""
    batch = Batch(Decode(knots=((1, 1e6),)))
    batch.join("a", 0, 4700, 0)
    assert batch.due == 4_700_000_000 * S
    assert batch.done(batch.due) == ["a"]
