"""What a file sets and nothing in it uses is told, each thing once and with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.errors import Problems
from agentsim.graph import Graph
from agentsim.spec import Source, load
from tests.unit.spec.conftest import Load

WAIT = "steps: [{wait: 1s}]"
DEFINED = {
    "tools: {t: {time: 1s}}": "the tool `t` (line 2)",
    "pools: {ci: {capacity: 1}}": "the pool `ci` (line 2)",
    "people: {p: {count: 1}}": "the person `p` (line 2)",
    "agents: {a: {turns: 1, output: 1}}": "the agent `a` (line 2)",
    "queues: {trunk: {ci: 1m}}": "the merge queue `trunk` (line 2)",
    "harnesses: {h: {prompt: 1k}}": "the harness `h` (line 2)",
}


def idle(graph: Graph) -> list[str]:
    marks = ("no step uses it", "no expression", "counts for nothing", "nothing takes")
    return [note for note in graph.notes if any(mark in note for mark in marks)]


@pytest.mark.parametrize("text", DEFINED)
def test_a_definition_that_no_step_uses(graph: Load, text: str) -> None:
    assert idle(graph(f"{text}\n{WAIT}")) == [f"{DEFINED[text]} is defined, and no step uses it"]


def test_a_param_that_no_expression_uses(graph: Load) -> None:
    """One that another param uses counts: to tell both would say nothing more."""
    found = idle(graph("params: {one: 1, two: 2, three: $(two)}\nsteps: [{wait: $(one)s}]"))
    assert found == ["the param `three` (line 2) is given, and no expression uses it"]


USED = [
    "tools: {t: {time: 1s, uses: {ci: 1}}}\npools: {ci: {capacity: 1}}\nsteps: [{tool: t}]",
    "pools: {ci: {capacity: 1}}\nsteps: [{wait: 1s, uses: {ci: 1}}]",
    # what it is like, to any depth; a preset that is changed is like the preset of its name
    "tools: {a: {time: 1s}, b: {like: a}, c: {like: b}}\nsteps: [{tool: c}]",
    "tools: {tests: {like: tests, fails: 1%}}\nsteps: [{tool: tests}]",
    # an agent's tools, those of a preset too, whoever is asked, and agents in mid-turn
    "tools: {shell: {time: 1s}}\nsteps: [{agent: coder}]",
    "people: {p: {count: 1}}\nsteps: [{agent: coder, asks: {who: p, chance: 1%, time: 1s}}]",
    "agents: {a: {like: explorer}}\nsteps: [{agent: coder, tools: {a: 10%}}]",
    # whatever the share: it may be that of a param
    "params: {n: 0}\nagents: {a: {like: explorer}}\nsteps: [{agent: coder, tools: {a: $(n)%}}]",
    "harness: h\nharnesses: {h: {prompt: 1k}}\nsteps: [{agent: coder}]",
    "harnesses: {h: {prompt: 1k}}\nsteps: [{agent: coder, harness: h}]",
    "caps: {agents: 1}\nsteps: [{agent: coder, do: [{wait: 1s}]}]",
    "queues: {trunk: {ci: 1m}}\nsteps: [{merge: trunk}]",
    "queues: {q: {ci: 1m}}\ntools: {t: {time: 1s}}\n"
    "steps: [{merge: q, conflict: 9%, rework: [{tool: t}]}]",
    "people: {p: {count: 1}}\n"
    "steps: [{attempts: 2, do: [{wait: 1s}], pick: {person: p, time: 1s}}]",
    # steps that are left out by a `when`, and those for no item, may be meant for another time
    "tools: {t: {time: 1s}}\nsteps: [{tool: t, when: no}]",
    "tools: {a: {time: 1s}}\ncaps: {agents: 1}\nquality: {finds: 1%}\n"
    "steps: [{each: [], do: [{tool: $(item)}]}]",
]


@pytest.mark.parametrize("text", USED)
def test_what_is_used(graph: Load, text: str) -> None:
    assert idle(graph(text)) == []


def test_what_only_an_unused_one_uses_is_not_used(graph: Load) -> None:
    text = "tools: {t: {time: 1s, uses: {ci: 1}}}\npools: {ci: {capacity: 1}}\n"
    found = idle(graph(text + WAIT))
    assert [note.partition(" (")[0] for note in found] == ["the tool `t`", "the pool `ci`"]


def test_a_typing_error_beside_a_preset(graph: Load) -> None:
    """The step runs the preset, with none of the file's figures: nothing else would say so."""
    text = "agents: {reviewr: {like: reviewer, turns: 2}}\nsteps: [{agent: reviewer}]"
    (found,) = idle(graph(text))
    assert found.endswith("no step uses it: the steps use `reviewer`, which is a preset")


