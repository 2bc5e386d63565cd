"""Who finds a defect: some are as easy or hard for everybody, the others are looked for anew."""

from __future__ import annotations

LIKELY = 0.57
"""The correlation of two passes where a file gives none.

Reviewers that find 35 % of the defects at first and 15 % of what is left later (docs/facts.md)
have this one, 4 / 7: the second pass finds 35 % * (1 - 4 / 7) = 15 % of what the first has missed.
"""


def finds(chance: float, correlation: float, kind: float, sight: float, own: float) -> bool:
    """Whether one pass finds one defect. The last three are uniform numbers.

    `kind` and `sight` belong to the defect, `own` to the pass over it. A share `correlation` of the
    defects is alike to all: who finds with the chance p finds those whose sight lies below p, in
    each pass the same. The others are found with the chance p in each pass anew. So a pass finds p
    of all defects, two passes with one p agree with just that correlation, and what passes with
    the chances p1, p2, ... all miss is `c * (1 - max p) + (1 - c) * (1 - p1) * (1 - p2) * ...`.
    """
    return (sight if kind < correlation else own) < chance
