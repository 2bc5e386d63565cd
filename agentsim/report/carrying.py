"""How many copies of the workflow a server carries."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.analysis.carries import Carries
from agentsim.analysis.findings import Findings
from agentsim.report import show
from agentsim.report.blocks import Lines, line
from agentsim.report.text import name, safe


def carrying(findings: Findings) -> Lines | None:
    """A line or two a server; nothing where it was not asked."""
    found = [
        told
        for role, server in findings.servers.items()
        if server.can_serve is not None
        for told in _carries(name(server.profile, 30), role, server.can_serve)
    ]
    return Lines(tuple(line(text) for text in found)) if found else None


def _carries(profile: str, role: str, it: Carries) -> Iterator[str]:
    limit = show.duration(it.turn_p90)
    who = profile if profile == name(role, 30) else f"{profile} ({name(role, 20)})"
    own, more = it.own, it.more
    if own is None:
        took = "do not end" if more is None or more.p90 is None else show.duration(more.p90)
        yield f"{who} carries not even one of this workflow: 9 in 10 turns take {took}."
        return
    beside = [show.plural(it.people, "person", "people")] if it.people else []
    beside += [f"{show.number(it.agents)} agents at work"] if it.agents else []
    inside = f" ({', '.join(beside)})" if beside else ""
    least = "at least " if it.at_least else ""
    yield (
        f"{who} carries {least}{it.copies:,} of this workflow at once{inside}: 9 in 10 turns "
        f"within {limit}."
    )
    if more is not None:
        took = "not all end" if more.p90 is None else f"they take {show.duration(more.p90)}"
        sure = f"; surely {it.between[0]:,}" if it.between[0] != it.copies else ""
        if sure and it.between[1] is not None:
            sure += f", and surely not {it.between[1]:,}"
        yield f"With {more.copies:,} {took}{sure}."
    elif it.at_least:
        yield "More were not tried."
    yield from (f"But {safe(note)}." for note in it.notes)
