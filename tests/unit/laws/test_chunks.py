"""Prompts read in chunks between the tokens of others, by hand."""

import random

import pytest

from agentsim.laws.batch import NEVER
from agentsim.laws.chunks import Chunked, stretches
from agentsim.laws.decode import Decode
from agentsim.laws.prefill import Prefill, table_from_rates

S = 1_000_000_000
TWO = Decode(knots=((1, 0.010), (2, 0.015)))
THOUSAND = Prefill(per_token=0.001)


def ends(batch):
    """All ends up to the last: (instant in seconds, ids), a prompt's end with none."""
    found = []
    while batch.due < NEVER:
        now, reading = batch.due, batch.reading
        ids = batch.done(now)
        if ids or (reading and not batch.reading):
            found.append((now / S, ids))
    return found


def test_a_prompt_goes_with_the_steps_of_one_that_decodes():
    # 3 steps of 10 ms and 1 s: to 3.03 s; the other 97 of a's steps: 0.97 s
    batch = Chunked(TWO)
    batch.join("a", 0, 100, 0)
    batch.read(stretches(THOUSAND, 1000, 3000, 0), 0)
    assert ends(batch) == [(3.03, []), (4.0, ["a"])]
    assert batch.spent(4 * S) == pytest.approx(3.0)


def test_with_nobody_decoding_a_prompt_takes_its_own_time():
    batch = Chunked(TWO)
    batch.read(stretches(THOUSAND, 1000, 2500, 0), 0)
    assert ends(batch) == [(2.5, [])]


def test_one_joins_in_the_middle_of_a_prompt():
    # 1.5 steps of 1.01 s are over at 1.515 s. The other 1.5 take 15 ms and 1 s each: to 3.0375 s.
    # c has 1.5 of its 10 tokens then, and 8.5 steps of 15 ms are 127.5 ms; then a alone has
    # 3 + 8.5 of its 100: 88.5 steps of 10 ms.
    batch = Chunked(TWO)
    a = batch.join("a", 0, 100, 0)
    batch.read(stretches(THOUSAND, 1000, 3000, 0), 0)
    c = batch.join("c", 0, 10, 1_515_000_000)
    assert batch.made(a) == 1
    assert batch.when(0.0, 1.0) == 1_010_000_000
    found = ends(batch)
    assert found == [(3.0375, []), (3.165, ["c"]), (4.05, ["a"])]
    # c's second token is at 2 steps: half a step after the prompt
    assert batch.when(c.joined, 2.0) == 3_045_000_000


def test_the_first_joins_in_the_middle_of_a_prompt():
    # 1 s alone reads a third of it; the other two steps take 1.01 s each
    batch = Chunked(TWO)
    batch.read(stretches(THOUSAND, 1000, 3000, 0), 0)
    batch.join("c", 0, 3, 1 * S)
    assert ends(batch) == [(3.02, []), (3.03, ["c"])]


def test_one_leaves_in_the_middle_of_a_prompt():
    # two steps of 15 ms and 1 s, then the third with a alone; at 1.5225 s b has 1.5 tokens
    batch = Chunked(TWO)
    batch.join("a", 0, 10, 0)
    b = batch.join("b", 0, 100, 0)
    batch.read(stretches(THOUSAND, 1000, 3000, 0), 0)
    assert batch.leave(b, 1_522_500_000) == 1
    # 1.5 steps of 1.01 s more: 3.0375 s, and the 7 left of a
    assert ends(batch) == [(3.0375, []), (3.1075, ["a"])]


def test_the_last_leaves_in_the_middle_of_a_prompt():
    batch = Chunked(TWO)
    b = batch.join("b", 0, 100, 0)
    batch.read(stretches(THOUSAND, 1000, 3000, 0), 0)
    assert batch.leave(b, 1_515_000_000) == 1
    assert ends(batch) == [(3.015, [])]  # half of it is left: 1.5 s


def test_one_ends_in_the_middle_of_a_prompt():
    batch = Chunked(TWO)
    batch.join("a", 0, 1.5, 0)
    batch.read(stretches(THOUSAND, 1000, 3000, 0), 0)
    assert ends(batch) == [(1.515, ["a"]), (3.015, [])]


def test_a_prompt_that_is_given_up():
    # 2 s of it alone and then 505 ms: half of the third chunk
    batch = Chunked(TWO)
    batch.read(stretches(THOUSAND, 1000, 4000, 0), 0)
    batch.join("a", 0, 1, 2 * S)
    assert batch.give_up(2_505_000_000) == 2500
    assert batch.spent(2_505_000_000) == pytest.approx(2.5)
    # a has half of its token; the other half takes 5 ms
    assert ends(batch) == [(2.51, ["a"])]


def test_the_context_grows_under_a_prompt():
    # s = 10 ms + 10 us a token of context: 1,000 at first, one more each step; 2 chunks of 1 s:
    # 0.020 + 0.020 s in the first and 0.02001 in the second
    batch = Chunked(Decode(knots=((1, 0.010),), slope=1e-5))
    batch.join("a", 1000, 4, 0)
    batch.read(stretches(THOUSAND, 1000, 2000, 0), 0)
    # 2 steps: 2 * 0.020 + 1e-5 * 2 * 2 / 2 + 2 s; all 4: 4 * 0.020 + 1e-5 * 8 + 2 s
    assert ends(batch) == [(2.04002, []), (2.08008, ["a"])]


def test_the_fixed_part_is_in_the_first_step():
    law = Prefill(fixed=0.5, per_token=0.001)
    assert stretches(law, 1000, 1500, 0) == [(1.0, 1.5, 0.0, 1000.0), (1.0, 0.5, 0.0, 500.0)]
    assert stretches(law, 1000, 0, 800) == [(1.0, 0.5, 0.0, 0.0)]
    assert stretches(law, 1000, 600, 0) == [(1.0, pytest.approx(1.1), 0.0, 600.0)]


@pytest.mark.parametrize(
    "law",
    [
        Prefill(fixed=0.2, per_token=0.0004, slope=7e-9),
        table_from_rates({0: 2525, 4096: 2200, 32_768: 1500}, fixed=0.1),
        table_from_rates({1000: 900}),
    ],
)
def test_all_steps_together_take_what_the_law_says(law):
    """And each chunk what the law says of it alone, the fixed part in the first."""
    rng = random.Random(5)
    for _ in range(200):
        new, cached = rng.randint(1, 50_000), rng.choice([0, 700, 30_000])
        chunk = rng.choice([1, 333, 2048, 100_000]) if new < 3000 else rng.choice([333, 2048])
        found = stretches(law, chunk, new, cached)
        steps = -(-new // chunk)
        assert sum(row[0] for row in found) == pytest.approx(steps)
        took = sum(k * (linear + square * k) for k, linear, square, _ in found)
        assert took == pytest.approx(law.seconds(new, cached))
        assert sum(row[0] * row[3] for row in found) == pytest.approx(new)
        first = min(chunk, new)
        batch = Chunked(TWO)
        batch.read(found, 0)
        batch.advance(round(law.seconds(first, cached) * S))
        assert batch._count == pytest.approx(1.0, abs=1e-5)
