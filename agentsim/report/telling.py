"""Problems as text: `file:line:column: message`, the line with a caret, the hint.

Wrapped where somebody reads it in a terminal, and only there: editors and scripts look for the
first part at the beginning of a line, and for all of the message on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agentsim.errors import Place, Problem
from agentsim.report.text import columns, safe

SHOWN = 50  # beyond that people mend what they see and run again


def problems(
    found: Sequence[Problem],
    excerpts: Mapping[Place, str],
    more: str = "",
    width: int | None = None,
) -> str:
    """All of `found` in their order; `excerpts` are lines of files with a caret, by place.

    `more` is a code that can be looked up: said once, at the end. `width`: columns in which
    messages and hints are wrapped, and excerpts are not; None: nothing is.
    """
    told = [_problem(problem, excerpts, width) for problem in found[:SHOWN]]
    if len(found) > SHOWN:
        told.append(f"and {len(found) - SHOWN} more")
    elif len(found) > 1:
        told.append(f"{len(found)} problems")
    text = "\n\n".join(told)
    return f"{text}\n\nwhat this means: agentsim explain {more}" if more else text


def wrapped(text: str, width: int | None, indent: str = "    ") -> str:
    """`text`, one line, in lines of so many columns, those that follow set in.

    A word that is longer than that, such as a path, stays whole.
    """
    return text if width is None else "\n".join(_lines(text, width, indent))


def _lines(text: str, width: int, indent: str) -> Iterator[str]:
    lead = text[: len(text) - len(text.lstrip(" "))]
    shown = ""
    for word in text.split():
        if shown.strip() and columns(f"{shown} {word}") > width:
            yield shown
            shown = indent + word
        else:
            shown = f"{shown} {word}" if shown else lead + word
    yield shown


def _problem(problem: Problem, excerpts: Mapping[Place, str], width: int | None) -> str:
    place = problem.place
    where = f"{safe(str(place))}: " if place else "agentsim: "
    lines = [wrapped(f"{where}{safe(problem.message)} [{problem.code}]", width)]
    if place and place in excerpts:
        lines.append(excerpts[place])
    if problem.hint:
        lines.append(wrapped(f"  hint: {safe(problem.hint)}", width, " " * 8))
    return "\n".join(lines)
