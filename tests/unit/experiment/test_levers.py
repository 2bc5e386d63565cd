"""Levers, on the graph of design case A1 and on small ones: savings by arithmetic."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from agentsim.analysis import summarise
from agentsim.analysis.findings import Findings, Lever
from agentsim.chance import Constant, Exponential, LogNormal
from agentsim.experiment import variants
from agentsim.experiment.executors import executor_for
from agentsim.experiment.levers import (
    MOST_TOKENS_CAN_GIVE,
    SCREEN,
    Change,
    changes,
    levers,
    tried,
)
from agentsim.experiment.paired import saving, typical_saving
from agentsim.experiment.replicate import affordable, replicate
from agentsim.graph import (
    Agent,
    AgentPlan,
    Ask,
    Graph,
    LimitPlan,
    Node,
    PersonPlan,
    PoolPlan,
    ServerPlan,
    ToolPlan,
)
from agentsim.laws.prefill import Prefill
from agentsim.laws.reading import Reading
from agentsim.records import SECOND, Part
from tests.unit.analysis.hand import ask, block, call, each, graph, loop, person, server, work
from tests.unit.experiment.test_job import random_graph


def studied(plan: Graph, runs: int = 1, seed: int = 0) -> tuple[Findings, list[Lever]]:
    tallies = replicate(plan, seed, runs=runs)
    found = summarise(plan, tallies, seed)
    with executor_for(1) as executor:
        return found, levers(executor, plan, found, tallies, seed)


def wall(plan: Graph) -> float:
    return summarise(plan, replicate(plan, 0), 0).wall.mean


def saved(found: Sequence[Lever]) -> dict[str, float]:
    return {f"{lever.change} {lever.what}": lever.saves for lever in found}


def a1(rate: float) -> Graph:
    """100 turns: 0.5 s of latency, 500 tokens, a tool of 7.27 s."""
    turn = (call(2, "turns.ask", output=500), work(3, "turns.work", 7.27))
    plan = replace(server(rate=rate), latency=Constant(0.5))
    return graph(loop(1, "turns", 100, *turn), servers=(plan,), exact=True)


@pytest.mark.parametrize(
    ("rate", "total", "decode"), [(5, 10777, 10000), (100, 1277, 500), (800, 839.5, 62.5)]
)
def test_a1(rate: float, total: float, decode: float) -> None:
    found, own = studied(a1(rate))
    assert found.wall.mean == pytest.approx(total)
    assert found.bottleneck.kind == ("decode" if rate == 5 else "tool")
    assert saved(own) == pytest.approx(
        {"infinitely fast decode": decode, "2x decode": decode / 2, "2x turns.work": 363.5}
    )
    floor = next(lever for lever in own if lever.note == MOST_TOKENS_CAN_GIVE)
    assert floor.leaves == pytest.approx(777)  # 727 s of tools and 50 of latency
    assert [lever.saves for lever in own] == sorted((lever.saves for lever in own), reverse=True)
    assert all(lever.ci95 == (lever.saves, lever.saves) for lever in own)


def test_decode_stands_where_it_saves_nothing() -> None:
    # the call is over long before the branch that decides
    plan = graph(
        each(1, "e", 1, call(2, "e.ask", output=0), work(3, "e.long", 100)),
        servers=(server(),),
        exact=True,
    )
    _, own = studied(plan)
    assert saved(own) == {"2x e.long": 50, "infinitely fast decode": 0, "2x decode": 0}


def test_a_lever_that_saves_nothing_is_left_out() -> None:
    # of two tools side by side, halving the shorter one changes nothing
    short = replace(work(3, "two.b", 4), tool=ToolPlan("b", Constant(4), Constant(0)))
    first = work(1, "a", 1)
    plan = graph(first, each(2, "two", 1, short), exact=True)
    _, own = studied(plan)
    assert set(saved(own)) == {"2x all tools", "2x a", "2x b"}
    plan = graph(first, replace(short, rank=2, tool=replace(short.tool, time=Constant(0.002))),
                 exact=True)  # fmt: skip
    _, own = studied(plan)
    # the second tool is 0.2 % of the time, yet surely saves: the interval of 1 ms does not hold 0
    assert saved(own)["2x b"] == pytest.approx(0.001)


def test_a_graph_without_calls_has_no_decode_lever() -> None:
    _, own = studied(graph(work(1, "a", 2), exact=True))
    assert saved(own) == {"2x a": 1}


def test_pairs_share_their_draws() -> None:
    # twice as fast a tool saves exactly half of each run, so the interval is that of the halves
    plan = random_graph(mean=10)
    found, (lever,) = studied(plan, runs=60)
    assert lever.saves == pytest.approx(found.wall.mean / 2, rel=1e-8)
    half = (found.wall.ci95[1] - found.wall.mean) / 2
    assert lever.ci95[1] - lever.saves == pytest.approx(half, rel=1e-6)
    assert lever.leaves == pytest.approx(found.wall.mean / 2, rel=1e-8)


def reading(amount: float, decides: float) -> Ask:
    return replace(ask(1, "review", 0), time=None, reads="lines", amount=Constant(amount),
                   decides=Constant(decides))  # fmt: skip


READER = PersonPlan("you", 1, Constant(100), None, Reading(code=1.0), None)


def test_people() -> None:
    # 100 s until noticed, 60 lines at one a second, 20 s to decide
    _, own = studied(graph(reading(60, 20), people=(READER,), exact=True))
    assert saved(own) == {
        "2x you at work": 40,
        "half the lines to read": 30,
        "half the time until you notice": 50,
    }


def test_sooner_and_quicker_to_switch() -> None:
    # two pieces of 5 s each: 100 s until noticed before each, and 30 s to switch to the second
    plan = PersonPlan("dev", 1, Constant(100), Constant(30), READER.reading, None)
    two = block(0, "", ask(1, "a", 5), ask(2, "b", 5))
    own = saved(studied(graph(two, people=(plan,), exact=True))[1])
    assert own["half the time until dev notices"] == 100
    assert own["half the switching of dev"] == 15


def test_one_more() -> None:
    # Two items of 10 s each way: one at once leaves the second waiting; one more saves 10 s.
    item = work(2, "jobs.job", 10)
    capped = graph(each(1, "jobs", 2, item, limit=1), exact=True)
    assert saved(studied(capped)[1])["one more at once in jobs"] == 10

    pooled = graph(
        each(1, "jobs", 2, work(2, "jobs.job", 10, ((0, 1),))),
        pools=(PoolPlan("ci", 1),),
        exact=True,
    )
    assert saved(studied(pooled)[1])["one more unit of ci"] == 10

    slots = graph(each(1, "jobs", 2, call(2, "jobs.ask")), servers=(server(slots=1),), exact=True)
    assert saved(studied(slots)[1])["one more slot"] == 10  # 1,000 tokens at 100 tok/s

    asked = graph(each(1, "jobs", 2, ask(2, "jobs.ask", 10)), people=(person("dev"),), exact=True)
    assert saved(studied(asked)[1])["one more dev"] == 10


def test_one_more_place_and_slot_where_neither_helps_alone() -> None:
    """Three items of a call of 10 s each, two at once on two slots: 20 s; three of both, 10 s.

    With a slot more there are still two places; with a place more the third waits for a slot.
    """
    item = call(2, "jobs.ask")
    both = graph(each(1, "jobs", 3, item, limit=2), servers=(server(slots=2),), exact=True)
    found = saved(studied(both)[1])
    assert found["one more at once in jobs and a slot"] == 10
    assert not {"one more slot", "one more at once in jobs"} & found.keys()

    # where slots are free a place alone does it, and nothing else is said
    free = graph(each(1, "jobs", 3, item, limit=2), servers=(server(slots=5),), exact=True)
    found = saved(studied(free)[1])
    assert found["one more at once in jobs"] == 10
    assert "one more at once in jobs and a slot" not in found


def test_what_was_not_waited_for_is_not_tried() -> None:
    plan = graph(call(1, "ask"), servers=(server(slots=1),), people=(person(),), exact=True)
    found, _ = studied(plan)
    assert {f"{c.change} {c.what}" for c in changes(plan, found)} == {
        "infinitely fast decode",
        "2x decode",
    }


def limited(*limits: LimitPlan, most: int = 1000) -> ServerPlan:
    return replace(server(), limits=limits, max_output=most)


def test_quotas() -> None:
    """Three calls of 1,000 tokens in, 100 out (1 s) at once; 1,000 a call of a bucket of 1,000.

    It fills by 100 a second: they start at 0, 10 and 20 s, the last one ends at 21 s. A bucket of
    2,000 that fills by 200 lets two start at 0 and the third at 5 s: 6 s, so 15 s are saved.
    """
    limit = LimitPlan("input", 1000, 100, False, False, "box")
    asked = replace(call(2, "jobs.ask", output=100), input=Constant(1000))
    plan = graph(each(1, "jobs", 3, asked), servers=(limited(limit),), exact=True)
    found, own = studied(plan)
    assert found.wall.mean == 21
    assert saved(own)["2x quota"] == 15
    assert {lever.kind for lever in own} == {"quota", "decode"}


def test_reserved_output() -> None:
    """Three calls of 100 tokens (1 s) that reserve 1,000 each of a bucket of 1,000, 100 a second.

    As above 21 s. If only what is made were taken, all three would start at once: 1 s.
    """
    limit = LimitPlan("output", 1000, 100, True, False, "box")
    asked = call(2, "jobs.ask", output=100)
    plan = graph(each(1, "jobs", 3, asked), servers=(limited(limit),), exact=True)
    found, own = studied(plan)
    assert found.wall.mean == 21
    assert saved(own)["just enough max_output"] == 20
    assert saved(own)["2x quota"] == 15


def test_what_was_not_reserved_is_not_given_back() -> None:
    """Three calls of 4,000 tokens (40 s) one after another, of a bucket of 10,000 that fills by
    1,000 a minute; each reserves 8,000 and gets 4,000 back at its end.

    At 40 s there are 2,000 + 667 + 4,000, at 120 s the 8,000: the second call ends at 160 s with
    4,667, the third begins at 360 s and ends at 400 s. Taking 4,000 each there are 6,667 at 40 s,
    3,333 at 80 s, 4,000 at 120 s: 160 s, so 240 s are saved.
    """
    limit = LimitPlan("output", 10_000, 1000 / 60, True, True, "box")
    asked = tuple(replace(call(i, f"ask{i}", output=4000), max_output=8000) for i in (1, 2, 3))
    box = replace(limited(limit), max_output=8000)
    found, own = studied(graph(*asked, servers=(box,), exact=True))
    assert found.wall.mean == pytest.approx(400)
    assert saved(own)["just enough max_output"] == pytest.approx(240)


def test_quotas_that_nobody_waited_for_are_not_tried() -> None:
    limit = LimitPlan("output", 1e6, 100, True, False, "box")
    plan = graph(call(1, "ask"), servers=(limited(limit),), exact=True)
    found, _ = studied(plan)
    assert {change.kind for change in changes(plan, found)} == {"decode"}


def test_only_the_accounts_that_were_waited_for() -> None:
    short = LimitPlan("requests", 1, 0.1, False, False, "a")
    wide = LimitPlan("requests", 100, 10, False, False, "b")
    servers = tuple(
        replace(server(own.account, own.account), limits=(own,)) for own in (short, wide)
    )
    steps = (each(1, "x", 2, call(2, "x.ask")), each(3, "y", 2, call(4, "y.ask", at=1)))
    plan = graph(*steps, servers=servers, exact=True)
    found, _ = studied(plan)
    (quota,) = (own for own in changes(plan, found) if own.kind == "quota")
    first, second = quota.graph.servers
    assert first.limits == (LimitPlan("requests", 2, 0.2, False, False, "a"),)
    assert second.limits == (wide,)


# --- how many runs ----------------------------------------------------------------------------


def test_a_lever_is_the_difference_of_two_studies_of_all_runs() -> None:
    """400 runs of a drawn tool and a drawn wait beside it, each study made by itself."""
    pause = ToolPlan("pause", Exponential(10), Constant(0), part=Part.WAIT)
    tool = ToolPlan("a", Exponential(12), Constant(0))
    sides = (
        block(2, "p.a", replace(work(3, "p.a.a", 1), tool=tool)),
        block(4, "p.b", replace(work(5, "p.b.b", 1), tool=pause)),
    )
    plan = graph(replace(each(1, "p", 2), branches=sides, items=None))
    _, (lever,) = studied(plan, runs=400, seed=3)
    before, after = (
        sum(tally.wall for tally in replicate(own, 3, runs=400))
        for own in (plan, variants.with_tools(plan, 0.5))
    )
    assert lever.runs == 400
    assert lever.saves == (before - after) / (400 * SECOND)
    assert lever.leaves == pytest.approx(after / (400 * SECOND), rel=1e-12)


def test_large_runs_are_repeated_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    # a run of one tool is one span: 50 spans pay for 50 of 80 runs
    monkeypatch.setattr(affordable, "__defaults__", (50,))
    plan = random_graph(mean=10)
    found, (lever,) = studied(plan, runs=80)
    assert lever.runs == 50
    # half of every run is half of them all, whichever 50 were looked at
    assert lever.saves == pytest.approx(found.wall.mean / 2, rel=1e-8)
    assert lever.saves + lever.leaves == pytest.approx(found.wall.mean, rel=1e-12)


def test_what_is_surely_not_told_is_run_no_further() -> None:
    """Eight tools of 1 to 8 s and nine levers with all tools: the six most helpful are told.

    All are constant but for one wait, so the first 100 runs already tell 1 s from 2 s.
    """
    wait = ToolPlan("pause", Exponential(1), Constant(0), part=Part.WAIT)
    tools = [work(i, f"t{i}", float(i)) for i in range(1, 9)]
    plan = graph(*tools, replace(work(9, "pause", 1), tool=wait))
    tallies = replicate(plan, 0, runs=300)
    wanted = [Change("tool", f"t{i}", "2x", variants.with_tools(plan, 0.5, f"t{i}"))
              for i in range(1, 9)]  # fmt: skip
    with executor_for(1) as executor:
        own = tried(executor, wanted, tallies, 0)
    assert [(lever.what, lever.runs) for lever in own] == [
        *((f"t{i}", 300) for i in (8, 7, 6, 5, 4, 3)),
        ("t2", SCREEN),
        ("t1", SCREEN),
    ]
    assert [lever.saves for lever in own[:6]] == pytest.approx([4, 3.5, 3, 2.5, 2, 1.5])


def test_what_surely_harms_is_run_on_all_too() -> None:
    """t1 made 1.1 times as slow: 0.1 s more of 37 s, less than a hundredth, yet a row of its own.

    The others are those of the test before, without the harmless t1.
    """
    wait = ToolPlan("pause", Exponential(1), Constant(0), part=Part.WAIT)
    tools = [work(i, f"t{i}", float(i)) for i in range(1, 9)]
    plan = graph(*tools, replace(work(9, "pause", 1), tool=wait))
    tallies = replicate(plan, 0, runs=300)
    wanted = [Change("tool", f"t{i}", "2x", variants.with_tools(plan, 0.5, f"t{i}"))
              for i in range(2, 9)]  # fmt: skip
    wanted.append(Change("tool", "t1", "1.1x", variants.with_tools(plan, 1.1, "t1")))
    with executor_for(1) as executor:
        own = tried(executor, wanted, tallies, 0)
    assert [(lever.what, lever.runs) for lever in own][5:] == [
        ("t3", 300),
        ("t2", SCREEN),
        ("t1", 300),
    ]
    assert own[-1].saves == pytest.approx(-0.1)
    assert own[-1].ci95[1] < 0


def test_faster_decoding_may_harm() -> None:
    """Two branches that need the same unit for 10 s: the first after 3 s, then 20 s of its own.

    The second asks for 5 s before: the first is served first and ends at 3 + 10 + 20 = 33 s. With
    calls of no time the second is first, so the first ends at 10 + 10 + 20 = 40 s; with calls of
    2.5 s at 2.5 + 40 = 42.5 s.
    """
    unit = ((0, 1.0),)
    first = (work(3, "p.a.s", 3), work(4, "p.a.u", 10, unit), work(5, "p.a.t", 20))
    second = (call(7, "p.b.ask", output=500), work(8, "p.b.u", 10, unit))
    sides = (block(2, "p.a", *first), block(6, "p.b", *second))
    plan = graph(
        replace(each(1, "p", 2), branches=sides, items=None),
        servers=(server(),),
        pools=(PoolPlan("ci", 1),),
        exact=True,
    )
    found, own = studied(plan)
    assert found.wall.mean == 33
    assert saved(own)["infinitely fast decode"] == pytest.approx(-7)
    assert saved(own)["2x decode"] == pytest.approx(-9.5)
    assert [lever.what for lever in own[-2:]] == ["decode", "decode"]


def test_the_ratio_by_hand() -> None:
    """Runs of 10, 30, 20 and 40 s; of the first two 2 and 12 s are saved: a share of 14 / 40.

    Of the mean of 25 s that is 8.75 s. The residuals are -1.5 and 1.5 s, times 25 / 20, over two
    runs: -0.9375 and 0.9375. The wall times add 0.35 (b - 25) / 4: -1.3125, 0.4375, -0.4375,
    1.3125. Together -2.25, 1.375, -0.4375, 1.3125, whose squares add up to 8.8671875; times
    2 / (2 - 1) that is the variance. Student's t for one degree of freedom: 12.706205.
    """
    before = [wall * SECOND for wall in (10, 30, 20, 40)]
    mean, (low, high) = saving(before, [8 * SECOND, 18 * SECOND])
    assert mean == 8.75
    half = 12.706205 * math.sqrt(2 * 8.8671875)
    assert (low, high) == pytest.approx((8.75 - half, 8.75 + half), rel=1e-6)


def test_the_typical_run_over_all_is_the_plain_median() -> None:
    """10, 30, 20 s become 9, 29 and 12: the median goes from 20 to 12, whichever run it is."""
    before, after = ([own * SECOND for own in walls] for walls in ((10, 30, 20), (9, 29, 12)))
    assert typical_saving(before, after)[0] == 12


def test_the_typical_run_of_a_part_is_carried_over() -> None:
    """Medians on the same runs: of 10, 30, 20 s 20 s, with the change 9, 14, 15 s 14 s.

    All five have a median of 30 s: 30 x 14 / 20 = 21 s. The median of the part would be 14 s, and
    the difference of its medians, 6 s, would leave 24 s.
    """
    before = [own * SECOND for own in (10, 30, 20, 40, 50)]
    assert typical_saving(before, [own * SECOND for own in (9, 14, 15)])[0] == 21


def test_what_all_runs_save_alike_is_sure_for_the_typical_one() -> None:
    before = [own * SECOND for own in (10, 50, 20, 35, 40, 90, 70)]
    left, (low, high) = typical_saving(before, [own - 3 * SECOND for own in before])
    assert left == 37
    assert (low, high) == pytest.approx((3, 3))


def test_a_typical_saving_that_is_a_share_is_as_sure_as_the_median() -> None:
    """Half of every time: the error of what is saved is half of that of the median.

    101 times of 1 to 101 s: the median is 51 s. Its interval by order statistics is 50 +- 1.959964
    * sqrt(1 / 4 / 101) of the 100 steps of 1 s: +-9.751 s. All runs but the middle one move it
    alike, so their spread is that again, with Student's t of 100 degrees (1.983972) for 1.959964.
    """
    before = [own * SECOND for own in range(1, 102)]
    left, (low, high) = typical_saving(before, [own // 2 for own in before])
    assert left == 25.5
    half = 100 * 0.5 * 1.959964 / math.sqrt(101) / 2 * 1.983972 / 1.959964
    assert (low, high) == pytest.approx((25.5 - half, 25.5 + half), rel=1e-6)


@pytest.mark.parametrize("repeated", [60, 240])
def test_the_interval_of_the_typical_saving_covers(repeated: int) -> None:
    """Monte Carlo: 400 samples of 240 runs of which all, or the first 60, are repeated.

    A run is a + b, both of one heavy-tailed law, and the change takes b away: the median of a + b
    less that of a, from 100,000 draws by themselves. 380 of 400 give or take 4.4; order
    statistics of 60 runs err on both sides.
    """
    draw = random.Random(7)

    def pair() -> tuple[float, float]:
        return draw.lognormvariate(3, 1), draw.lognormvariate(2, 1)

    many = [pair() for _ in range(100_000)]
    middle = sorted(a + b for a, b in many)[50_000] - math.exp(3)
    covered = 0
    for _ in range(400):
        runs = [pair() for _ in range(240)]
        before = [round((a + b) * SECOND) for a, b in runs]
        after = [round(a * SECOND) for a, _ in runs[:repeated]]
        _, (low, high) = typical_saving(before, after)
        covered += low <= middle <= high
    assert 365 <= covered <= 397


def test_a_lever_has_the_typical_run_that_it_leaves() -> None:
    """One drawn tool, 400 runs: what a study of the changed graph gives as its median."""
    tool = ToolPlan("a", Exponential(12), Constant(0))
    plan = graph(replace(work(1, "a", 1), tool=tool))
    _, (lever,) = studied(plan, runs=400, seed=3)
    changed = variants.with_tools(plan, 0.5)
    assert lever.typical == summarise(changed, replicate(changed, 3, runs=400), 3).wall.p50


def test_the_ratio_over_all_is_the_plain_difference() -> None:
    before = [wall * SECOND for wall in (10, 30, 20)]
    # saved 1, 5 and 6 s: mean 4, standard deviation sqrt(7), t of two degrees 4.302653
    mean, (low, high) = saving(before, [9 * SECOND, 25 * SECOND, 14 * SECOND])
    half = 4.302653 * math.sqrt(7 / 3)
    assert (mean, low, high) == pytest.approx((4, 4 - half, 4 + half), rel=1e-6)


def test_the_ratio_covers_as_often_as_it_says() -> None:
    """Monte Carlo: 1,000 samples of 80 runs, the first 20 repeated; what is saved is a part of the

    wall time (mean 10 of 30 s) and noise. The interval is of the true mean saving, 10 s: 950 of
    1,000 give or take 7, and less for the skew.
    """
    draw = random.Random(5)
    covered = 0
    for _ in range(1000):
        part = [draw.gammavariate(4, 2.5) for _ in range(80)]
        before = [round((own + draw.gammavariate(4, 5)) * SECOND) for own in part]
        after = [b - round(a * SECOND) for a, b in zip(part[:20], before, strict=False)]
        _, (low, high) = saving(before, after)
        covered += low <= 10 <= high
    assert 920 <= covered <= 968


# --- variants ---------------------------------------------------------------------------------


def test_prefill_and_first_token_are_two_things() -> None:
    slow = replace(server(), prefill=Prefill(per_token=0.01), first_token=LogNormal(0, 1),
                   per_input_token=2.0)  # fmt: skip
    (fast,) = variants.with_prefill(graph(servers=(slow,)), 0.5).servers
    assert fast == replace(slow, prefill=Prefill(per_token=0.005), per_input_token=1.0)
    (soon,) = variants.with_first_token(graph(servers=(slow,)), 0.5).servers
    assert soon.first_token is not None
    assert soon.first_token.at(0.5) == pytest.approx(0.5)  # the median of LogNormal(0, 1) is 1
    assert replace(soon, first_token=slow.first_token) == slow
    assert variants.with_prefill(graph(servers=(server(),)), 0.5).servers == (server(),)
    assert variants.with_first_token(graph(servers=(server(),)), 0.5).servers == (server(),)


def test_first_token_has_levers_of_its_own() -> None:
    # 2 s to the first token and 10 ms for each of 300 input tokens, then 999 steps of 10 ms
    plan = replace(server(), first_token=Constant(2.0), per_input_token=0.01)
    asked = replace(call(1, "ask"), input=Constant(300))
    _, own = studied(graph(asked, servers=(plan,), exact=True))
    found = saved(own)
    assert found["half the first-token time"] == pytest.approx(1.0)
    assert found["2x prefill"] == pytest.approx(1.5)


def agent(rank: int, path: str) -> Agent:
    tests = ToolPlan("tests", Constant(8), Constant(0))
    pause = ToolPlan("pause", Constant(8), Constant(0), part=Part.WAIT)
    zero = Constant(0.0)
    plan = AgentPlan("coder", "main", 0, (), Constant(1), zero, zero,
                     tools=((tests, 0.5), (pause, 1.0)))  # fmt: skip
    return Agent(rank=rank, path=path, name=path, plan=plan, session=None, label=path, task=zero,
                 reads=False, says=None)  # fmt: skip


def tool_times(node: Node | None) -> dict[str, float]:
    """Seconds by the path of the step and the tool."""
    match node:
        case Agent(path=path, plan=plan):
            tools = [tool for tool, _ in plan.tools if isinstance(tool, ToolPlan)]
            return {f"{path}/{tool.name}": tool.time.mean for tool in tools}
    inside = (*getattr(node, "steps", ()), *getattr(node, "branches", ()))
    inside += (getattr(node, "body", None), getattr(node, "between", None))
    found: dict[str, float] = {}
    for own in inside:
        if own is not None:
            found |= tool_times(own)
    return found


def test_tools_are_found_wherever_they_are() -> None:
    within = replace(loop(1, "l", 2, agent(2, "l.a")), between=block(1, "l", agent(3, "l.b")))
    plan = graph(within)
    plan = replace(plan, root=block(0, "", within, each(4, "e", 2, agent(5, "e.c"))))
    halved = variants.with_tools(plan, 0.5)
    assert tool_times(plan.root)["l.b/tests"] == 8
    # a wait is not a tool
    assert tool_times(halved.root) == {
        f"{path}/{tool}": seconds
        for path in ("l.a", "l.b", "e.c")
        for tool, seconds in (("tests", 4), ("pause", 8))
    }
    assert variants.with_tools(plan, 0.5, "other") == plan


def test_people_twice_as_fast_notice_no_sooner() -> None:
    plan = PersonPlan("you", 1, Constant(100), Constant(9), Reading(10, 2.0, 1.0), Constant(6))
    (fast,) = variants.with_people(graph(people=(plan,)), 0.5).people
    assert fast == replace(plan, reading=Reading(5, 4.0, 2.0), decides=Constant(3))


def test_a_variant_that_cannot_be_is_the_graph_itself() -> None:
    plan = graph(each(1, "e", 2, call(2, "e.ask")), servers=(server(),), people=(person(),))
    assert variants.with_slot(plan, 0) == plan
    assert variants.with_limit(plan, 1) == variants.with_limit(plan, -1) == plan


def test_wall_of_more_slots() -> None:
    # three calls of 10 s: 30, 20 and 10 s with one, two and three slots
    plan = graph(each(1, "jobs", 3, call(2, "jobs.ask")), servers=(server(slots=1),), exact=True)
    walls = [wall(plan)]
    for _ in range(2):
        plan = variants.with_slot(plan, 0)
        walls.append(wall(plan))
    assert walls == [30, 20, 10]
