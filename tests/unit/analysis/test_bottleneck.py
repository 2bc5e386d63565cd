"""What bound the run, and the sentence about it."""

from __future__ import annotations

import pytest

from agentsim.analysis.bottleneck import Where, bottleneck
from agentsim.analysis.findings import PersonFindings
from agentsim.records import Part


def you(lines: float) -> dict[str, PersonFindings]:
    return {"you": PersonFindings(0, None, 0, 0, 0, 1, 0, 0, None, lines, 1)}


@pytest.mark.parametrize(
    ("where", "kind", "what", "share"),
    [
        # the person's parts count together: 20 + 15 > 30, and reading is the larger
        (
            {
                (Part.DECODE, "main"): 30,
                (Part.PERSON_WORK, "you"): 20,
                (Part.PICKUP, "you"): 15,
                (Part.TOOL, "tests"): 35 - 1e-9,
            },
            "person_work", "you", 0.35,
        ),
        # two people are two limits
        (
            {
                (Part.DECODE, "main"): 40,
                (Part.PERSON_WORK, "ann"): 30,
                (Part.PERSON_WORK, "bob"): 30,
            },
            "decode", "main", 0.4,
        ),
        # all tools are one limit, named by the largest
        (
            {(Part.DECODE, "main"): 40, (Part.TOOL, "tests"): 35, (Part.TOOL, "shell"): 25},
            "tool", "tests", 0.6,
        ),
        # two pools are two limits
        (
            {(Part.DECODE, "main"): 40, (Part.POOL_WAIT, "ci"): 30, (Part.POOL_WAIT, "gpu"): 30},
            "decode", "main", 0.4,
        ),
    ],
)  # fmt: skip
def test_the_largest_group(where: Where, kind: str, what: str, share: float) -> None:
    found = bottleneck(where, 100, {}, {})
    assert (found.kind, found.what) == (kind, what)
    assert found.share == pytest.approx(share)


def test_the_sentence_about_you() -> None:
    where = {(Part.PICKUP, "you"): 5.0, (Part.PERSON_WORK, "you"): 60.0, (Part.DECODE, "m"): 35.0}
    assert bottleneck(where, 100, {}, you(225.4)).sentence == (
        "You are the limit: 65 % of the time is you noticing and reading 225 lines."
    )


def test_a_small_part_of_a_person_is_not_named() -> None:
    where = {(Part.PICKUP, "dev"): 1.0, (Part.PERSON_WORK, "dev"): 59.0}
    assert bottleneck(where, 100, {}, {}).sentence == (
        "dev is the limit: 60 % of the time is dev at work."
    )


@pytest.mark.parametrize("part", list(Part))
def test_every_part_has_a_sentence(part: Part) -> None:
    found = bottleneck({(part, "x"): 3.0}, 4, {}, {})
    assert found.kind == part.label
    assert "is the limit" in found.sentence or "are the limit" in found.sentence
    assert "75 %" in found.sentence
    assert found.sentence.endswith(".")


def test_nothing_takes_time() -> None:
    assert bottleneck({}, 0, {}, {}).share == 0
