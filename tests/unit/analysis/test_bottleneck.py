"""What bound the run, and the sentence about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsim.analysis import limits
from agentsim.analysis.behind import SCARCE
from agentsim.analysis.bottleneck import Where, also_typical, bottleneck
from agentsim.analysis.findings import PersonFindings
from agentsim.records import PEOPLE, Part


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
    found = bottleneck(where, 100, {})
    assert (found.kind, found.what) == (kind, what)
    assert found.share == pytest.approx(share)


def test_the_sentence_about_you() -> None:
    where = {(Part.PICKUP, "you"): 5.0, (Part.PERSON_WORK, "you"): 60.0, (Part.DECODE, "m"): 35.0}
    found = bottleneck(where, 100, you(225.4))
    assert found.sentence == (
        "You are the limit: 65 % of the time is you noticing and reading 225 lines."
    )
    assert found.rows == (("person_work", "you"), ("pickup", "you"))


def test_every_part_that_is_counted_is_named() -> None:
    # 73 + 4 + 1 = 78, and all three are rows; 0.4 of 100 is a sliver without a row, and not counted
    where = {
        (Part.PERSON_WORK, "you"): 73.0,
        (Part.PICKUP, "you"): 0.4,
        (Part.SWITCHING, "you"): 4.0,
        (Part.PERSON_WAIT, "you"): 1.0,
        (Part.DECODE, "m"): 21.6,
    }
    found = bottleneck(where, 100, you(0.0))
    assert found.sentence == (
        "You are the limit: 78 % of the time is you being busy with other items, switching and "
        "at work."
    )
    assert found.share == pytest.approx(0.78)


def test_what_is_read_is_named() -> None:
    where = {(Part.PERSON_WORK, "dev"): 60.0}
    dev = {"dev": replace(you(3.0)["you"], words=900.0)}
    assert "dev reading 3 lines and 900 words." in bottleneck(where, 100, dev).sentence
    dev = {"dev": replace(you(0.0)["you"], words=1.0)}
    assert "dev reading 1 word." in bottleneck(where, 100, dev).sentence


def test_all_tools_are_named_the_largest_first() -> None:
    where = {(Part.TOOL, name): time for name, time in zip("abcde", (5, 30, 8, 20, 6), strict=True)}
    # 30 + 20 + 8 + 6 + 5 = 69
    assert bottleneck(where, 100, {}).sentence == (
        "Tools are the limit: 69 % of the time is b, d and 3 more."
    )


def test_several_servers_are_named() -> None:
    where = {(Part.DECODE, "main"): 40.0, (Part.DECODE, "small"): 15.0}
    assert bottleneck(where, 100, {}).sentence == (
        "Decoding is the limit: 55 % of the time (main and small)."
    )


def test_no_speed_stands_beside_a_share() -> None:
    """A stream's tok/s holds the stalls that the share of decoding leaves out."""
    assert "tok/s" not in bottleneck({(Part.DECODE, "main"): 4.0}, 5, {}).sentence


def test_of_equal_groups_the_one_that_is_waited_for() -> None:
    where = {(Part.TOOL, "t"): 60.0, (Part.CAP_WAIT, "files"): 60.0}
    assert bottleneck(where, 120, {}).kind == "cap_wait"


CAP = Part.CAP_WAIT, "files"


@pytest.mark.parametrize(
    ("waited", "kind"),
    # of 100 s in which items waited for a place
    [(0, "cap_wait"), (50, "cap_wait"), (51, "quota_wait"), (100, "quota_wait")],
)
def test_a_cap_gives_way_to_what_is_waited_for_most_of_the_time(waited: int, kind: str) -> None:
    behind = {"files": {CAP: 100, (Part.QUOTA_WAIT, "main"): waited}}
    where = {CAP: 90.0, (Part.QUOTA_WAIT, "main"): 4.0, (Part.DECODE, "main"): 6.0}
    found = bottleneck(where, 100, {}, behind)
    assert found.kind == kind
    assert found.share == pytest.approx(0.94 if waited > 50 else 0.9)


def test_the_quota_behind_a_cap() -> None:
    behind = {"files": {CAP: 90, (Part.QUOTA_WAIT, "main"): 88, (Part.SLOT_WAIT, "main"): 60}}
    where = {CAP: 95.0, (Part.QUOTA_WAIT, "main"): 5.0}
    found = bottleneck(where, 100, {}, behind)
    assert (found.kind, found.what, found.share) == ("quota_wait", "main", 1.0)
    assert found.sentence == (
        "The quota is the limit: 100 % of the time is waiting for it or for a place under the cap "
        "on files, whose holders wait for it."
    )
    assert found.rows == (("cap_wait", "files"), ("quota_wait", "main"))


