"""Defects by hand: Poisson where lines are written, thinned by each pass, branching where mended.

People write and tools look here, since both draw nothing else: 1,000 lines at 10 per kloc are
Poisson with mean 10, unless a test says otherwise. `missed` is what passes leave of a defect.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from agentsim.engine import simulate
from agentsim.errors import EngineFault
from agentsim.records import Outcome
from tests.made.workflows import loaded
from tests.made.workflows import made as made_up
from tests.proofs.defects import (
    MEND,
    RUNS,
    WRITE,
    Z,
    ends,
    escaped,
    look,
    made,
    near,
    reads,
    traces,
)

# --- what is put in ---------------------------------------------------------------------------


def test_defects_are_poisson_in_the_lines(tmp_path: Path) -> None:
    """Mean 10 and variance 10; a sample's variance has the variance (10 + 2 * 10^2) / n."""
    counts = [it.written for it in ends(tmp_path, [WRITE])]
    assert near(counts, 10)
    mean = sum(counts) / RUNS
    variance = sum((count - mean) ** 2 for count in counts) / (RUNS - 1)
    assert abs(variance - 10) < Z * math.sqrt((10 + 2 * 10**2) / RUNS)
    zero = math.exp(-10)
    assert sum(not count for count in counts) / RUNS < zero + Z * math.sqrt(zero / RUNS)


def test_lines_that_are_drawn_make_the_rate(tmp_path: Path) -> None:
    """0 or 2,000 lines alike: mean 10, variance 10 + 0.01^2 * 1000^2 = 110."""
    step = {**WRITE, "writes": {"values": ["0 loc", "2000 loc"]}}
    counts = [it.written for it in ends(tmp_path, [step])]
    assert near(counts, 10)
    second = [(count - 10) ** 2 for count in counts]
    assert near(second, 110)


def test_nothing_is_found_without_a_look(tmp_path: Path) -> None:
    """What nobody finds nobody mends, however much is written after it."""
    found = ends(tmp_path, [WRITE, MEND])
    assert all(it.found == it.mended == 0 for it in found)
    assert near([it.escaped for it in found], 10)


# --- what is found ----------------------------------------------------------------------------


def test_one_pass_thins(tmp_path: Path) -> None:
    """10 * 35 % = 3.5 are found; all 10 escape where nobody mends, 6.5 where somebody does."""
    found = ends(tmp_path, [WRITE, look("35%")])
    assert near([it.found for it in found], 3.5)
    assert near([it.escaped for it in found], 10)
    assert near(escaped(tmp_path, [WRITE, look("35%"), MEND]), 6.5)


@pytest.mark.parametrize(("rounds", "left"), [(1, 6.5), (2, 4.225), (3, 2.74625)])
def test_independent_passes(tmp_path: Path, rounds: int, left: float) -> None:
    """10 * 0.65^k."""
    loop = {"loop": rounds, "do": [look("35%"), MEND]}
    assert near(escaped(tmp_path, [WRITE, loop]), left)


def test_passes_of_two_chances_that_are_alike_in_part(tmp_path: Path) -> None:
    """35 % and 70 %, 60 % of the defects alike to all: missed 0.6 * (1 - 0.7) + 0.4 * 0.65 * 0.3
    = 0.258; what 35 % finds of those alike, 70 % finds too."""
    steps = [WRITE, look("35%"), look("70%", "again"), MEND]
    assert near(escaped(tmp_path, steps, "60%"), 2.58)
    other = [WRITE, look("70%"), MEND, look("35%", "again"), {**MEND, "id": "fix"}]
    assert near(escaped(tmp_path, other, "60%"), 2.58)


def test_the_correlation_is_that_of_two_passes(tmp_path: Path) -> None:
    """Two passes of 50 % over 10 defects, 40 % alike: both find 10 * (0.4 * 0.5 + 0.6 * 0.25) =
    3.5. By 5 of the first, 5 of the second, and 10 - 10 * 0.35 = 6.5 of either: 5 + 5 - 6.5."""
    steps = [WRITE, look("50%"), look("50%", "again")]
    assert near([it.found for it in ends(tmp_path, steps, "40%")], 6.5)


