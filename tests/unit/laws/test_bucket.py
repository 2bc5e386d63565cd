"""The token bucket by hand."""

import random
from fractions import Fraction

import pytest

from agentsim.laws.quotas import QUOTAS, quota_of
from agentsim.laws.quotas.bucket import Bucket

S = 1_000_000_000


def test_the_table_is_complete():
    for kind in QUOTAS:
        quota = quota_of(kind, 10.0, 1.0, S, 0)
        assert quota.ready_at(0, 10) == 0


def test_starts_full_and_fills():
    # DESIGN section 6: bucket 30k, refill 500/s
    bucket = Bucket(30_000, 500)
    assert bucket.ready_at(0, 30_000) == 0
    bucket.take(0, 30_000)
    assert bucket.ready_at(0, 1000) == 2 * S
    assert bucket.ready_at(S, 1000) == 2 * S
    assert bucket.ready_at(5 * S, 1000) == 5 * S
    assert bucket.ready_at(0, 30_001) is None
    bucket.take(1000 * S, 30_000)  # never more than full
    assert bucket.ready_at(1000 * S, 30_000) == 1060 * S


def test_the_first_whole_nanosecond():
    # 100 a minute: 1 takes 0.6 s; 7 a second: 1/7 s is 142857142.86 ns
    minute = Bucket(10, 100 / 60)
    minute.take(0, 10)
    assert minute.ready_at(0, 1) == 600_000_000
    seventh = Bucket(10, 7)
    seventh.take(0, 10)
    assert seventh.ready_at(0, 1) == 142_857_143
    with pytest.raises(ValueError, match="more than the bucket holds"):
        seventh.take(142_857_142, 1)
    seventh.take(142_857_143, 1)


def test_what_comes_back_is_capped():
    bucket = Bucket(100, 1)
    bucket.take(0, 60)
    bucket.give_back(0, 20)
    assert bucket.ready_at(0, 60) == 0
    assert bucket.ready_at(0, 61) == S
    bucket.give_back(0, 500)
    bucket.take(0, 100)
    assert bucket.ready_at(0, 1) == S


def test_no_drift_over_a_million_takes():
    """Taken as soon as it is there: the time is that of the refill, to the nanosecond."""
    bucket, now, n = Bucket(3, 100 / 60), 0, 1_000_000
    for _ in range(n):
        now = bucket.ready_at(now, 1)
        bucket.take(now, 1)
    assert now == (n - 3) * 600_000_000


def test_against_fractions():
    """Random takes against the same bucket in exact fractions."""
    rng = random.Random(5)
    bucket, level, last = Bucket(50, 7), Fraction(50), 0
    for _ in range(2000):
        now = last + rng.randrange(3 * S)
        level, last = min(Fraction(50), level + Fraction(7 * (now - last), S)), now
        amount = rng.randrange(1, 51)
        ready = bucket.ready_at(now, amount)
        short = max(Fraction(0), amount - level)
        assert ready == now + -(-short * S // 7)
        if ready == now:
            bucket.take(now, amount)
            level -= amount


def test_parts_of_tokens():
    bucket = Bucket(1.5, 0.5)
    bucket.take(0, 1.25)
    assert bucket.ready_at(0, 0.5) == S // 2


def test_refused():
    for capacity, refill in ((0, 1), (1, 0), (-1, 1), (1, float("nan")), (1, 1e-30)):
        with pytest.raises(ValueError):
            Bucket(capacity, refill)
    bucket = Bucket(5, 1)
    bucket.take(10, 1)
    with pytest.raises(ValueError, match="time went back"):
        bucket.take(9, 1)
    with pytest.raises(ValueError, match="amount"):
        bucket.take(10, -1)