@pytest.mark.parametrize("key", ["harness: claude-code", "caps: {agents: 2}"])
def test_what_is_for_agents_where_there_are_none(graph: Load, key: str) -> None:
    name = key.partition(":")[0]
    (found,) = idle(graph(f"{key}\n{WAIT}"))
    assert found == f"`{name}` (line 2) counts for nothing, since no step runs an agent"


def test_many_of_them(graph: Load) -> None:
    """All are named: it is a drawing that shows few."""
    tools = ", ".join(f"t{i}: {{time: 1s}}" for i in range(11))
    assert len(graph(f"tools: {{{tools}}}\n{WAIT}").notes) == 11


WRITES = "{agent: coder}"
READS = "{agent: reviewer, reads: changes, approves: 50%}"
BOTH = f"steps: [{{loop: 2, do: [{READS}], between: [{WRITES}]}}]"
QUALITY = [
    ("defects: 32 per kloc, regressions: 5%", WAIT, ["`defects` and `regressions`", "writes"]),
    ("finds: 35%", f"steps: [{WRITES}]", ["its `finds`, since no step reads `changes`"]),
    ("correlation: 35%", f"steps: [{WRITES}]", ["its `correlation`, since nobody finds any"]),
    (
        "defects: 32 per kloc",
        "steps: [{agent: coder, defects: 9 per kloc}]",
        ["its `defects`, since no step that writes lines is without its own"],
    ),
]


@pytest.mark.parametrize(("quality", "steps", "words"), QUALITY)
def test_quality_that_nobody_takes(graph: Load, quality: str, steps: str, words: list[str]) -> None:
    (found,) = idle(graph(f"quality: {{{quality}}}\n{steps}"))
    assert found.startswith("`quality` (line 2): nothing takes its ")
    assert all(word in found for word in words)


@pytest.mark.parametrize(
    ("quality", "steps"),
    [
        ("defects: 32 per kloc, finds: 35%, correlation: 50%", BOTH),
        ("defects: 32 per kloc", f"steps: [{WRITES}]"),  # all of them escape: that is an answer
    ],
)
def test_quality_that_is_taken(graph: Load, quality: str, steps: str) -> None:
    assert idle(graph(f"quality: {{{quality}}}\n{steps}")) == []


def test_an_included_file(tmp_path: Path) -> None:
    """Its definitions and params are told with the file in which they stand."""
    part = tmp_path / "part.yaml"
    part.write_text("agentsim: 1\nparams: {n: 1}\ntools: {t: {time: 1s}}\nsteps: [{wait: 1s}]\n")
    main = tmp_path / "main.yaml"
    main.write_text("agentsim: 1\nsteps: [{include: part.yaml}, {include: part.yaml, id: b}]\n")
    tool, param = idle(load(Source(str(main))))
    assert tool.startswith(f"the tool `t` (line 3 of {part})")
    assert param.startswith(f"the param `n` (line 2 of {part})")


# --- start and timezone -----------------------------------------------------------------------

AMSTERDAM = f"timezone: Europe/Amsterdam\n{WAIT}"


def test_an_offset_that_the_zone_does_not_have_then(graph: Load) -> None:
    """Amsterdam is two hours ahead in July: 10:00 at +01:00 is 09:00 UTC, and 11:00 there."""
    found = graph(f"start: 2026-07-01T10:00+01:00\n{AMSTERDAM}")
    assert found.start == 1782896400  # 2026-07-01T09:00Z: 20,635 days of 86,400 s, and 32,400 s
    assert found.notes == (
        "`start` is at +01:00, and Europe/Amsterdam is at +02:00 then: "
        "it begins at 2026-07-01T11:00 there",
    )


@pytest.mark.parametrize(
    "start",
    ["2026-07-01T10:00+02:00", "2026-07-01T08:00Z", "2026-07-01T10:00", "2026-10-25T02:30+01:00"],
)
def test_a_start_without_a_doubt(graph: Load, start: str) -> None:
    """UTC is a way to give an instant, not a place."""
    assert graph(f"start: {start}\n{AMSTERDAM}").notes == ()


def test_an_hour_that_comes_twice(graph: Load) -> None:
    """On 2026-10-25 at 03:00 the clocks of Amsterdam go back to 02:00: 00:30 UTC is the first."""
    first = graph(f"start: 2026-10-25T02:30\n{AMSTERDAM}")
    (note,) = first.notes
    assert "show 2026-10-25T02:30 twice: the first is taken, at +02:00" in note
    assert "2026-10-25T02:30+01:00 is the second" in note
    assert first.start == graph(f"start: 2026-10-25T00:30Z\n{AMSTERDAM}").start
    second = graph(f"start: 2026-10-25T02:30+01:00\n{AMSTERDAM}")
    assert first.start is not None
    assert second.start == first.start + 3600


def test_an_hour_that_is_skipped(graph: Load) -> None:
    with pytest.raises(Problems, match="the clocks skip `2026-03-29T02:30`"):
        graph(f"start: 2026-03-29T02:30\n{AMSTERDAM}")