def test_later_passes_find_less_as_was_measured(tmp_path: Path) -> None:
    """35 % at first, then 15 % of the rest: 1 - (1 - 4 / 7) * 0.35 = 0.85 of 0.65 is left. At
    57 %, which is what a file without `correlation` gets, 0.84950 of 0.65: 5.52175 of 10."""
    loop = {"loop": 2, "do": [look("35%"), MEND]}
    graph = made(tmp_path, [WRITE, loop], quality={"finds": "1%"})
    found = [simulate(graph, 7, n).defects for n in range(RUNS)]
    assert near([it.escaped for it in found if it is not None], 5.52175)
    assert [it.value for it in graph.assumed if it.key == "quality/correlation"] == ["57%"]


def test_passes_that_are_all_alike_find_nothing_more(tmp_path: Path) -> None:
    steps = [WRITE, {"loop": 9, "do": [look("35%"), MEND]}]
    found = ends(tmp_path, steps, "100%")
    assert near([it.escaped for it in found], 6.5)
    once = ends(tmp_path, [WRITE, {"loop": 1, "do": [look("35%"), MEND]}], "100%")
    assert [it.escaped for it in found] == [it.escaped for it in once]


# --- what is mended ---------------------------------------------------------------------------


def test_regressions_branch(tmp_path: Path) -> None:
    """A round leaves (1 - p) + p r = 0.5 + 0.5 * 0.2 = 0.6 of each: 10 * 0.6^4 = 1.296."""
    loop = {"loop": 4, "do": [look("50%"), {**MEND, "regressions": "20%"}]}
    assert near(escaped(tmp_path, [WRITE, loop]), 1.296)


def test_regressions_where_passes_are_alike_in_part(tmp_path: Path) -> None:
    """p 50 %, c 50 %, r 20 %, two rounds. Missed once s1 = 0.5, twice s2 = 0.25 + 0.5 * 0.25 =
    0.375; found in the first f1 = 0.5, in the second f2 = 0.125. A new one goes through the rest:
    e1 = s1 + r f1 = 0.6; e2 = s2 + r (f1 e1 + f2) = 0.375 + 0.2 * (0.3 + 0.125) = 0.46."""
    loop = {"loop": 2, "do": [look("50%"), {**MEND, "regressions": "20%"}]}
    assert near(escaped(tmp_path, [WRITE, loop], "50%"), 4.6)


def test_lines_of_a_fix_have_defects_of_their_own(tmp_path: Path) -> None:
    """Each fix writes 100 lines at 10 per kloc: 10 -> 5 + 1 = 6 -> 3 + 1 = 4 -> 2 + 1 = 3."""
    fix = {**WRITE, "id": "fix", "writes": "100 loc"}
    assert near(escaped(tmp_path, [WRITE, {"loop": 3, "do": [look("50%"), fix]}]), 3)


def test_who_looks_and_writes_mends_at_once(tmp_path: Path) -> None:
    """A polish that finds half and mends it: 10 -> 5."""
    polish = {**MEND, "person": "ann", "finds": "50%"}
    assert near(escaped(tmp_path, [WRITE, polish]), 5)


def test_certain_chances(tmp_path: Path) -> None:
    """All found, each mended into a new one: as many as before. None found: none mended."""
    swap = [look("100%"), {**MEND, "regressions": "100%"}]
    found = ends(tmp_path, [WRITE, *swap])
    assert all(it.written == 2 * it.escaped and it.mended == it.escaped for it in found)
    assert near([it.escaped for it in found], 10)
    assert all(it.found == 0 for it in ends(tmp_path, [WRITE, look("0%"), MEND]))


# --- a verdict by what is found ---------------------------------------------------------------


def test_rounds_until_nothing_is_found(tmp_path: Path) -> None:
    """2 defects at 50 %: pass k finds Poisson 0.5^(k-1), each independent of the others (thinning),
    so round k + 1 comes with the chance prod (1 - exp(-0.5^(j-1))): 1 + 0.632121 + 0.248720 +
    0.055017 + 0.006465 + 0.000392 + 0.000012 = 1.942727 looks in the mean."""
    few = {**WRITE, "writes": "200 loc"}
    loop = {"loop": 50, "do": [look("50%", approves="when clean")], "between": [MEND]}
    graph = made(tmp_path, [few, loop])
    rank = next(i for i, step in enumerate(graph.steps) if step.path.endswith("look"))
    found = [simulate(graph, 7, n) for n in range(RUNS)]
    looks = [sum(visit.step == rank for visit in trace.visits) for trace in found]
    assert near(looks, 1.942727)
    assert near([float(count == 1) for count in looks], math.exp(-1))


