"""What people write that is wrong, odd or in vain: told where it stands, with its own cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.errors import Place, Problem, Problems
from agentsim.spec import Source, load
from agentsim.spec.arguments import scalar, spread
from agentsim.spec.hardware import load_profile, profile_of
from agentsim.spec.problems import excerpt
from agentsim.spec.reader import read
from tests.unit.spec.conftest import Load, Refused

ASK = "person: you, time: 1m"


# --- settings that do nothing ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "steps: [{wait: 1s, approves: 100%}, {wait: 9s, when: changes}]",
            "wait-2 (line 2): it never runs, since no step before it has a chance to leave "
            "`changes`",
        ),
        (
            "steps: [{wait: 1s, approves: 0%}, {wait: 9s, when: approved}]",
            "wait-2 (line 2): it never runs, since no step before it has a chance to leave "
            "`approved`",
        ),
        # 95 % and 5 % are all of it: nothing is left for `changes`
        (
            f"steps: [{{{ASK}, approves: 95%, rejects: 5%}}, {{wait: 1s, when: changes}}]",
            "wait (line 2): it never runs, since no step before it has a chance to leave `changes`",
        ),
        (
            "steps: [{wait: 1s, approves: 50%}, {wait: 9s, when: [approved, changes]}]",
            "wait-2 (line 2): `when` does nothing, since the steps before it leave nothing else",
        ),
        ("steps: [{wait: 1s, when: yes}]", "wait (line 2): `when: yes` does nothing: it runs in"),
        ("steps: [{wait: 1s, when: no}]", "wait (line 2): it never runs, since it says `when: no`"),
        (
            "pools: {p: {capacity: 1.5}}\nsteps: [{wait: 1s, uses: {p: 1}}]",
            "the pool p (line 2): of its `capacity` of 1.5 only 1 can be used, since all take",
        ),
        (
            "budget: {person: 5m}\nsteps: [{wait: 1s}]",
            "`person` of `budget` (line 2) counts for nothing: no step asks a person",
        ),
        (
            "steps: [{attempts: 3, do: [{agent: coder}], pick: first}]",
            "attempts (line 2): all that end well count as right, since no `succeeds` is given",
        ),
        (
            f"steps: [{{attempts: 3, do: [{{agent: coder}}], pick: {{{ASK}, reads: changes}}}}]",
            "attempts (line 2): reads the lines of the picked one only; `every: yes` reads those",
        ),
        ("queues: {t: {ci: 1m}}\nsteps: [{merge: t, rework: []}]", "t (line 3) holds an empty"),
    ],
)
def test_what_does_nothing_is_told_once(text: str, told: str, graph: Load) -> None:
    mine = [note for note in graph(text).notes if not note.startswith("taken as there")]
    found = [note for note in mine if note.startswith(told)]
    assert len(found) == 1, mine
    if "merge" in text:
        assert mine == found


@pytest.mark.parametrize(
    "text",
    [
        "steps: [{wait: 1s, approves: 50%}, {wait: 9s, when: changes}]",
        "params: {deep: no}\nsteps: [{wait: 1s, when: $(deep)}]",  # a switch
        "steps: [{tool: tests, fails: 10%, or: go on}, {wait: 1s, when: failed}]",
        # the first round finds no verdict at all before it
        "steps: [{loop: 3, do: [{wait: 1s, when: changes}, {wait: 1s, approves: 50%}]}]",
        "pools: {p: {capacity: 1.5}}\nsteps: [{wait: 1s, uses: {p: 0.5}}]",
        "pools: {p: {capacity: 2}}\nsteps: [{wait: 1s, uses: {p: 1}}]",
        f"budget: {{person: 5m}}\nsteps: [{{{ASK}}}]",
        "budget: {person: 5m}\nsteps: [{agent: coder, asks: {who: you, chance: 2%, time: 9s}}]",
        "steps: [{attempts: 3, do: [{agent: coder}], succeeds: 50%, correlation: 60%, "
        f"pick: {{{ASK}, reads: changes, every: no}}}}]",
    ],
)
def test_what_counts_is_not_told(text: str, graph: Load) -> None:
    words = ("never runs", "`when`", "counts for nothing", "can be used", "as right", "`every")
    assert [note for note in graph(text).notes if any(word in note for word in words)] == []


def test_what_an_option_brings_about_is_not_told(graph: Load) -> None:
    text = "params: {p: 50%}\nsteps: [{wait: 1s, approves: $(p)}, {wait: 9s, when: changes}]"
    assert any("never runs" in note for note in graph(text.replace("50%", "100%")).notes)
    assert not any("never runs" in note for note in graph(text, sets=(("p", "100%"),)).notes)


# --- hints ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("steps: [{wait: {mixture: []}}]", "bad-value", "{mixture: [{weight: 90%"),
        ("steps: [{wait: {values: [1s, 2s], weights: [1]}}]", "bad-value", "a weight for each"),
        ("steps: [{wait: {mean: 2s, cv: -1}}]", "bad-value", "`cv` is the standard deviation"),
        ("steps: [{wait: {uniform: [9s, 1s]}}]", "bad-value", "the lower end first"),
        ("steps: [{wait: {geometric: {p: 0%}}}]", "bad-value", "{geometric: {p: 30%}}"),
        (
            "steps: [{wait: {p50: 3s, p90: 5s, at_least: 9s, at_most: 1s}}]",
            "bad-value",
            "swap them",
        ),
        ("steps: [{best_of: 3, do: [{agent: coder}]}]", "unknown-key", "`attempts: 3`"),
        ("steps: [{agent: coder, worktrees: 3}]", "unknown-key", "`attempts: 3`"),
        ("steps: [{subagent: helper}]", "unknown-key", "`tools: {helper: 20%}`"),
        ("steps: [{loop: 3, every: 1d, do: [{wait: 1s}]}]", "unknown-key", "`wait: {until:"),
        (f'steps: [{{{ASK}, at: "09:00"}}]', "unknown-key", "`wait: {until:"),
        ("steps: [{agent: reviewer, approves: 60}]", "bad-value", "did you mean `60%`?"),
        ("steps: [{agent: coder, tools: [helper]}]", "bad-value", "`tools: {helper: 20%}`"),
        ("steps: [{merge: trunk}]", "unknown-name", "define it under `queues:`"),
        ("people: {bob: {like: alice}}\nsteps: [{wait: 1s}]", "unknown-name", "people: teammate,"),
        ("start: 2026-11-30T10:00\ntimezone: europe/amsterdam\nsteps: [{wait: 1s}]", "bad-value",
         "did you mean `Europe/Amsterdam`?"),
        ('params: {b: "$(b)"}\nsteps: [{wait: 1s, note: $(b)}]', "unknown-name", "give it a value"),
        ('params: {a: "$(b)s", b: 3}\nsteps: [{wait: 1s, note: "$(a)$(b)"}]', "unknown-name",
         "write `b` before `a`"),
        ('steps: [{wait: "$(max([]))s"}]', "bad-expression", "give the list as a param"),
        ("steps: [{each: [{a: 1}], do: [{wait: $(item.a b)}]}]", "bad-expression", "is missing"),
    ],
)  # fmt: skip
def test_a_hint_of_its_own(text: str, code: str, hint: str, refused: Refused) -> None:
    (problem,) = refused(text)
    assert problem.code == code
    assert hint in problem.hint
    assert "wait: 10m" not in problem.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start: 0001-01-01T00:00\nsteps: [{wait: 1s}]", "1971 to 2999 are"),
        (
            "steps: [{choose: [{chance: 60%, wait: 1s}, {chance: 40.0001%, wait: 1s}]}]",
            "100.0001 %",
        ),
        ("steps: [{do: [{wait: 1s, id: q}]}, {wait: 1s, needs: [do.q]}]", "are of the same list"),
        ("steps: [{wait: 1s, id: a}, {wait: 1s, needs: [a, a]}]", "`a` stands twice in `needs`"),
        ('steps: [{wait: "$(2**1000)s"}]', "of 303 characters, more than 64"),
        ("params: {l: []}\nsteps: [{wait: $(max(l))}]", "a list of them that is not empty"),
    ],
)
def test_a_reason_of_its_own(text: str, message: str, refused: Refused) -> None:
    (problem,) = refused(text)
    assert message in problem.message


def test_a_count_of_branches_is_told_beside_its_do(refused: Refused) -> None:
    count, key = refused("steps: [{parallel: 3, do: [{agent: coder}]}]")
    assert ("`each: 3`" in count.hint, key.code) == (True, "unknown-key")


def mixed(parts: int) -> str:
    inner = ", ".join(f"{{weight: 1, p50: {i + 1}s, p90: {i + 9}s}}" for i in range(parts))
    return f"{{mixture: [{inner}]}}"


def test_the_parts_of_a_mixture_are_bounded(graph: Load, refused: Refused) -> None:
    """50 of them, those of mixtures in it counted: 2 + 25 + 24 are 51."""
    assert graph(f"steps: [{{wait: {mixed(50)}}}]").root.steps
    (problem,) = refused(f"steps: [{{wait: {mixed(51)}}}]")
    assert "a mixture of 51 parts; at most 50" in problem.message
    first, second = ("{weight: 1, " + mixed(n)[1:] for n in (25, 24))
    (problem,) = refused(f"steps: [{{wait: {{mixture: [{first}, {second}]}}}}]")
    assert "51 parts" in problem.message


@pytest.mark.parametrize("compact", ["{at: 1}", "{at: 80%, output: 2k, time: 3s}"])
def test_a_compaction_is_told_where_it_stands(compact: str, refused: Refused) -> None:
    """`steps: [{agent: coder, compact: ` are 8 + 15 + 9 letters."""
    (problem,) = refused(f"steps: [{{agent: coder, compact: {compact}}}]")
    assert problem.place == Place("w.yaml", 2, 33)


@pytest.mark.parametrize("sign", ["\u2028", "\x85"])
def test_signs_that_end_no_line(sign: str, refused: Refused) -> None:
    """Editors show three lines; the time stands in the third, behind `steps: [{wait: `."""
    text = f'name: "a{sign}b"\nsteps: [{{wait: -1s}}]'
    (problem,) = refused(text)
    assert problem.place == Place("w.yaml", 3, 16)
    lines = f"agentsim: 1\n{text}".split("\n")  # as the command line cuts a file
    assert excerpt(lines, problem.place).startswith("    3 | steps: [{wait: -1s}]")


def test_signs_that_end_no_line_before_a_fault_of_syntax() -> None:
    with pytest.raises(Problems) as caught:
        read('a: "x\u2028y"\nb: [1\n', "f")
    assert caught.value.problems[0].place == Place("f", 3, 1)


@pytest.mark.parametrize("text", ["[1, 2", "{a", "'x"])
def test_options_have_hints_about_options(text: str) -> None:
    for read_one in (lambda: scalar(text, "--set l"), lambda: spread(text, "--vary l")):
        with pytest.raises(Problems) as caught:
            read_one()
        (problem,) = caught.value.problems
        assert "indent" not in problem.hint
        assert "in brackets: [1, 2]" in problem.hint


def test_an_empty_option_is_shown_as_it_was_typed(refused: Refused) -> None:
    (problem,) = refused(
        "params: {n: 2}\nsteps: [{loop: $(n), do: [{wait: 1s}]}]", sets=(("n", None),)
    )
    assert "`--set n=`" in problem.hint


# --- files that are included ----------------------------------------------------------------------


def told(folder: Path, text: str) -> Problem:
    file = folder / "w.yaml"
    file.write_text(f"agentsim: 1\nsteps: [{text}]\n", "utf-8")
    with pytest.raises(Problems) as caught:
        load(Source(str(file), ("cerebras",)))
    (problem,) = caught.value.problems
    return problem


def test_hints_of_includes(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "ok.yaml").write_text(
        'agentsim: 1\nparams: {x: 1}\ntools: {tt: {time: "$(x)s"}}\nsteps: [{tool: tt}]\n', "utf-8"
    )
    assert told(tmp_path, "{include: inc/ok}").hint == "did you mean `inc/ok.yaml`?"
    for name in ("w", "v.yaml", "zz.yaml"):  # nothing is near but the file itself
        assert told(tmp_path, f"{{include: {name}}}").hint == "a path from this file's folder"
    assert "got an empty text" in told(tmp_path, '{include: ""}').message
    twice = told(tmp_path, "{include: inc/ok.yaml}, {include: inc/ok.yaml, params: {x: 2}}")
    assert "is for the whole file" in twice.message
    assert "no param in a definition" in twice.hint


# --- profiles -------------------------------------------------------------------------------------


def test_a_key_of_a_profile_with_nothing_behind_it(graph: Load, tmp_path: Path) -> None:
    """As of a workflow: it counts as not written, and a warning says so, in `hw show` and a run."""
    file = tmp_path / "box.yaml"
    text = "agentsim: 1\nname:\nmodel:\nlatency:\nprefill:\ndecode: {rate: 100 tok/s, shared: }\n"
    file.write_text(text, "utf-8")
    found = load_profile(str(file)).plan
    bare = profile_of(read("agentsim: 1\ndecode: {rate: 100 tok/s}\n", "box.yaml"), "box").plan
    assert (found.decode, found.latency, found.prefill) == (bare.decode, None, None)
    assert found.about.left_out == bare.about.left_out
    keys = {"name": 2, "model": 3, "latency": 4, "prefill": 5, "shared": 6}
    lines = [
        f"`{key}` (line {line}) has no value and counts as not written"
        for key, line in keys.items()
    ]
    assert list(found.about.empty) == lines
    assert [note for note in found.about.notes if "has no value" in note] == lines
    notes = graph("steps: [{call: main, input: 1, output: 1}]", str(file)).notes
    assert [note for note in notes if "has no value" in note] == [f"box: {it}" for it in lines]


def test_profiles_take_no_expressions() -> None:
    with pytest.raises(Problems) as caught:
        profile_of(read('agentsim: 1\ndecode: {rate: "$(50*2) tok/s"}\n', "box.yaml"), "box")
    (problem,) = caught.value.problems
    assert problem.hint.startswith("a profile takes no expressions")
