"""How many copies of the workflow a server carries, as JSON."""

from __future__ import annotations

from typing import Any

from agentsim.analysis.carries import Carries, Tried


def can_serve(it: Carries | None) -> dict[str, Any] | None:
    """`servers{}.can_serve`; null where it was not asked."""
    if it is None:
        return None
    return {
        "turn_p90": it.turn_p90,
        "copies": it.copies,
        "at_least": it.at_least,
        "agents": it.agents,
        "people": it.people,
        "between": list(it.between),
        "looked_at": it.lasted,
        "tried": [_tried(one) for one in it.tried],
        "notes": list(it.notes),
    }


def _tried(it: Tried) -> dict[str, Any]:
    return {
        "copies": it.copies,
        "p90": it.p90,
        "ci95": None if it.ci95 is None else list(it.ci95),
    }
