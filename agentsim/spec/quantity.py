"""Quantities: one value, or a distribution in any of the forms of the format.

    4s                             one value
    {p50: 4s, p90: 20s}            quantiles, two or more: log-normal, or a table in log space
    {mean: 4s, cv: 0.5}            log-normal
    {min: 1s, mode: 2s, max: 9s}   triangular
    {uniform: [1s, 9s]}
    {values: [1s, 9s], weights: [3, 1]}
    {exponential: 4s}  {poisson: 3}  {geometric: 3}    the number is the mean; {geometric: {p: 30%}}
    {mixture: [{weight: 90%, value: 0s}, {weight: 10%, p50: 4s, p90: 20s}]}

each mapping also with `at_least:`, `at_most:`, and `per: task` or `per: {task: 68%}`. A unit is a
function that reads one value as written and raises `ValueError` with what it expected.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from agentsim import chance, units
from agentsim.chance import Constant, Distribution
from agentsim.errors import Problem
from agentsim.spec.problems import quoted, unknown_key
from agentsim.spec.tree import Path, Tree

Unit = Callable[[object], float]
"""Reads one value as written into base numbers (seconds, tokens); ValueError if it cannot."""

_MOST_WEIGHT = 1e12
MOST_PARTS = 50
"""Parts of a mixture, those of mixtures in it counted: each draw looks at all of them."""

COMMON = ("at_least", "at_most", "per")
COUNTS = ("poisson", "geometric")
"""Distributions over whole numbers of their unit."""
_QUANTILE = re.compile(r"p([0-9]{1,2}(?:\.[0-9]+)?)")
_KEYS = MappingProxyType(
    {
        "quantiles": (),
        "value": ("value",),
        "mean": ("mean", "cv"),
        "triangular": ("min", "mode", "max"),
        "uniform": ("uniform",),
        "values": ("values", "weights"),
        "exponential": ("exponential",),
        "poisson": ("poisson",),
        "geometric": ("geometric",),
        "mixture": ("mixture",),
    }
)
_WHOLE_FORMS = "such as {p50: 4s, p90: 20s}, {mean: 4s, cv: 0.5} or {min: 1s, mode: 2s, max: 9s}"
_SWAPPED = "`at_least` is the smaller of the two: swap them"
_RISING = "the larger the share, the larger the value: {p50: 4s, p90: 20s}"
_MEAN = "`cv` is the standard deviation over the mean: {mean: 4s, cv: 0.5}"
_TRIANGLE = "such as {min: 1s, mode: 2s, max: 9s}"
_ENDS = "the lower end first: {uniform: [1s, 9s]}"
_WEIGHTED = "a weight for each value, not all 0: {values: [1s, 9s], weights: [3, 1]}"
_CHANCE = "`p` is the chance to stop at each: {geometric: {p: 30%}}"
_PARTS = "{mixture: [{weight: 90%, value: 0s}, {weight: 10%, value: 4s}]}"
_KNOWN = ("p50", "p90", "p99", *(key for keys in _KEYS.values() for key in keys), *COMMON)


class QuantityFaults(ValueError):
    """All that is wrong with one quantity: problems without a place, each with its path in it."""

    def __init__(self, faults: Sequence[tuple[Path, Problem]]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(problem.message for _, problem in faults))


def quantity(value: object, unit: Unit, *, whole: bool = False, counted: str = "") -> Distribution:
    """The distribution that `value` writes down. Raises `QuantityFaults`.

    `whole`: it is a count, so a constant must be whole (a mean is given by a distribution).
    `counted`: it is none, and what a distribution over counts would count ("seconds").
    """
    reader = _Reader(unit, whole, counted)
    found = reader.read(value, ())
    if reader.faults or found is None:
        raise QuantityFaults(reader.faults)
    return found


def placed(faults: QuantityFaults, tree: Tree, path: Path = ()) -> list[Problem]:
    """The problems of a quantity that stands at `path` of `tree`, with their places."""
    found = []
    for inner, problem in faults.faults:
        place_of = tree.key_place if problem.code == "unknown-key" else tree.place
        found.append(dataclasses.replace(problem, place=place_of((*path, *inner))))
    return found


def count(value: object) -> float:
    """A plain number, 0 or more, without a unit."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ValueError(f"expected a number, 0 or more; got {_shown(value)}")
    return float(value)


