"""Findings and problems as documents: what is told, and in which order."""

from __future__ import annotations

from agentsim.analysis.findings import Findings
from agentsim.analysis.weights import by_weight
from agentsim.graph import Graph
from agentsim.report import brief, helping, sections, show
from agentsim.report.assumptions import assumed
from agentsim.report.blocks import Block, Document, Lines, Run, line
from agentsim.report.carrying import carrying
from agentsim.report.comparing import compare
from agentsim.report.sweeping import sweep
from agentsim.report.text import listed, name

__all__ = ["Document", "answer", "compare", "found", "sweep"]


def answer(findings: Findings, full: bool = False) -> Document:
    """The answer of one run: how long, what bound it, what would help, what was assumed.

    `full`: each warning as it is, else the weightiest ones in brief.
    """
    lines = brief.brief(((notice, None) for notice in findings.notices), lambda *_: "")
    blocks: list[Block | None] = [
        sections.headline(findings),
        sections.verdict(findings),
        sections.bottleneck(findings) if findings.wall.mean > 0 else None,
        carrying(findings),
        sections.breakdown(findings),
        helping.levers(findings),
        assumed(findings),
        sections.warned(findings.warnings) if full else brief.notes(lines),
        sections.foot(findings),
    ]
    return Document(tuple(block for block in blocks if block is not None))


def found(graph: Graph, file: str) -> Document:
    """What `validate` says of a file without a problem: what it found in it."""
    roles = [role for server in graph.servers for role in server.roles]
    people, pools = [it.name for it in graph.people], [it.name for it in graph.pools]
    facts = [
        show.plural(sum(bool(step.path) for step in graph.steps), "step"),
        _several(roles, "model role"),
    ]
    facts += [_several(people, "person", "people"), _several(pools, "pool")]
    facts.append(show.plural(len(graph.assumed), "value") + " assumed")
    told = [
        Run("ok: ", "strong"),
        Run(f"{name(file, 60)}: {', '.join(fact for fact in facts if fact)}"),
    ]
    notes = sections.warned([it.text for it in by_weight(graph.notices)])
    blocks: tuple[Block, ...] = (Lines((line(*told),)),)
    return Document((*blocks, notes) if notes else blocks)


def _several(names: list[str], word: str, words: str = "") -> str:
    """`2 model roles (main and small)`; nothing where there is none."""
    if not names:
        return ""
    return f"{show.plural(len(names), word, words)} ({listed([name(it, 20) for it in names], 4)})"