def test_a_zone_without_a_start(graph: Load) -> None:
    assert graph(AMSTERDAM).notes == ("`timezone` counts for nothing without a `start`",)


# --- what fails at every try ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("queue", "step"),
    [("ci: 1m, ci_fails: 100%", "{merge: q}"), ("ci: 1m", "{merge: q, conflict: 100%}")],
)
def test_a_merge_that_always_fails(graph: Load, queue: str, step: str) -> None:
    (note,) = graph(f"queues: {{q: {{{queue}}}}}\nsteps:\n  - {step}").notes
    assert note.startswith("q (line 4): ")
    assert note.endswith("and no `rework`: it always fails")


@pytest.mark.parametrize("more", ["", ", retry: 2, or: go on"])
@pytest.mark.parametrize("conflict", ["yes", "[100%, 0%]"])
def test_a_first_conflict_that_nobody_mends(graph: Load, conflict: str, more: str) -> None:
    """There is no second try without `rework`, and one of `retry` asks for the first anew."""
    step = f"{{merge: q, conflict: {conflict}{more}}}"
    notes = graph(f"queues: {{q: {{ci: 1m}}}}\nsteps:\n  - {step}").notes
    assert "q (line 4): a conflict at the first try and no `rework`: it always fails" in notes


@pytest.mark.parametrize("conflict", ["no", "99%", "[0%, 100%]"])
def test_a_merge_whose_first_try_may_come_through(graph: Load, conflict: str) -> None:
    step = f"{{merge: q, conflict: {conflict}, or: go on}}"
    notes = graph(f"queues: {{q: {{ci: 1m, ci_fails: 1%}}}}\nsteps:\n  - {step}").notes
    assert not any("always fails" in note for note in notes)


@pytest.mark.parametrize("conflict", ["yes", "99%", "[100%, 0%]"])
def test_a_merge_that_may_come_through(graph: Load, conflict: str) -> None:
    queue = "queues: {q: {ci: 1m, ci_fails: 99%}}"
    steps = f"steps: [{{merge: q, conflict: {conflict}, rework: [{{wait: 1s}}]}}]"
    assert graph(f"{queue}\n{steps}").notes == ()


# --- counts for times -------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["poisson", "geometric"])
def test_a_count_of_seconds(graph: Load, form: str) -> None:
    """One second at least; tokens and lines may be fewer than one in the mean."""
    assert graph(f"steps: [{{wait: {{{form}: 1s}}}}]").notes == ()
    with pytest.raises(Problems, match="it counts whole seconds, and `999ms` is less than one"):
        graph(f"steps: [{{wait: {{{form}: 999ms}}}}]")


def test_a_count_of_less_than_one_token(graph: Load) -> None:
    graph("steps: [{call: main, input: {poisson: 0.4}, output: 1}]")


def test_a_part_of_a_mixture_and_a_latency(graph: Load, tmp_path: Path) -> None:
    with pytest.raises(Problems, match="whole seconds"):
        graph("steps: [{wait: {mixture: [{weight: 1, poisson: 0.1s}, {weight: 1, value: 1s}]}}]")
    box = tmp_path / "box.yaml"
    box.write_text("agentsim: 1\ndecode: {rate: 9 tok/s}\nlatency: {poisson: 20ms}\n")
    with pytest.raises(Problems, match="whole seconds"):
        graph("steps: [{call: main, input: 1, output: 1}]", str(box))


# --- prices without a cache -------------------------------------------------------------------

CALL = "steps: [{call: main, input: 1, output: 1}]"


@pytest.mark.parametrize(
    ("more", "keys"),
    [
        ("cached: 0.3", "`cached`"),
        ("cache_write: 4", "`cache_write`"),
        ("cached: 0.3, cache_write: 4", "`cached` and `cache_write`"),
    ],
)
@pytest.mark.parametrize("cache", ["", "cache: {kind: none}\n"])
def test_a_price_of_what_never_happens(
    graph: Load, tmp_path: Path, more: str, keys: str, cache: str
) -> None:
    box = tmp_path / "box.yaml"
    head = f"agentsim: 1\ndecode: {{rate: 9 tok/s}}\n{cache}"
    box.write_text(f"{head}price: {{input: 3, output: 15, {more}}}\n")
    found = graph(CALL, str(box))
    told = f"{keys} in `price`: never paid, since the profile has no `cache`"
    assert found.notes == (f"box: {told}",)
    assert told in found.servers[0].about.notes  # `hw show` says it too


def test_prices_that_are_paid(graph: Load, tmp_path: Path) -> None:
    box = tmp_path / "box.yaml"
    head = "agentsim: 1\ndecode: {rate: 9 tok/s}\ncache: {kind: ttl, ttl: 5m}\n"
    box.write_text(f"{head}price: {{input: 3, output: 15, cached: 0.3, cache_write: 4}}\n")
    assert graph(CALL, str(box)).notes == ()