def test_what_stands_behind_need_not_be_on_the_critical_path() -> None:
    behind = {"files": {CAP: 90, (Part.POOL_WAIT, "ci"): 80}}
    found = bottleneck({CAP: 62.0, (Part.TOOL, "t"): 38.0}, 100, {}, behind)
    assert (found.kind, found.what) == ("pool_wait", "ci")
    assert found.sentence == (
        "ci is the limit: 62 % of the time is waiting for a place under the cap on files, whose "
        "holders wait for ci."
    )


def test_a_person_behind_a_cap() -> None:
    behind = {"files": {CAP: 90, (Part.PERSON_WAIT, "you"): 80}}
    where = {CAP: 60.0, (Part.PERSON_WORK, "you"): 30.0, (Part.TOOL, "t"): 10.0}
    found = bottleneck(where, 100, {}, behind)
    assert (found.kind, found.what) == ("person_work", "you")
    assert found.sentence == (
        "You are the limit: 90 % of the time is you at work, and waiting for a place under the cap "
        "on files, whose holders wait for you."
    )


def test_a_cap_behind_a_cap_is_looked_behind() -> None:
    inner = Part.CAP_WAIT, "files.parts"
    behind = {
        "files": {CAP: 100, inner: 90, (Part.POOL_WAIT, "ci"): 20},
        "files.parts": {inner: 300, (Part.POOL_WAIT, "ci"): 200},
    }
    found = bottleneck({CAP: 90.0, inner: 5.0, (Part.TOOL, "t"): 5.0}, 100, {}, behind)
    assert (found.kind, found.what) == ("pool_wait", "ci")
    assert "the cap on files and files.parts" in found.sentence
    # without the pool, the inner cap is what binds both
    del behind["files.parts"][Part.POOL_WAIT, "ci"]
    found = bottleneck({CAP: 90.0, inner: 5.0, (Part.TOOL, "t"): 5.0}, 100, {}, behind)
    assert (found.kind, found.what) == ("cap_wait", "files.parts")


def test_everything_that_can_stand_behind_a_cap_has_words() -> None:
    assert {Part(part) for part in SCARCE} == {*limits.SCARCE, Part.CAP_WAIT, *(SCARCE & PEOPLE)}
    for part in sorted(map(Part, SCARCE)):
        told = bottleneck({CAP: 9.0}, 10, {}, {"files": {CAP: 9, (part, "x"): 9}}).sentence
        assert "90 %" in told
        assert "under the cap on files" in told or part is Part.CAP_WAIT


def test_every_part_is_a_persons_or_has_its_own_sentence() -> None:
    assert set(limits.SENTENCES) == set(Part) - PEOPLE


@pytest.mark.parametrize("part", list(Part))
def test_every_part_has_a_sentence(part: Part) -> None:
    found = bottleneck({(part, "x"): 3.0}, 4, {})
    assert found.kind == part.label
    assert "is the limit" in found.sentence or "are the limit" in found.sentence
    assert "75 %" in found.sentence
    assert found.sentence.endswith(".")


def test_nothing_takes_time() -> None:
    found = bottleneck({}, 0, {})
    assert (found.kind, found.share, found.rows) == ("other", 0, ())


WHERE = {CAP: 95.0, (Part.DECODE, "main"): 4.0, (Part.PREFILL, "main"): 1.0}


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ((Part.SLOT_WAIT, "main"), "the slots of main"),
        ((Part.POOL_WAIT, "ci"), "ci"),
        ((Part.PERSON_WAIT, "you"), "you"),
    ],
)
def test_a_cap_and_what_is_all_taken_bind_together(key: tuple[Part, str], other: str) -> None:
    """95 of 100 s; the cap gives way to nothing, since nobody in its places waits."""
    found = bottleneck(WHERE, 100, {}, {"files": {CAP: 9}}, {"files": {key: 0.51}})
    assert (found.kind, found.what, found.share) == ("cap_wait", "files", 0.95)
    assert found.sentence == (
        f"The cap on files and {other} are the limit together: 95 % of the time is waiting for a "
        "place under the cap, and more of either alone would wait for the other."
    )
    free = bottleneck(WHERE, 100, {}, {"files": {CAP: 9}}, {"files": {key: 0.5}})
    assert free.sentence.startswith("The cap on files is the limit: 95 % of the time is waiting")


def test_three_that_bind_together() -> None:
    both = {(Part.POOL_WAIT, "ci"): 0.9, (Part.SLOT_WAIT, "main"): 0.8}
    found = bottleneck(WHERE, 100, {}, {}, {"files": both})
    assert found.sentence.startswith("The cap on files, ci and the slots of main are the limit tog")
    assert found.sentence.endswith("and more of one of them alone would wait for the others.")