def _shown(value: object) -> str:
    text = "the text " if isinstance(value, str) else ""
    return f"{text}{quoted(value)}"


class _Reader:
    def __init__(self, unit: Unit, whole: bool, counted: str) -> None:
        self.faults: list[tuple[Path, Problem]] = []
        self._unit = unit
        self._parts = 0
        self._counted = counted
        self._whole = whole

    def read(self, value: object, path: Path) -> Distribution | None:
        """One value or a distribution; None where a fault was noted."""
        if not isinstance(value, dict):
            one = self._one(value, path, whole=self._whole)
            return None if one is None else Constant(one)
        form = self._form(value, path)
        if form is None:
            return None
        known = len(self.faults)
        found = getattr(self, f"_{form}")(value, path)
        caps = {
            key: self._one(value[key], (*path, key))
            for key in ("at_least", "at_most")
            if key in value
        }
        between = self._between(value, path)
        if found is None or len(self.faults) > known:
            return None
        capped = self._made(lambda: chance.capped(found, **caps), path, _SWAPPED)
        if capped is not None:
            self._check_caps(found, caps, path)
        if capped is None or not between or isinstance(capped, Constant):
            return capped
        return chance.PerTask(capped, between)

    def _check_caps(
        self, found: Distribution, caps: Mapping[str, float | None], path: Path
    ) -> None:
        """A cap beyond the median moves most values: another distribution than is written."""
        median = found.at(0.5)
        for key, cap in caps.items():
            if cap is None or math.isclose(cap, median, rel_tol=1e-9):
                continue  # a median that is worked out may be a digit off
            if cap < median if key == "at_most" else cap > median:
                side = "above" if key == "at_most" else "below"
                message = (
                    f"the limit cuts off more than half: the median of {median:.6g} "
                    f"(seconds, tokens, lines) lies {side} it"
                )
                self._bad((*path, key), message, "values beyond a limit are set to it")

    def _form(self, value: dict[Any, Any], path: Path) -> str | None:
        """Which form the keys write down; None where they write none, or more than one."""
        forms: dict[str, list[str]] = {}
        strange = False
        for key in value:
            form = _form_of(key)
            if form:
                forms.setdefault(form, []).append(key)
            elif key not in COMMON:
                self._note((*path, key), unknown_key(key, _KNOWN, None, "a distribution"))
                strange = True
        if len(forms) == 1 and not strange:
            return next(iter(forms))
        if len(forms) > 1:
            first, second = (keys[0] for keys in list(forms.values())[:2])
            message = f"{quoted(first)} and {quoted(second)} belong to different distributions"
            self._bad(path, message, "keep one of them")
        elif not strange:
            self._bad(path, "a distribution without values", "such as {p50: 4s, p90: 20s}")
        return None

    def _quantiles(self, value: dict[str, Any], path: Path) -> Distribution | None:
        points: dict[float, float | None] = {}
        for key, written in value.items():
            found = _QUANTILE.fullmatch(key)
            if found:
                points[float(found[1]) / 100] = self._one(written, (*path, key))
        if len(points) == 1:
            self._bad(path, "one quantile is not enough", "add another: {p50: ..., p90: ...}")
            return None
        given = {share: point for share, point in points.items() if point is not None}
        if len(given) < len(points):
            return None
        return self._made(lambda: chance.quantiles(given), path, _RISING)

    def _value(self, value: dict[str, Any], path: Path) -> Distribution | None:
        return self.read(value["value"], (*path, "value"))

    def _mean(self, value: dict[str, Any], path: Path) -> Distribution | None:
        if not self._complete(value, "mean", path):
            return None
        mean = self._one(value["mean"], (*path, "mean"))
        cv = self._one(value["cv"], (*path, "cv"), count, hint=_MEAN)
        if mean is None or cv is None:
            return None
        return self._made(lambda: chance.lognormal_mean_cv(mean, cv), path, _MEAN)

    def _triangular(self, value: dict[str, Any], path: Path) -> Distribution | None:
        if not self._complete(value, "triangular", path):
            return None
        keys = _KEYS["triangular"]
        ends = self._ones([value[key] for key in keys], path, keys)
        return self._made(lambda: chance.triangular(*ends), path, _TRIANGLE) if ends else None

    def _uniform(self, value: dict[str, Any], path: Path) -> Distribution | None:
        ends = value["uniform"]
        if not isinstance(ends, list) or len(ends) != 2:
            self._bad((*path, "uniform"), "expected two values", "{uniform: [1s, 9s]}")
            return None
        found = self._ones(ends, (*path, "uniform"), (0, 1))
        return self._made(lambda: chance.uniform(*found), path, _ENDS) if found else None

    def _values(self, value: dict[str, Any], path: Path) -> Distribution | None:
        if "values" not in value:
            self._missing("values", path)
            return None
        written, weights = value["values"], value.get("weights")
        for key, given in (("values", written), ("weights", weights)):
            if not isinstance(given, list) and (key in value or key == "values"):
                self._bad((*path, key), "expected a list", "{values: [1, 2], weights: [3, 1]}")
                return None
        numbers = range(len(written))
        found = self._ones(written, (*path, "values"), numbers, whole=self._whole)
        shares = self._weights(weights, (*path, "weights")) if weights is not None else None
        if found is None or (weights is not None and shares is None):
            return None
        return self._made(lambda: chance.discrete(found, shares), path, _WEIGHTED)

    def _exponential(self, value: dict[str, Any], path: Path) -> Distribution | None:
        return self._by_mean(value, "exponential", chance.Exponential, path)

    def _poisson(self, value: dict[str, Any], path: Path) -> Distribution | None:
        return self._by_mean(value, "poisson", chance.Poisson, path)

    def _geometric(self, value: dict[str, Any], path: Path) -> Distribution | None:
        inner = value["geometric"]
        if isinstance(inner, dict) and set(inner) == {"p"}:
            at = (*path, "geometric", "p")
            p = self._one(inner["p"], at, units.share, hint=_CHANCE)
            return None if p is None else self._made(lambda: chance.geometric(p=p), at, _CHANCE)
        return self._by_mean(value, "geometric", lambda mean: chance.geometric(mean=mean), path)

    def _by_mean(
        self, value: dict[str, Any], form: str, make: Callable[[float], Distribution], path: Path
    ) -> Distribution | None:
        """`{exponential: 4s}` or `{exponential: {mean: 4s}}`."""
        inner, at = value[form], (*path, form)
        if isinstance(inner, dict):
            if set(inner) != {"mean"}:
                self._bad(at, "expected a mean", f"{{{form}: {{mean: ...}}}}")
                return None
            inner, at = inner["mean"], (*at, "mean")
        mean = self._one(inner, at)
        if self._counted and form in COUNTS and mean is not None and 0.0 < mean < 1.0:
            message = f"it counts whole {self._counted}, and {quoted(inner)} is less than one"
            self._bad(at, message, f"such as {{exponential: {inner}}}, which takes any value")
            return None
        return None if mean is None else self._made(lambda: make(mean), at)

    def _mixture(self, value: dict[str, Any], path: Path) -> Distribution | None:
        written, at = value["mixture"], (*path, "mixture")
        if not isinstance(written, list) or not all(isinstance(part, dict) for part in written):
            self._bad(at, "expected a list of parts, each with a weight", _PARTS)
            return None
        if not written:
            self._bad(at, "a mixture that has no parts", _PARTS)
            return None
        self._parts += len(written)
        if self._parts > MOST_PARTS:
            hint = "join parts that are alike, or give quantiles: {p50: ..., p90: ..., p99: ...}"
            self._bad(at, f"a mixture of {self._parts:,} parts; at most {MOST_PARTS}", hint)
            return None
        parts: list[tuple[float, Distribution]] = []
        for number, part in enumerate(written):
            if "weight" not in part:
                self._missing("weight", (*at, number))
                continue
            weight = self._one(part["weight"], (*at, number, "weight"), _weight)
            rest = {key: inner for key, inner in part.items() if key != "weight"}
            inner = self.read(rest, (*at, number))
            if weight is not None and inner is not None:
                parts.append((weight, inner))
        self._check_percent([part.get("weight") for part in written], at)
        return (
            self._made(lambda: chance.mixture(parts), at, _PARTS)
            if len(parts) == len(written)
            else None
        )

    def _between(self, value: dict[str, Any], path: Path) -> float:
        """The share of the spread that is drawn once a task; 0.0 too where it is not readable."""
        per = value.get("per")
        if "per" not in value:
            return 0.0
        if per == "task":
            return 1.0
        if isinstance(per, dict) and set(per) == {"task"}:
            return self._one(per["task"], (*path, "per", "task"), units.share) or 0.0
        self._bad((*path, "per"), "expected `task` or {task: share}", "per: {task: 68%}")
        return 0.0

    def _weights(self, written: list[object], path: Path) -> list[float] | None:
        found = [self._one(weight, (*path, i), _weight) for i, weight in enumerate(written)]
        given = [weight for weight in found if weight is not None]
        self._check_percent(written, path)
        return given if len(given) == len(found) else None

    def _check_percent(self, written: Sequence[object], path: Path) -> None:
        """Weights count by their proportion; in percent they say what they are of: all of it."""
        if not any(isinstance(weight, str) and "%" in weight for weight in written):
            return
        try:
            total = math.fsum(map(_weight, written))
        except ValueError:
            return  # told where it stands
        if abs(total - 1.0) > 1e-9:
            message = f"weights in percent must add up to 100 %; these come to {100 * total:.10g} %"
            self._bad(path, message, "or write all without %: then their proportions count")

    def _ones(
        self, values: list[object], path: Path, keys: Sequence[str | int], whole: bool = False
    ) -> list[float] | None:
        found = [
            self._one(value, (*path, key), whole=whole)
            for value, key in zip(values, keys, strict=True)
        ]
        given = [value for value in found if value is not None]
        return given if len(given) == len(found) else None

    def _one(
        self,
        value: object,
        path: Path,
        unit: Unit | None = None,
        whole: bool = False,
        hint: str = "",
    ) -> float | None:
        try:
            number = (unit or self._unit)(value)
        except ValueError as fault:
            self._bad(path, str(fault), hint)
            return None
        if whole and number != int(number):
            hint = f"a mean is given by a distribution: {{poisson: {value}}}"
            self._bad(path, f"expected a whole number; got {quoted(value)}", hint)
            return None
        return number

    def _made(
        self, make: Callable[[], Distribution], path: Path, hint: str = ""
    ) -> Distribution | None:
        """`hint`: how such a distribution is written, or what would mend it."""
        try:
            return make()
        except (ValueError, OverflowError) as fault:
            self._bad(path, str(fault), hint)
            return None

    def _complete(self, value: Mapping[str, Any], form: str, path: Path) -> bool:
        absent = [key for key in _KEYS[form] if key not in value]
        for key in absent:
            self._missing(key, path)
        return not absent

    def _missing(self, key: str, path: Path) -> None:
        message = f"the key {quoted(key)} is missing"
        self._note(path, Problem("missing-key", message, hint=_WHOLE_FORMS))

    def _bad(self, path: Path, message: str, hint: str = "") -> None:
        self._note(path, Problem("bad-value", message, hint=hint))

    def _note(self, path: Path, problem: Problem) -> None:
        self.faults.append((path, problem))


def _form_of(key: object) -> str | None:
    """The form that a key belongs to."""
    if not isinstance(key, str):
        return None
    if _QUANTILE.fullmatch(key):
        return "quantiles"
    return next((form for form, keys in _KEYS.items() if key in keys), None)


def _weight(value: object) -> float:
    weight = units.share(value) if isinstance(value, str) else count(value)
    if weight > _MOST_WEIGHT:  # weights count by their proportion, and their sum must be a number
        raise ValueError(f"the weight {quoted(value)} is too large: at most {_MOST_WEIGHT:,.0f}")
    return weight
