"""Problems as text: `file:line:column: message`, the line with a caret, the hint.

Not wrapped, since editors and scripts look for the first part at the beginning of a line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentsim.errors import Place, Problem
from agentsim.report.text import safe

SHOWN = 50  # beyond that people mend what they see and run again


def problems(found: Sequence[Problem], excerpts: Mapping[Place, str], more: str = "") -> str:
    """All of `found` in their order; `excerpts` are lines of files with a caret, by place.

    `more` is a code that can be looked up: said once, at the end.
    """
    told = [_problem(problem, excerpts) for problem in found[:SHOWN]]
    if len(found) > SHOWN:
        told.append(f"and {len(found) - SHOWN} more")
    elif len(found) > 1:
        told.append(f"{len(found)} problems")
    text = "\n\n".join(told)
    return f"{text}\n\nwhat this means: agentsim explain {more}" if more else text


def _problem(problem: Problem, excerpts: Mapping[Place, str]) -> str:
    place = problem.place
    where = f"{safe(str(place))}: " if place else "agentsim: "
    lines = [f"{where}{safe(problem.message)} [{problem.code}]"]
    if place and place in excerpts:
        lines.append(excerpts[place])
    if problem.hint:
        lines.append(f"  hint: {safe(problem.hint)}")
    return "\n".join(lines)
