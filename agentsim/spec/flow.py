"""Values as YAML on one line: `{p50: 22, p90: 60}`. What is written reads back as it was."""

from __future__ import annotations

import json
import re
from typing import Any

from agentsim.spec import scalars

# Letters and signs that mean nothing to YAML wherever they stand in a plain text, also in braces.
_PLAIN = re.compile(r"[A-Za-z0-9$/_(][A-Za-z0-9 %$()/_.+*=<>^~-]*")


def flow(value: Any) -> str:
    """`value` in flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value)


def scalar(value: Any) -> str:
    """One value: quoted only where a plain text would read as something else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    plain = _PLAIN.fullmatch(text) and text == text.strip() and not text.startswith("- ")
    if plain and isinstance(scalars.resolve(text), str):
        return text
    return json.dumps(text, ensure_ascii=False)