def test_a_cap_gives_way_to_a_machine_that_does_no_more_for_one_more() -> None:
    slots = {(Part.SLOT_WAIT, "main"): 1.0}
    behind = {"files": {CAP: 9}}
    found = bottleneck(WHERE, 100, {}, behind, {"files": {**slots, (Part.DECODE, "main"): 0.6}})
    # 95 + 4
    assert (found.kind, found.what) == ("decode", "main")
    assert found.share == pytest.approx(0.99)
    assert found.sentence == (
        "Decoding is the limit: 99 % of the time is decoding or waiting for a place under the cap "
        "on files, whose holders slow each other down."
    )
    reads = {**slots, (Part.PREFILL, "main"): 0.6}
    assert bottleneck(WHERE, 100, {}, behind, {"files": reads}).sentence == (
        "Reading prompts is the limit: 96 % of the time is reading prompts or waiting for a place "
        "under the cap on files, whose holders slow each other down."
    )
    little = bottleneck(WHERE, 100, {}, behind, {"files": {**slots, (Part.DECODE, "main"): 0.5}})
    assert little.kind == "cap_wait"
    assert "are the limit together" in little.sentence


def test_what_is_waited_for_in_the_places_goes_before_what_is_taken() -> None:
    behind = {"files": {CAP: 9, (Part.SLOT_WAIT, "main"): 8}}
    beside = {"files": {(Part.SLOT_WAIT, "main"): 1.0}}
    found = bottleneck(WHERE, 100, {}, behind, beside)
    assert found.sentence.startswith("Slots are the limit: 95 %")


def test_everything_that_can_be_taken_has_words() -> None:
    assert set(limits.TAKEN) == {Part.SLOT_WAIT, Part.POOL_WAIT, Part.PERSON_WAIT}
    assert set(limits.SHARED) <= set(limits.SENTENCES)


TOOLS = {(Part.TOOL, "shell"): 60.0, (Part.DECODE, "main"): 40.0}


def typical(*runs: Where) -> str:
    return also_typical(bottleneck(TOOLS, 100, {}), runs, {}, {}).sentence


def test_typical_runs_that_are_bound_by_something_else() -> None:
    """Six runs of 5 s each: 3 s of decoding are 60 %, and more than 2 s of tools in each."""
    own = {(Part.TOOL, "shell"): 2.0, (Part.DECODE, "main"): 3.0}
    assert typical(*[own] * 6) == (
        "Tools are the limit: 60 % of the time is shell. "
        "That is the average; in typical runs it is decoding, with 60 % of their time."
    )


def test_nothing_is_said_where_that_may_be_chance_or_is_the_same() -> None:
    own = {(Part.TOOL, "shell"): 2.0, (Part.DECODE, "main"): 3.0}
    assert "average" not in typical(*[own] * 5)  # too few to tell
    # differences of 5 twice and -1.5 four times: mean 0.67, half of the interval 3.5
    other = {(Part.TOOL, "shell"): 3.5, (Part.DECODE, "main"): 2.0}
    much = {(Part.TOOL, "shell"): 1.0, (Part.DECODE, "main"): 6.0}
    assert "average" not in typical(*[other] * 4, *[much] * 2)
    # shell and edit are tools as well: one limit
    tools = {(Part.TOOL, "edit"): 3.0, (Part.DECODE, "main"): 2.0}
    assert "average" not in typical(*[tools] * 6)


def test_who_binds_typical_runs_is_named_as_a_limit_is() -> None:
    for key, name in (
        ((Part.PERSON_WORK, "you"), "you"),
        ((Part.PICKUP, "dev"), "dev"),
        ((Part.POOL_WAIT, "ci"), "ci"),
        ((Part.CAP_WAIT, "files"), "the cap on files"),
        ((Part.LATENCY, "main"), "the first token"),
        ((Part.SLOT_WAIT, "main"), "slots"),
    ):
        told = typical(*[{key: 1.0}] * 6)
        assert told.endswith(f"in typical runs it is {name}, with 100 % of their time.")
    tools = bottleneck({(Part.DECODE, "main"): 9.0}, 9, {})
    told = also_typical(tools, [{(Part.TOOL, "t"): 1.0}] * 6, {}, {}).sentence
    assert told.endswith("in typical runs it is tools, with 100 % of their time.")


def test_what_the_models_take_in_all_is_said_where_it_is_more() -> None:
    """33 s of a person against 30 s of decoding, 13 of reading and 2 of compacting: 45 %."""
    where = {
        (Part.PERSON_WORK, "dev"): 33.0,
        (Part.DECODE, "box"): 30.0,
        (Part.PREFILL, "box"): 13.0,
        (Part.COMPACTION, "box"): 2.0,
        (Part.TOOL, "shell"): 22.0,
    }
    told = bottleneck(where, 100.0, {})
    assert told.kind == "person_work"
    assert told.sentence.endswith("The models take more in all: 45 %, of which 30 % decoding.")
    del where[Part.PREFILL, "box"]  # 32 s of 87: less than the person
    assert "in all" not in bottleneck(where, 87.0, {}).sentence