def test_what_was_found_and_is_left_is_not_clean(tmp_path: Path) -> None:
    """Nobody mends between the rounds: all rounds are run, unless there was nothing to find."""
    loop = {"loop": 5, "do": [look("100%", approves="when clean")]}
    for trace in traces(tmp_path, [{**WRITE, "writes": "100 loc"}, loop]):
        assert trace.defects is not None
        looks = (trace.ended - trace.began) // 10**9 - 1
        assert looks == (5 if trace.defects.written else 1)


# --- who sees what ----------------------------------------------------------------------------


def test_what_was_read_is_not_read_again(tmp_path: Path) -> None:
    """Ann finds half of 10; what she has read she does not look at again, bob does: 5, 5, 7.5."""
    steps = [WRITE, reads("ann", "a")]
    assert near([it.found for it in ends(tmp_path, steps)], 5)
    assert near([it.found for it in ends(tmp_path, [*steps, reads("ann", "b")])], 5)
    assert near([it.found for it in ends(tmp_path, [*steps, reads("bob", "b")])], 7.5)


def test_only_lines_written_since_are_looked_at(tmp_path: Path) -> None:
    """10 read by ann, then 10 more: she finds half of each, 10 of 20. Dev knows their own."""
    more = {**WRITE, "id": "more"}
    steps = [WRITE, reads("ann", "a"), more, reads("ann", "b")]
    assert near([it.found for it in ends(tmp_path, steps)], 10)
    assert all(it.found == 0 for it in ends(tmp_path, [WRITE, reads("dev", "own", "100%")]))


def test_an_agent_with_fresh_eyes_looks_at_all_again(tmp_path: Path) -> None:
    """Half of 10 in each of two rounds in sessions of their own: 7.5; in one session: 5."""
    agents = {"reviewer": {"turns": 1, "output": 1, "finds": "50%"}}
    fresh = {"loop": 2, "do": [{"agent": "reviewer", "reads": "changes"}]}
    found = ends(tmp_path, [WRITE, fresh], agents=agents)
    assert near([it.found for it in found], 7.5)
    again = {"agent": "reviewer", "id": "again", "session": "reviewer", "reads": "changes"}
    one = [WRITE, {"agent": "reviewer", "reads": "changes"}, again]
    assert near([it.found for it in ends(tmp_path, one, agents=agents)], 5)


def test_reviewers_side_by_side(tmp_path: Path) -> None:
    """Two at once find as two in turn: 10 * (1 - 0.5^2) = 7.5, as branches and as items."""
    both = {"parallel": [look("50%", "a"), look("50%", "b")]}
    assert near([it.found for it in ends(tmp_path, [WRITE, both])], 7.5)
    each = {"each": 2, "do": [look("50%")]}
    assert near([it.found for it in ends(tmp_path, [WRITE, each])], 7.5)


def test_an_item_sees_its_own_lines_and_all_see_them_afterwards(tmp_path: Path) -> None:
    """Three items of 10, in which half is found and mended: 15 of 30 escape. A look after them
    mends half of these; items of a second `each` look at what the first ones wrote, too."""
    inside = {"each": 3, "do": [WRITE, look("50%"), MEND]}
    assert near(escaped(tmp_path, [inside]), 15)
    after = [inside, look("50%", "later"), {**MEND, "id": "fix"}]
    assert near(escaped(tmp_path, after), 7.5)
    second = {"each": 2, "id": "others", "do": [look("50%", "later")]}
    found = ends(tmp_path, [{"each": 3, "do": [WRITE]}, second])
    assert near([it.found for it in found], 30 * 0.75)


def test_items_do_not_see_each_other(tmp_path: Path) -> None:
    """The second item only waits until the first has written, then looks with certainty."""
    items = [{"n": 0}, {"n": 1}]
    body = [
        {**WRITE, "writes": "${(1 - item.n) * 1000} loc"},
        {"wait": "${item.n * 60}s"},
        look("${item.n * 100}%"),
    ]
    found = ends(tmp_path, [{"each": items, "do": body}])
    assert all(it.found == 0 for it in found)
    assert near([it.written for it in found], 10)


def test_an_item_mends_what_was_found_before_it(tmp_path: Path) -> None:
    assert near(escaped(tmp_path, [WRITE, look("50%"), {"each": 2, "do": [MEND]}]), 5)


# --- what does not count ----------------------------------------------------------------------


