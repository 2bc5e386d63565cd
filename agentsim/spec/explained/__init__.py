"""What each problem code means, why it is refused, and a wrong and a right example.

The table is `codes.yaml` beside this module: the one place where a code is explained. A test holds
it complete, and tries its examples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from agentsim.errors import Problem, Problems
from agentsim.spec.problems import nearest, unknown_name
from agentsim.spec.reader import read

FILE = "example.yaml"
_CHECKS = MappingProxyType(
    {"workflow": f"agentsim validate {FILE}", "profile": f"agentsim hw show ./{FILE}"}
)
_NEED_NO_MORE = frozenset(
    ("file-missing", "file-exists", "file-unreadable", "cannot-write", "cannot-go-on")
)


@dataclass(frozen=True, slots=True)
class Example:
    """Files by name, and the command that reads them; empty text where they need none."""

    run: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One code. `fill`: what stands in an example for a long text -> that text."""

    code: str
    means: str
    why: str
    wrong: Example
    right: Example
    fill: Mapping[str, str]


@cache
def explanations() -> Mapping[str, Explanation]:
    """All codes, in the order in which a file is read."""
    file = resources.files("agentsim.spec").joinpath("explained", "codes.yaml")
    tree = read(file.read_text("utf-8"), "explained/codes.yaml")
    assert isinstance(tree.value, dict)
    return MappingProxyType({code: _explanation(code, row) for code, row in tree.value.items()})


def explanation(code: str) -> Explanation:
    """What is known of a code; raises `Problems` with the nearest one."""
    found = explanations().get(code)
    if found is None:
        problem = unknown_name(code, explanations(), None, "problem code")
        near = nearest(code, explanations())
        hint = problem.hint if near else "`agentsim explain` lists them all"
        raise Problems([Problem(problem.code, problem.message, None, hint)])
    return found


def worth_explaining(codes: list[str]) -> str:
    """The first of these codes of which `explain` knows more than the message said; else ""."""
    known = (code for code in codes if code in explanations() and code not in _NEED_NO_MORE)
    return next(known, "")


def _explanation(code: str, row: dict[str, Any]) -> Explanation:
    check = _CHECKS[row.get("of", "workflow")]
    fill = {mark: text * times for mark, (text, times) in row.get("fill", {}).items()}
    wrong, right = _example(row["wrong"], check), _example(row["right"], check)
    return Explanation(code, row["means"], row["why"], wrong, right, fill)


def _example(given: str | dict[str, str], check: str) -> Example:
    if isinstance(given, dict):
        return Example(given["run"], {name: text for name, text in given.items() if name != "run"})
    if given.startswith(("agentsim ", "--")):
        return Example(given, {})
    return Example(check, {FILE: given})
