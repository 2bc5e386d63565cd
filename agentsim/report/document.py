"""Findings and problems as documents: what is told, and in which order."""

from __future__ import annotations

from agentsim.analysis.findings import Findings
from agentsim.graph import Graph
from agentsim.report import sections, show
from agentsim.report.assumptions import assumed
from agentsim.report.blocks import Block, Document, Lines, Notes, Run, line
from agentsim.report.sweeping import sweep
from agentsim.report.text import listed, name, safe

__all__ = ["Document", "answer", "found", "sweep", "warnings"]


def answer(findings: Findings) -> Document:
    """The answer of one run: how long, what bound it, what would help, what was assumed."""
    blocks: list[Block | None] = [
        sections.headline(findings),
        sections.verdict(findings),
        sections.bottleneck(findings) if findings.wall.mean > 0 else None,
        sections.breakdown(findings),
        sections.levers(findings),
        assumed(findings),
        warnings(findings.warnings),
        sections.foot(findings),
    ]
    return Document(tuple(block for block in blocks if block is not None))


def warnings(texts: list[str]) -> Notes | None:
    """What to beware of; nothing if there is nothing."""
    if not texts:
        return None
    title = "Warning" if len(texts) == 1 else f"Warnings ({len(texts)})"
    return Notes(title, tuple(safe(text) for text in texts))


def found(graph: Graph, file: str) -> Document:
    """What `validate` says of a file without a problem: what it found in it."""
    roles = [role for server in graph.servers for role in server.roles]
    people, pools = [it.name for it in graph.people], [it.name for it in graph.pools]
    facts = [
        show.plural(len(graph.steps), "step"),
        show.plural(len(roles), "model role") + _named(roles),
        show.plural(len(people), "person", "people") + _named(people),
        show.plural(len(pools), "pool") + _named(pools),
        show.plural(len(graph.assumed), "value") + " assumed",
    ]
    told = [Run("ok: ", "strong"), Run(f"{name(file, 60)}: {', '.join(facts)}")]
    notes = warnings(list(graph.notes))
    blocks: tuple[Block, ...] = (Lines((line(*told),)),)
    return Document((*blocks, notes) if notes else blocks)


def _named(names: list[str]) -> str:
    return f" ({listed([name(it, 20) for it in names], 4)})" if names else ""