def test_only_the_picked_attempt_counts(tmp_path: Path) -> None:
    """Three attempts of 10, in each half is mended: 5 escape, whoever is picked. Whoever picks and
    finds half of it leaves 2.5 once it is mended; what they write there has its own: 10 more."""
    tries = {
        "attempts": 3,
        "do": [WRITE, look("50%"), MEND],
        "pick": {"person": "ann", "time": "1s"},
    }
    found = ends(tmp_path, [tries])
    assert near([it.written for it in found], 10)
    assert near([it.escaped for it in found], 5)
    for every in ("yes", "no"):
        picks = {"person": "ann", "reads": "changes", "finds": "50%", "every": every}
        assert near(escaped(tmp_path, [{**tries, "pick": picks}, {**MEND, "id": "fix"}]), 2.5)
    picks = {"person": "ann", "time": "1s", "writes": "1000 loc", "defects": "10 per kloc"}
    assert near(escaped(tmp_path, [{**tries, "pick": picks}]), 15)


def test_a_writer_who_is_cut_short_puts_nothing_in(tmp_path: Path) -> None:
    """The branch of 1 s wins over that of 9 s; one that times out wrote no lines; a second try has
    its own."""
    slow = {**WRITE, "id": "slow", "time": "9s"}
    race = {"parallel": [WRITE, slow], "join": "any"}
    assert near([it.written for it in ends(tmp_path, [race])], 10)
    late = {**slow, "timeout": "5s", "or": "go on"}
    assert all(it.written == 0 for it in ends(tmp_path, [late]))
    tried = {**WRITE, "time": {"values": ["1s", "9s"]}, "timeout": "5s", "retry": 60}
    assert near([it.written for it in ends(tmp_path, [tried])], 10)


def test_a_look_that_is_cut_short_finds_nothing_and_is_done_again(tmp_path: Path) -> None:
    """1,000 lines take ann 1,000 s; cut after 5 s she has found nothing, and reads them later. A
    tool that fails has found nothing either."""
    cut = {**reads("ann", "cut", "100%"), "timeout": "5s", "or": "go on"}
    assert all(it.found == 0 for it in ends(tmp_path, [WRITE, cut]))
    found = ends(tmp_path, [WRITE, cut, reads("ann", "whole", "100%")])
    assert all(it.found == it.written for it in found)
    fails = look("100%", fails="100%") | {"or": "go on"}
    assert all(it.found == 0 for it in ends(tmp_path, [WRITE, fails]))


def test_what_is_written_meanwhile_is_not_looked_at(tmp_path: Path) -> None:
    """Tests of 9 s look at what was there when they began, not at what came after 1 s."""
    both = {"parallel": [look("100%", time="9s"), WRITE]}
    assert all(it.found == 0 for it in ends(tmp_path, [both]))


# --- agents -----------------------------------------------------------------------------------


def test_agents_write_and_review(tmp_path: Path) -> None:
    """A writer of 10; a reviewer with steps of its own finds half; the writer mends."""
    agents = {
        "reviewer": {"turns": 1, "output": 1, "finds": "50%"},
        "writer": {"turns": 1, "output": 1, "writes": "1000 loc", "defects": "10 per kloc"},
    }
    own = {"agent": "reviewer", "do": [{"call": "self", "input": 10, "output": 1}]}
    fix = {"agent": "writer", "id": "fix", "session": "writer", "writes": "0 loc"}
    steps = [{"agent": "writer"}, {**own, "reads": "changes"}, fix]
    assert near(escaped(tmp_path, steps, agents=agents), 5)


def test_a_subagent_writes_where_its_agent_does(tmp_path: Path) -> None:
    """One turn that calls it, and the last one that does not: 10 of its own."""
    agents = {
        "boss": {"turns": 2, "output": 1, "tools": {"writer": "100%"}},
        "writer": {"turns": 1, "output": 1, "writes": "1000 loc", "defects": "10 per kloc"},
    }
    assert near([it.written for it in ends(tmp_path, [{"agent": "boss"}], agents=agents)], 10)


def test_the_file_speaks_for_all_who_say_nothing(tmp_path: Path) -> None:
    """`quality` of the file: writers put in 10, who reads changes finds half; a tool does not, nor
    does who has a figure of their own: ann finds all, dev's second step puts in none."""
    given = {"defects": "10 per kloc", "finds": "50%", "correlation": "0%"}
    plain = {key: value for key, value in WRITE.items() if key != "defects"}
    steps = [plain, {"tool": "tests"}, {"person": "bob", "reads": "changes"}]
    found = ends(tmp_path, steps, quality=given)
    assert near([it.written for it in found], 10)
    assert near([it.found for it in found], 5)
    none = {**plain, "id": "more", "defects": 0}
    found = ends(tmp_path, [plain, none, reads("ann", "a", "100%")], quality=given)
    assert near([it.written for it in found], 10)
    assert all(it.found == it.written for it in found)


