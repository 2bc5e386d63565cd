"""Keyed streams: frozen values, evenness, independence of keys, blending."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.chance import blend, blender, first, key_of, uniforms
from agentsim.chance.base import score

GOLDEN_EMPTY = 13020603013274838756
GOLDEN_KEY = 1376688422542835813
GOLDEN_DRAWS = [
    0.9234085932550188,
    0.2896839961827741,
    0.6688088460595724,
    0.4524363011675495,
    0.31329167939072333,
    0.8061300049038785,
    0.5337962024175461,
    0.12200508985882463,
    0.16751677538807674,
    0.3494513784278105,
]


def test_frozen_values():
    """Golden: written down when the generator was made. A change of them changes every result."""
    assert key_of() == GOLDEN_EMPTY
    assert key_of(1, "implement", 0) == GOLDEN_KEY
    assert list(islice(uniforms(7, 3), 10)) == GOLDEN_DRAWS


def test_keys_tell_parts_apart():
    keys = [key_of("ab", "c"), key_of("a", "bc"), key_of("abc"), key_of(1), key_of("1"),
            key_of(-1), key_of(1, 1), key_of(11), key_of("i1;"), key_of(1, "")]  # fmt: skip
    assert len(set(keys)) == len(keys)
    assert all(0 <= key < 2**64 for key in keys)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_first_is_the_first_and_all_lie_inside(key, purpose):
    draws = list(islice(uniforms(key, purpose), 17))
    assert first(key, purpose) == draws[0]
    assert all(0.0 < u < 1.0 for u in draws)


def test_streams_of_other_keys_and_purposes_differ():
    assert first(1, 2) != first(2, 1) != first(1, 1)


def test_even():
    """Chi-square over 64 cells of 64,000 draws: 63 degrees; 99.9 % of samples lie below 103.4."""
    cells = [0] * 64
    for u in islice(uniforms(key_of("even"), 0), 64_000):
        cells[int(u * 64)] += 1
    assert sum((n - 1000) ** 2 / 1000 for n in cells) < 103.4


def test_first_draws_of_neighbouring_keys_are_even_too():
    cells = [0] * 64
    for key in range(64_000):
        cells[int(first(key, 1) * 64)] += 1
    assert sum((n - 1000) ** 2 / 1000 for n in cells) < 103.4


@pytest.mark.parametrize("between", [0.0, 0.3, 0.68, 1.0])
def test_blend_keeps_the_distribution_and_makes_the_correlation(between):
    stream = uniforms(key_of("blend"), 1)
    tasks = 4000
    cells, product = [0] * 20, 0.0
    for _ in range(tasks):
        task = next(stream)
        a, b = (blend(task, next(stream), between) for _ in range(2))
        assert 0.0 < a < 1.0
        cells[int(a * 20)] += 1
        product += score(a) * score(b) / tasks
    # Chi-square, 19 degrees: 99.9 % lie below 43.8.
    assert sum((n - tasks / 20) ** 2 / (tasks / 20) for n in cells) < 43.8
    # The correlation of two draws of one task is `between`; its error here is about 0.02.
    assert product == pytest.approx(between, abs=0.06)


def test_blender_is_blend():
    mix = blender(0.2, 0.68)
    us = (2.0**-53, 0.1, 0.5, 0.93, 1 - 2.0**-53)
    assert mix(us) == pytest.approx([blend(0.2, u, 0.68) for u in us], rel=1e-12)


def test_blend_stays_inside():
    least, most = 2.0**-53, 1 - 2.0**-53
    assert least <= blend(least, least, 0.5) < 1e-15
    assert 1 - 1e-15 < blend(most, most, 0.5) <= most
