"""What a hardware profile leaves out, and what is odd about its tables, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from agentsim.chance import Distribution, QuantileTable, quantiles
from agentsim.graph import CachePlan
from agentsim.laws.crowd import slower_together
from agentsim.laws.decode import Decode, Knots
from agentsim.laws.price import Price
from agentsim.spec.profile import PrefillFile

_FITS = 1.1  # a quantile so much off is no log-normal's: measured tails scatter by some percent
_NOISE = 0.95  # measured tables of steps scatter by a few percent; a larger fall is no scatter
_RISES = 1.2  # dgx-spark-ds4: its first row is a cold one, the second is 7.4 % quicker

_LACKS = MappingProxyType(
    {"limits": "quota", "cache": "prompt cache", "price": "price", "context": "context limit"}
)


class Fall(NamedTuple):
    """A step of `many` streams that is quicker than one of `few`: `ratio` of its time, below 1."""

    few: float
    many: float
    ratio: float

    @property
    def is_noise(self) -> bool:
        """Whether scatter between measurements may explain it (5 % at most)."""
        return self.ratio >= _NOISE

    @property
    def words(self) -> str:
        """`a step of 2 streams is 50 % shorter than one of 1`."""
        shorter = f"{100.0 * (1.0 - self.ratio):.3g} % shorter"
        return f"a step of {self.many:g} streams is {shorter} than one of {self.few:g}"


def falls(knots: Knots) -> Iterator[Fall]:
    """Rows below the longest step of fewer streams: small falls in a row add up."""
    few, longest = knots[0]
    for many, step in knots[1:]:
        if step >= longest:
            few, longest = many, step
        else:
            yield Fall(few, many, step / longest)


def notes(raw: Mapping[Any, Any], decode: Decode, slots: int | None, shared: bool) -> Iterator[str]:
    """What the answer must say of a profile (`raw`: as written), whatever it runs.

    The grade, and runs beyond what was measured, are told by the analysis of a run, as are `gaps`,
    which name more and hold a shared server without slots to be one's own, without a quota.
    """
    if "prefill" not in raw and "first_token" not in raw:
        yield "no prefill given: input costs no time"
    # one's own machine has slots and no quota
    gone = [key for key in _LACKS if key not in raw and (key != "limits" or slots is None)]
    if gone:
        yield f"not given, so not modelled: {', '.join(_LACKS[key] for key in gone)}"
    yield from _crowd(decode, slots, shared)
    if not raw.get("source"):
        yield "no source given: it does not say where its figures come from"


def _crowd(decode: Decode, slots: int | None, shared: bool) -> Iterator[str]:
    """What is odd about the speed of several calls at once, and may still be right."""
    knots = decode.knots
    if knots is None:
        return
    if not shared:
        unused = [f"{streams:g}" for streams, _ in knots if streams > 1]
        if unused:
            yield (
                "`shared: no`: each call gets the speed of one stream, so what `decode` gives for "
                f"{', '.join(unused)} streams is not used"
            )
        return
    if slots == 1:
        return
    if len(knots) == 1:
        yield "no speed for several streams given: each gets that of one"
    for fall in falls(knots):
        if fall.is_noise:
            yield f"{fall.words}: taken as it is, since measurements scatter by so much"
    if crowd := slower_together(knots):
        yield crowd.words


def idle_prices(price: Price | None, cache: CachePlan) -> list[str]:
    """Prices of what only a cache brings about, where there is none."""
    if price is None or cache.kind != "none":
        return []
    every = (price, *(tier.price for tier in price.tiers))
    given = [
        key
        for key in ("cached", "cache_write")
        if any(getattr(it, key) is not None for it in every)
    ]
    if not given:
        return []
    keys = " and ".join(f"`{key}`" for key in given)
    return [f"{keys} in `price`: never paid, since the profile has no `cache`"]


def depth_notes(file: PrefillFile | None) -> Iterator[str]:
    """A prompt is read more slowly the more of it was read: measured tables rise by 8 % at most."""
    rows = file.rate if file is not None and isinstance(file.rate, tuple) else ()
    for (less, slow), (more, quick) in pairwise(rows):
        if quick > slow * _RISES:
            yield f"prefill is quicker at {more:,.0f} tokens than at {less:,.0f}: is that right?"


def quantile_notes(given: Mapping[str, Distribution | None]) -> Iterator[str]:
    """Three quantiles or more that no log-normal has: what the two lowest say of the others."""
    for key, found in given.items():
        if not isinstance(found, QuantileTable) or len(found.points) < 3:
            continue
        low, high = found.points[:2]
        line = quantiles(dict((low, high)))
        off = {share: abs(math.log(value / line.at(share))) for share, value in found.points[2:]}
        worst = max(off, key=lambda share: off[share])
        if off[worst] > math.log(_FITS):
            unit = "" if key == "spread" else " s"
            yield (
                f"`{key}`: a log-normal through p{100 * low[0]:g} and p{100 * high[0]:g} has a "
                f"p{100 * worst:g} of {line.at(worst):.3g}{unit}, not {found.at(worst):.3g}{unit}: "
                "all quantiles are kept, and the times between them go by straight lines of the "
                "logarithm"
            )


def room_notes(kv: int | None, context: int | None) -> Iterator[str]:
    """Memory that does not hold one context in full."""
    if kv is not None and context is not None and kv < context:
        yield (
            f"`kv` holds {kv:,} tokens, less than one context of {context:,}: a call that needs "
            "more of it fails"
        )


def gaps(raw: Mapping[Any, Any], decode: Decode, slots: int | None, shared: bool) -> Iterator[str]:
    """What a profile (`raw`: as written) leaves out and does not deny, by key.

    `latency: 0`, `prefill: none`, `cache: {kind: none}`, `limits: []` and `shared: no` are said on
    purpose. Quotas tell a hosted model, whose calls are each served at full speed; slots or a
    shared server tell a machine of one's own, which has no quotas.
    """
    first = "first_token" in raw
    if not first:
        yield from (key for key in ("prefill", "latency") if key not in raw)
    if shared:
        alone = decode.knots is not None and len(decode.knots) == 1 and slots != 1
    else:
        alone = "limits" not in raw and "shared" not in raw["decode"]
    if alone:
        yield "decode"
    if shared and "per_context_token" not in raw["decode"]:
        yield "per_context_token"
    if "limits" not in raw and not shared and slots is None and "kv" not in raw:
        yield "limits"
    if shared and slots != 1 and "kv" not in raw:
        yield "kv"
    if "machine" in raw and "load" not in raw:
        yield "load"
    yield from (key for key in ("cache", "context", "price") if key not in raw)