# --- pairs ------------------------------------------------------------------------------------


def test_no_time_hangs_on_quality(tmp_path: Path) -> None:
    """The same spans to the nanosecond, whatever is put in and found."""
    time = {"p50": "10s", "p90": "60s"}
    plain = {
        "person": "dev",
        "id": "write",
        "time": time,
        "writes": {"p50": "9 loc", "p90": "99 loc"},
    }
    loop = {
        "loop": 3,
        "do": [{"tool": "tests", "time": time, "approves": "50%"}],
        "between": [plain],
    }
    with_ = {**plain, "defects": "90 per kloc", "regressions": "10%"}
    round_ = {"tool": "tests", "time": time, "approves": "50%", "finds": "40%"}
    twin = {"loop": 3, "do": [round_], "between": [with_]}
    for n in range(50):
        one = simulate(made(tmp_path, [plain, loop], quality=None), 3, n)
        two = simulate(made(tmp_path, [with_, twin]), 3, n)
        assert one.spans == two.spans
        assert one.visits == two.visits
        assert one.defects is None
        assert two.defects is not None


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_no_time_hangs_on_it_in_random_workflows(tmp_path: Path, seed: int) -> None:
    """Worktrees, items, branches that lose, retries, timeouts, merges: all spans as without it."""
    plain = made_up(seed, harness=False, quality=False)  # no agents that all wait for ever
    quality = {"defects": "200 per kloc", "finds": "60%", "regressions": "20%"}
    twin = plain._replace(workflow={**plain.workflow, "quality": quality})
    one, two = (simulate(loaded(tmp_path, it), 1, 0) for it in (plain, twin))
    assert one.spans == two.spans
    assert (one.visits, one.outcome, one.success) == (two.visits, two.outcome, two.success)
    assert two.defects is not None
    assert 0 <= two.defects.mended <= two.defects.found <= two.defects.written


def test_more_chance_finds_more_in_every_run(tmp_path: Path) -> None:
    """The same defects and the same draws: who finds 70 % finds all that 35 % would; a denser file
    has the defects of the thinner one and more."""
    low = ends(tmp_path, [WRITE, look("35%"), look("35%", "b")], "50%")
    high = ends(tmp_path, [WRITE, look("70%"), look("35%", "b")], "50%")
    assert [it.written for it in low] == [it.written for it in high]
    assert all(one.found <= two.found for one, two in zip(low, high, strict=True))
    dense = ends(
        tmp_path, [{**WRITE, "defects": "20 per kloc"}, look("35%"), look("35%", "b")], "50%"
    )
    assert all(one.found <= two.found for one, two in zip(low, dense, strict=True))


def test_another_step_changes_no_draw(tmp_path: Path) -> None:
    """A wait before it, or a review more: what the first review finds stays what it was."""
    plain = ends(tmp_path, [WRITE, look("35%")])
    other = ends(tmp_path, [{"wait": "5s"}, WRITE, {"wait": "1h"}, look("35%")])
    assert plain == other
    more = ends(tmp_path, [WRITE, look("35%"), look("1%", "more")])
    assert all(one.found <= two.found for one, two in zip(plain, more, strict=True))


def test_too_many_in_one_run(tmp_path: Path) -> None:
    """A loop of 20 times 9,000 in the mean passes 100,000: said, not counted one by one."""
    many = {**WRITE, "writes": "9 kloc", "defects": "1 per loc"}
    graph = made(tmp_path, [{"loop": 20, "do": [many]}])
    with pytest.raises(EngineFault, match="more than 100,000 defects"):
        simulate(graph, 0, 0)


def test_a_failed_run_is_told_from_one_that_ends(tmp_path: Path) -> None:
    """It has its defects as it stands; the answer leaves them out (test_defects of analysis)."""
    fails = {"tool": "tests", "fails": "50%"}
    found = traces(tmp_path, [WRITE, fails])
    assert {trace.outcome for trace in found} == {Outcome.DONE, Outcome.FAILED}
    assert near([it.defects.written for it in found if it.defects is not None], 10)
