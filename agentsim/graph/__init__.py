"""What is to run, compiled: frozen dataclasses that hold no clock and draw nothing."""

from agentsim.graph.cast import AgentPlan, CompactPlan, PersonPlan, PoolPlan, ToolPlan
from agentsim.graph.graph import Assumed, Budget, Graph, Step
from agentsim.graph.nodes import (
    Agent,
    Ask,
    Block,
    Call,
    Fork,
    Guard,
    Loop,
    Node,
    Says,
    Work,
    inner_of,
    repeats,
    walk,
)
from agentsim.graph.server import About, CachePlan, LimitPlan, ServerPlan

__all__ = [
    "About",
    "Agent",
    "AgentPlan",
    "Ask",
    "Assumed",
    "Block",
    "Budget",
    "CachePlan",
    "Call",
    "CompactPlan",
    "Fork",
    "Graph",
    "Guard",
    "LimitPlan",
    "Loop",
    "Node",
    "PersonPlan",
    "PoolPlan",
    "Says",
    "ServerPlan",
    "Step",
    "ToolPlan",
    "Work",
    "inner_of",
    "repeats",
    "walk",
]
