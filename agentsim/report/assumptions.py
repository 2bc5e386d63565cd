"""What was taken for granted: how many values, the ones that matter, and where all of them are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.analysis.findings import Findings, Sway
from agentsim.report import show
from agentsim.report.blocks import Notes
from agentsim.report.text import name, safe

MATTER = 2  # values that are named with the span of answers that they make
TRIED = 40  # columns of the two ends of its range; longer ones are left to `validate --full`
VALUE = 70  # columns of a value; longer ones are cut


def assumed(findings: Findings) -> Notes | None:
    """The values that the file did not give, those first that move the answer most."""
    machines = [_of_profile(it, len(told)) for it, told in findings.granted.items()]
    if not findings.assumed:
        return Notes("Assumed", tuple(machines), "dim") if machines else None
    ranked = sorted(findings.sensitivity, key=lambda sway: -abs(sway.high - sway.low))
    moving = [it for it in ranked if abs(it.high - it.low) >= 0.005 * findings.wall.p50 > 0]
    values = {str(it.get("key", "")): it for it in findings.assumed}
    count = len(findings.assumed)
    items = []
    if moving:
        told = [_sway(sway, values.get(sway.key)) for sway in moving[:MATTER]]
        head = "The one that matters" if len(told) == 1 else "The two that matter most"
        items.append(f"{head}, with the typical run at both ends of its range:")
        items += told
    elif ranked:
        items.append("None of those that were tried moves the typical run by 1 %.")
    first = [str(sway.key) for sway in moving[:MATTER]]
    items.append(_others(count - sum(key in values for key in first), bool(first)))
    items += machines
    items += [safe(note) for it in findings.assumed if (note := it.get("note"))]
    title = f"Assumed ({show.plural(count, 'value')})"
    return Notes(title, tuple(item for item in items if item), "dim")


def _others(count: int, named: bool) -> str:
    """How many are not named here, and where they are."""
    if not count:
        return ""
    told = f"The {count} others" if named and count > 1 else "The other" if named else "All"
    return f"{told}, with values and sources: `agentsim validate FILE --full`"


def _of_profile(profile: str, count: int) -> str:
    return f"Of the machine {count}, each a sentence: `agentsim hw show {safe(profile)}`"


def _sway(sway: Sway, given: dict[str, Any] | None) -> str:
    """The span first: a value such as `{fixed: 3m, code: 400 loc/h}` may take a line of its own."""
    value = f" = {name(given['value'], VALUE)}" if given and given.get("value") else ""
    tried = _tried(*sway.tried) if sway.tried else ""
    return f"- {span(sway.low, sway.high)} by {name(sway.value, 44)}{value}{tried}"


def _tried(first: object, last: object) -> str:
    """`, tried p50 20 to 120 loc`: what differs between the ends; nothing where that is long."""
    if isinstance(first, Mapping) and isinstance(last, Mapping) and first.keys() == last.keys():
        keys = [key for key in first if first[key] != last[key]]
        keys = ["p50"] if "p50" in keys else keys
        told = ", ".join(f"{safe(key)} {_ends(first[key], last[key])}" for key in keys)
    else:
        told = _ends(_middle(first), _middle(last))
    return f", tried {told}" if told and len(told) <= TRIED and not set(told) & set("[{") else ""


def _middle(end: object) -> object:
    """The median stands for a distribution."""
    return end["p50"] if isinstance(end, Mapping) and "p50" in end else end


def _ends(first: object, last: object) -> str:
    """`20 to 120 loc`: a unit that both have is said once."""
    low, high = safe(first), safe(last)
    count, _, unit = low.partition(" ")
    return f"{count if unit and high.endswith(f' {unit}') else low} to {high}"


def span(low: float, high: float) -> str:
    """`35m..58m`, `50s..1.2m`."""
    return f"{show.tight(min(low, high))}..{show.tight(max(low, high))}"
