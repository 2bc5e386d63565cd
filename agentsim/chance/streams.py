"""Keyed streams of uniform numbers: what is drawn depends on who asks, never on when.

BLAKE2b in counter mode: block n of a stream is the hash of (key, purpose, n), eight numbers of 52
bits each. The same on every machine and in every version of Python; no state to share or to save.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import count
from struct import Struct

from agentsim.chance.base import phi, score

_counter = Struct("<QQQ").pack
_numbers = Struct("<8Q").unpack
_SMALL = 2.0**-52
_LEAST = 2.0**-53
_MOST = 1.0 - 2.0**-53


def key_of(*parts: int | str) -> int:
    """A 64-bit key from structure: seed, replication, step, item, round, attempt, turn.

    Text carries its length and a number its own mark, so ("ab", "c"), ("a", "bc"), (1,) and ("1",)
    are all different.
    """
    text = ""
    for part in parts:
        text += f"{len(part)}:{part}" if isinstance(part, str) else f"i{part:d};"
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def uniforms(key: int, purpose: int) -> Iterator[float]:
    """Uniform numbers without end, strictly between 0 and 1; key and purpose of 64 bits."""
    for n in count():
        for x in _numbers(blake2b(_counter(key, purpose, n)).digest()):
            # 52 bits and a half: the largest is 1 - 2^-53, which a float holds exactly.
            yield ((x >> 12) + 0.5) * _SMALL


def blocks(key: int, purpose: int) -> Iterator[list[float]]:
    """The same numbers as `uniforms`, eight at a time: for those who draw by the block."""
    for n in count():
        block = _numbers(blake2b(_counter(key, purpose, n)).digest())
        yield [((x >> 12) + 0.5) * _SMALL for x in block]


def first(key: int, purpose: int) -> float:
    """The first number of that stream, without making a stream."""
    x = int.from_bytes(blake2b(_counter(key, purpose, 0)).digest()[:8], "little")
    return ((x >> 12) + 0.5) * _SMALL


def blend(u_task: float, u_draw: float, between: float) -> float:
    """One uniform of a task's and a draw's: Phi(sqrt(b) z_task + sqrt(1 - b) z_draw).

    A Gaussian copula: uniform again whatever `between` (0..1), and draws of one task have the
    correlation `between` on the normal score.
    """
    if between <= 0.0:
        return u_draw
    if between >= 1.0:
        return u_task
    u = phi(math.sqrt(between) * score(u_task) + math.sqrt(1.0 - between) * score(u_draw))
    return min(max(u, _LEAST), _MOST)


def blender(u_task: float, between: float) -> Callable[[Iterable[float]], list[float]]:
    """`blend` of a task's uniform with each of a block of draws; 0 < between < 1."""
    fixed, free = math.sqrt(between) * score(u_task), math.sqrt(1.0 - between)

    def mix(us: Iterable[float]) -> list[float]:
        mixed = [phi(fixed + free * score(u)) for u in us]
        return [_LEAST if u < _LEAST else _MOST if u > _MOST else u for u in mixed]

    return mix
