"""`wait: {until:}` as it is written: what is read, what is refused where, and what is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from agentsim.graph import Work, walk
from agentsim.laws.calendar import Moment, TimeOfDay
from agentsim.records import SECOND
from agentsim.report import picture
from agentsim.report.graphing import text
from agentsim.spec import Source, load, schema
from agentsim.spec.load import sketch
from agentsim.spec.reader import read
from agentsim.spec.writer import full
from tests.unit.spec.conftest import Load, Refused

# 09:00 UTC of 30 November 2026 is 20,787 days and 9 h after 1970 began
START = (20_787 * 24 + 9) * 3600 * SECOND
HEAD = "start: 2026-11-30T10:00\ntimezone: Europe/Amsterdam\n"


def aim(graph: Load, written: str, head: str = HEAD, **more: object) -> TimeOfDay | Moment:
    found = graph(f"{head}steps: [{{wait: {{until: {written}}}}}]", **more)
    (node,) = (node for node in walk(found.root) if isinstance(node, Work))
    assert node.until is not None
    return node.until


DAYS = tuple(range(5))
ZONE = "Europe/Amsterdam"


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ('"09:00"', TimeOfDay("09:00", START, ZONE, 32_400)),
        ("09:00", TimeOfDay("09:00", START, ZONE, 32_400)),
        ("9:00", TimeOfDay("09:00", START, ZONE, 32_400)),
        ('"00:00"', TimeOfDay("00:00", START, ZONE, 0)),
        ('"23:59:59"', TimeOfDay("23:59:59", START, ZONE, 86_399)),
        ('"17:30:00"', TimeOfDay("17:30", START, ZONE, 63_000)),
        ("Mon 09:00", TimeOfDay("Mon 09:00", START, ZONE, 32_400, (0,))),
        ("Mon-Fri 9:00", TimeOfDay("Mon-Fri 09:00", START, ZONE, 32_400, DAYS)),
        ("Mon - Fri 9:00", TimeOfDay("Mon-Fri 09:00", START, ZONE, 32_400, DAYS)),
        ("Sat-Mon 09:00", TimeOfDay("Sat-Mon 09:00", START, ZONE, 32_400, (5, 6, 0))),
        ("Mon-Sun 09:00", TimeOfDay("Mon-Sun 09:00", START, ZONE, 32_400, (*DAYS, 5, 6))),
        # the day after at 09:00 there is 23 h later; 09:00 UTC is an hour after that
        ("2026-12-01T09:00", Moment("2026-12-01 09:00", (23 * 3600 * SECOND,))),
        ("2026-12-01 09:00", Moment("2026-12-01 09:00", (23 * 3600 * SECOND,))),
        ("2026-12-01T09:00Z", Moment("2026-12-01 09:00Z", (24 * 3600 * SECOND,))),
        ("2026-12-01T09:00:01+01:00", Moment("2026-12-01 09:00:01+01:00", (82_801 * SECOND,))),
    ],
)
def test_what_is_read(written: str, wanted: TimeOfDay | Moment, graph: Load) -> None:
    assert aim(graph, written) == wanted


def test_the_zone_is_utc_where_none_is_given(graph: Load) -> None:
    assert aim(graph, "10:30", "start: 2026-11-30T09:00\n") == TimeOfDay(
        "10:30", START, "UTC", 37_800
    )


def test_expressions_and_sets(graph: Load) -> None:
    params = f"{HEAD}params: {{at: '09:00', hour: 7, whole: {{until: '08:00'}}}}\n"
    assert aim(graph, "$(at)", params).text == "09:00"
    assert aim(graph, '"${hour + 1}:05"', params).text == "08:05"
    assert aim(graph, "$(at)", params, sets=(("at", "Fri 18:30"),)).text == "Fri 18:30"
    found = graph(f"{params}steps: [{{wait: $(whole)}}]")
    assert [n.until.text for n in walk(found.root) if isinstance(n, Work) and n.until] == ["08:00"]


@pytest.mark.parametrize(
    ("written", "said", "hint"),
    [
        ('"24:00"', "24:00, which is 00:00 of the next day", '"00:00"'),
        ("Fri 24:00:00", "24:00, which is 00:00 of the next day", "the day after"),
        ("2026-12-01T24:00", "24:00, which is 00:00 of the next day", "the day after"),
        ('"24:01"', "a day has 00:00 to 23:59:59", '"09:00"'),
        ('"09:60"', "a day has 00:00 to 23:59:59", '"09:00"'),
        ('"09:00:60"', "a day has 00:00 to 23:59:59", '"09:00"'),
        ("9", "expected a time of day", '"09:00"'),
        ("540", "expected a time of day", '"09:00"'),
        ("9.5", "expected a time of day", '"09:00"'),
        ("yes", "expected a time of day", '"09:00"'),
        ("[09:00]", "expected a time of day", '"09:00"'),
        ("", "expected a time of day", '"09:00"'),
        ("noon", "expected a time of day", '"09:00"'),
        ("9am", "expected a time of day", '"09:00"'),
        ('"09:0"', "expected a time of day", '"09:00"'),
        ('"\u0660\u0669:00"', "expected a time of day", '"09:00"'),
        ("10m", "expected a time of day", '"09:00"'),
        ("Monday 09:00", "expected a weekday", "`Mon`"),
        ("mon 09:00", "expected a weekday", "`Mon`"),
        ("Mon-Foo 09:00", "expected a weekday", '"09:00"'),
        ("2026-12-01", "without a time", "2026-12-01T00:00"),
        ("2026-02-30T09:00", "no such date", '"09:00"'),
        ("2026-13-01T09:00", "no such date", '"09:00"'),
        ("2026-12-01T09:00+25:00", "no such date", '"09:00"'),
        ("1969-12-01T09:00", "the year 1969 is not used", '"09:00"'),
        ("2999-12-01T09:00", "more than 100 years", "year"),
    ],
)
def test_what_is_refused(written: str, said: str, hint: str, refused: Refused) -> None:
    (problem,) = refused(f"{HEAD}steps:\n- wait: {{until: {written}}}\n")
    assert problem.code == "bad-value"
    assert said in problem.message
    assert hint in problem.hint
    assert problem.place is not None
    assert problem.place.line == 5


def test_a_hundred_years_are_enough(graph: Load) -> None:
    """From 2026 to 2126 it is 36,524 days: 2100 has no leap day."""
    found = aim(graph, "2126-11-30T10:00")
    assert found == Moment("2126-11-30 10:00", (36_524 * 86_400 * SECOND,))


def test_a_time_without_until_has_a_hint(refused: Refused) -> None:
    (problem,) = refused(f"{HEAD}steps: [{{wait: Mon-Fri 09:00}}]")
    assert problem.hint == '`wait: {until: "Mon-Fri 09:00"}`'


def test_other_keys_beside_it(refused: Refused) -> None:
    (problem,) = refused(f"{HEAD}steps: [{{wait: {{until: 09:00, per: task}}}}]")
    assert (problem.code, "`per`" in problem.message) == ("unknown-key", True)


def test_it_needs_a_start(refused: Refused) -> None:
    for when in ("09:00", "2026-12-01T09:00Z"):
        (problem,) = refused(f"timezone: Europe/Amsterdam\nsteps: [{{wait: {{until: {when}}}}}]")
        assert (problem.code, "`start`" in problem.message) == ("missing-key", True)
        assert "start: 2026-11-30T10:00" in problem.hint


@pytest.mark.parametrize(
    "head",
    ["start: tomorrow\n", "start: 2026-11-30T10:00\ntimezone: Mars\n", "start: [1]\n"],
)
def test_a_wrong_start_is_told_once(head: str, refused: Refused) -> None:
    (problem,) = refused(f"{head}steps: [{{wait: {{until: 09:00}}}}]")
    assert "until" not in problem.message


def test_a_date_before_the_start_is_told_once_for_all_items(graph: Load) -> None:
    body = "[{wait: {until: 2026-11-29T10:00}, draws: $(item)}]"
    found = graph(f"{HEAD}steps:\n- {{each: [a, b], do: {body}}}\n")
    assert found.notes == (
        "each.wait (line 5) waits until 2026-11-29 10:00, which is before the `start`: "
        "it takes no time",
    )


def test_it_is_exact_and_drawn_and_written(graph: Load, tmp_path: Path) -> None:
    given = (
        f"{HEAD}params: {{day: Fri}}\nsteps:\n- wait: {{until: $(day) 17:00}}\n  uses: {{p: 1}}\n"
    )
    given += "pools: {p: {capacity: 1}}\n"
    assert graph(given).exact
    path = tmp_path / "w.yaml"
    path.write_text(f"agentsim: 1\n{given}", "utf-8")
    drawn = text(picture.picture(sketch(Source(str(path)))))
    assert "until Fri 17:00; holds p 1" in " ".join(drawn.split())
    assert 'until: "$(day) 17:00"' in full(Source(str(path), ("cerebras",)))


def test_what_is_drawn_beside_it_is_not_exact(graph: Load) -> None:
    found = graph(f"{HEAD}steps: [{{wait: {{until: 09:00}}}}, {{wait: {{uniform: [1s, 2s]}}}}]")
    assert not found.exact


def test_in_a_part_of_another_file(tmp_path: Path) -> None:
    """The start is that of the file that includes; alone the part cannot run."""
    part = tmp_path / "part.yaml"
    part.write_text("agentsim: 1\nparams: {at: 1s}\nsteps: [{wait: {until: $(at)}}]\n", "utf-8")
    whole = tmp_path / "whole.yaml"
    whole.write_text(
        f"agentsim: 1\n{HEAD}steps: [{{include: part.yaml, params: {{at: '11:00'}}}}]\n", "utf-8"
    )
    found = load(Source(str(whole), ("cerebras",)))
    (node,) = (node for node in walk(found.root) if isinstance(node, Work))
    assert node.until == TimeOfDay("11:00", START, ZONE, 39_600)


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ('"09:00"', False),
        ("Mon-Fri 9:00:30", False),
        ("Mon - Fri 09:00", False),
        ("2026-12-01 09:00Z", False),
        ("2026-12-01T09:00+01:00", False),
        ('"$(at)"', False),
        ("9", True),
        ("noon", True),
        ("2026-12-01", True),
        ("Monday 09:00", True),
    ],
)
def test_the_schema_knows_it(written: str, wrong: bool) -> None:
    value = read(f"agentsim: 1\nsteps: [{{wait: {{until: {written}}}}}]\n", "w.yaml").value
    found = list(Draft202012Validator(schema.schema("workflow")).iter_errors(value))
    assert bool(found) == wrong


SPRING = "start: 2026-03-28T23:00\ntimezone: Europe/Amsterdam\n"
"""On 29 March clocks there go from 02:00 to 03:00, on 25 October from 03:00 back to 02:00."""

AUTUMN = "start: 2026-10-25T02:40+02:00\ntimezone: Europe/Amsterdam\n"
SKIPS = "in Europe/Amsterdam the clocks skip 2026-03-29 02:30: it ends at 03:00, when they go on"
TWICE = "in Europe/Amsterdam the clocks show 2026-10-25 02:30 twice: "
SOONER = (
    f"{TWICE}the first is taken, at +02:00; a wait that begins after that takes the second, at "
    "+01:00"
)
LATER = f"{TWICE}the second is taken, at +01:00; the first is before the `start`"


@pytest.mark.parametrize(
    ("written", "head", "told"),
    [
        ("2026-03-29T02:30", SPRING, SKIPS),
        ('"02:30"', SPRING, SKIPS),
        ("Sun 02:30", SPRING, SKIPS),
        ("2026-10-25T02:30", SPRING, SOONER),
        ('"02:30"', SPRING.replace("03-28", "10-20"), SOONER),
        ("2026-10-25T02:30", AUTUMN, LATER),
        ('"02:30"', AUTUMN, LATER),
    ],
)
def test_a_time_that_clocks_skip_or_show_twice(
    written: str, head: str, told: str, graph: Load
) -> None:
    found = graph(f"{head}steps:\n  - {{wait: {{until: {written}}}}}")
    assert [it for it in found.notes if "clocks" in it] == [f"wait (line 5): {told}"]


@pytest.mark.parametrize(
    ("written", "head"),
    [
        ('"03:00"', SPRING),
        ('"01:59:59"', SPRING),
        ("Mon 02:30", SPRING),  # that day is a Sunday
        ("2026-10-25T02:30+01:00", SPRING),  # an offset says which
        ("2026-10-25T02:30Z", AUTUMN),
        ('"02:30"', SPRING.replace("03-28", "06-01")),  # far from both
        ('"03:00"', AUTUMN),
    ],
)
def test_a_time_that_is_shown_once(written: str, head: str, graph: Load) -> None:
    found = graph(f"{head}steps: [{{wait: {{until: {written}}}}}]")
    assert [it for it in found.notes if "clocks" in it] == []


@pytest.mark.parametrize("written", ["2011-12-30T09:00", "Fri 09:00", "Mon-Fri 09:00"])
def test_a_weekday_that_a_zone_left_out_is_told(written: str, graph: Load) -> None:
    """Samoa had no Friday 30 December 2011: a time on it is the beginning of the 31st."""
    head = "start: 2011-12-29T23:00\ntimezone: Pacific/Apia\n"
    found = graph(f"{head}steps: [{{wait: {{until: {written}}}}}]")
    assert [it.partition(": ")[2] for it in found.notes if "clocks" in it] == [
        "in Pacific/Apia the clocks skip 2011-12-30 09:00: it ends at 2011-12-31 00:00, when they "
        "go on"
    ]


def test_a_day_that_a_zone_left_out(graph: Load) -> None:
    """Samoa had no 30 December 2011: a date in it is the beginning of the 31st; no day's time."""
    head = "start: 2011-12-29T10:00\ntimezone: Pacific/Apia\n"
    found = graph(
        f"{head}steps: [{{wait: {{until: 2011-12-30T09:00}}}}, {{wait: {{until: 9:00}}}}]"
    )
    assert [it.partition(": ")[2] for it in found.notes if "clocks" in it] == [
        "in Pacific/Apia the clocks skip 2011-12-30 09:00: it ends at 2011-12-31 00:00, when they "
        "go on"
    ]
