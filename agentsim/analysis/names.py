"""What things are called in the answer."""

from __future__ import annotations

from agentsim.graph import ServerPlan


def of_server(plan: ServerPlan) -> str:
    """A server goes by the first role bound to it."""
    return plan.roles[0] if plan.roles else plan.name
