"""What each kind of step becomes."""

from __future__ import annotations

import pytest

from agentsim.chance import Constant, LogNormal
from agentsim.graph import Agent, Ask, Block, Call, Fork, Guard, Loop, Says, Work
from agentsim.records import Part, Verdict
from tests.unit.spec.conftest import Load, Refused


def test_call(graph: Load) -> None:
    step = graph(
        """
        steps:
          - {call: main, id: ask, input: 1.5k, output: 20, prompt: {rules: 2k}, max_output: 4k}
        """
    ).root.steps[0]
    assert isinstance(step, Call)
    assert (step.role, step.session, step.label) == ("main", None, "ask")
    assert step.prompt == (("rules", 2000),)
    assert (step.input, step.thinking, step.output) == (
        Constant(1500),
        Constant(0),
        Constant(20),
    )
    assert step.max_output == 4000


def test_a_prompt_without_blocks_is_named_by_whom_it_belongs_to(graph: Load) -> None:
    found = graph(
        """
        agents: {worker: {turns: 1, output: 5, prompt: 2k}}
        steps:
          - {call: main, id: ask, input: 0, output: 5, prompt: 1k}
          - {agent: worker, id: one}
          - {agent: worker, id: two}
        """
    )
    call, one, two = found.root.steps
    assert isinstance(call, Call)
    assert isinstance(one, Agent)
    assert isinstance(two, Agent)
    assert call.prompt == (("ask", 1000),)
    assert one.plan.prompt == two.plan.prompt == (("worker", 2000),)  # what they share


def test_agent_takes_from_its_step_before_its_definition(graph: Load) -> None:
    step = graph(
        """
        agents:
          worker: {turns: 9, output: 5, thinking: 7, prompt: 0, tools: {shell: 60%, edit: 40%}}
        steps:
          - {agent: worker, turns: 2, model: small, task: 1k, reads: changes, approves: [10%, 1]}
        """
    ).root.steps[0]
    assert isinstance(step, Agent)
    plan = step.plan
    assert (plan.turns, plan.output, plan.thinking) == (Constant(2), Constant(5), Constant(7))
    assert (plan.role, plan.prompt, step.task, step.reads) == ("small", (), Constant(1000), True)
    assert [(tool.name, share) for tool, share in plan.tools] == [("edit", 0.4), ("shell", 1.0)]
    assert step.says == Says((0.1, 1.0))


def test_shares_that_are_all_end_at_exactly_one(graph: Load) -> None:
    step = graph("steps: [{agent: coder}]").root.steps[0]
    assert isinstance(step, Agent)
    assert step.plan.tools[-1][1] == 1.0


def test_tool(graph: Load) -> None:
    step = graph(
        """
        pools: {db: {capacity: 9}, ci: {capacity: 2.5}}
        tools:
          lint: {time: 5s, uses: {ci: 2}, timeout: 1m, fails: 10%, retry: {tries: 2, wait: 3s}}
        steps: [{tool: lint, timeout: 2m, retry: 1, or: go on, priority: -1}]
        """
    ).root.steps[0]
    assert isinstance(step, Work)
    tool = step.tool
    assert (tool.uses, tool.timeout, tool.fails, tool.says) == (((0, 2.0),), 60.0, 0.1, True)
    assert (tool.tries, tool.retry_wait, tool.part) == (3, 3.0, Part.TOOL)
    assert step.guard == Guard(timeout=120.0, tries=2, go_on=True)
    assert step.priority == -1


def test_a_tool_without_fails_says_nothing(graph: Load) -> None:
    step = graph("tools: {lint: {time: 5s}}\nsteps: [{tool: lint}]").root.steps[0]
    assert isinstance(step, Work)
    assert not step.tool.says


def test_wait(graph: Load) -> None:
    step = graph("steps: [{wait: {p50: 4s, p90: 20s}}]").root.steps[0]
    assert isinstance(step, Work)
    assert step.tool.part is Part.WAIT
    assert isinstance(step.tool.time, LogNormal)


@pytest.mark.parametrize(
    ("fields", "reads", "amount", "decides"),
    [
        ("time: 5m", "", None, None),
        ("reads: 900 words", "words", Constant(900), None),
        ("reads: 400 loc, decides: 1m", "lines", Constant(400), Constant(60)),
        ("reads: changes", "changes", None, None),
        ("decides: 1m", "", None, Constant(60)),
    ],
)
def test_person(
    graph: Load, fields: str, reads: str, amount: Constant | None, decides: Constant | None
) -> None:
    step = graph(f"people: {{dev: {{}}}}\nsteps: [{{person: dev, {fields}}}]").root.steps[0]
    assert isinstance(step, Ask)
    assert (step.reads, step.amount, step.decides) == (reads, amount, decides)
    assert (step.time is None) == ("time" not in fields)


def test_a_person_decides_as_their_definition_says(graph: Load) -> None:
    found = graph(
        "people: {dev: {decides: 2m}}\nsteps: [{person: dev, reads: 5 loc}, {person: dev}]"
    )
    first, second = found.root.steps
    assert isinstance(first, Ask)
    assert isinstance(second, Ask)
    assert first.decides == second.decides == Constant(120)


def test_rates_that_a_person_lacks_are_those_of_you(graph: Load) -> None:
    found = graph(
        """
        people: {dev: {reads: {fixed: 1m}}}
        steps: [{person: dev, reads: 5 loc}, {person: dev, reads: 9 words}]
        """
    )
    reading = found.people[0].reading
    assert reading.code == pytest.approx(400 / 3600)  # the preset `you`: 400 loc/h, 238 wpm
    assert reading.prose == pytest.approx(238 / 60)
    assert reading.fixed == 60
    assert {"people/dev/reads/code", "people/dev/reads/prose"} <= {a.key for a in found.assumed}


@pytest.mark.parametrize(("join", "number"), [("all", 0), ("any", 1), ("2", 2)])
def test_parallel(graph: Load, join: str, number: int) -> None:
    step = graph(f"steps: [{{parallel: [{{wait: 1s}}, {{wait: 2s}}], join: {join}}}]").root.steps[0]
    assert isinstance(step, Fork)
    assert (step.items, step.join, len(step.branches)) == (None, number, 2)
    assert step.branches[0].path == "parallel.wait"


def test_each(graph: Load) -> None:
    step = graph("steps: [{each: 7, limit: 3, release: waves, do: [{wait: 1s}]}]").root.steps[0]
    assert isinstance(step, Fork)
    assert (step.items, step.limit, step.waves, step.join) == (7, 3, True, 0)


@pytest.mark.parametrize(
    ("field", "changes_fail", "failed_fail"),
    [("", False, True), ("or: go on, ", False, False), ("or: fail, ", True, True)],
)
def test_loop(graph: Load, field: str, changes_fail: bool, failed_fail: bool) -> None:
    step = graph(f"steps: [{{loop: 3, {field}do: [{{wait: 1s}}]}}]").root.steps[0]
    assert isinstance(step, Loop)
    assert (step.rounds, step.changes_fail, step.failed_fail) == (3, changes_fail, failed_fail)
    assert step.between is None


@pytest.mark.parametrize(
    ("when", "guard"),
    [
        ("changes", Guard(when=(Verdict.CHANGES,))),
        ("[failed, rejected]", Guard(when=(Verdict.FAILED, Verdict.REJECTED))),
        ("yes", Guard()),
        ("no", Guard(never=True)),
        ("$(1 > 2)", Guard(never=True)),
    ],
)
def test_when(graph: Load, when: str, guard: Guard) -> None:
    before = "{wait: 1s, approves: 50%, timeout: 1m, or: go on}"
    steps = f"steps: [{before}, {{wait: 1s, when: {when}}}]"
    assert graph(steps).root.steps[1].guard == guard


def test_needs(graph: Load) -> None:
    """A step without `needs` waits for the one written before; only where a list has any."""
    plain = graph("steps: [{wait: 1s, id: a}, {wait: 1s, id: b}]").root
    assert plain.needs is None
    found = graph(
        """
        steps:
          - {wait: 1s, id: a}
          - {wait: 1s, id: b, needs: []}
          - {wait: 1s, id: c, needs: [e, a]}
          - {wait: 1s, id: d}
          - {wait: 1s, id: e, needs: [b]}
        """
    ).root
    assert found.needs == ((), (), (0, 4), (2,), (1,))


def test_a_group_carries_its_guard(graph: Load) -> None:
    step = graph("steps: [{do: [{wait: 1s}], timeout: 1m}]").root.steps[0]
    assert isinstance(step, Block)
    assert step.guard.timeout == 60


def test_items_fill_what_they_are_given(graph: Load) -> None:
    found = graph(
        """
        params: {base: 10}
        steps:
          - each: [{n: 1s, deep: [5s]}, {n: 2s, deep: [6s, 7s]}]
            do:
              - {wait: $(item.n)}
              - {wait: $(base * (index + 1))s}
              - {each: $(item.deep), do: [{wait: $(item)}]}
        """
    )
    fork = found.root.steps[0]
    assert isinstance(fork, Fork)
    times = []
    for body in fork.branches:
        assert isinstance(body, Block)
        first, second, inner = body.steps
        assert isinstance(first, Work)
        assert isinstance(second, Work)
        assert isinstance(inner, Fork)
        times.append((first.tool.time.mean, second.tool.time.mean, inner.items))
    assert times == [(1, 10, 1), (2, 20, 2)]


def test_a_set_value_takes_the_place_of_a_param(graph: Load) -> None:
    text = "params: {n: 2, m: $(n + 1)}\nsteps: [{loop: $(m), do: [{wait: 1s}]}]"
    for sets, rounds in (((), 3), ((("n", 5),), 6), ((("m", 9),), 9)):
        step = graph(text, sets=sets).root.steps[0]
        assert isinstance(step, Loop)
        assert step.rounds == rounds


def test_a_set_value_that_no_param_takes(refused: Refused) -> None:
    (problem,) = refused("params: {loops: 2}\nsteps: []", sets=(("lops", 3),))
    assert (problem.code, problem.hint) == ("unknown-name", "did you mean `loops`?")


def test_start_is_a_moment_in_its_zone(graph: Load) -> None:
    """2026-11-30 10:00 in Amsterdam is 09:00 UTC: 20,787 days and 9 h after 1970-01-01."""
    found = graph("start: 2026-11-30T10:00\ntimezone: Europe/Amsterdam\nsteps: []")
    assert (found.start, found.zone) == (20_787 * 86_400 + 9 * 3600, "Europe/Amsterdam")
    bare = graph("start: 2026-11-30T09:00\nsteps: []")
    assert (bare.start, bare.zone) == (found.start, "UTC")
    assert any("UTC" in note for note in bare.notes)
    assert graph("start: 2026-11-30T10:00+01:00\nsteps: []").start == found.start


def test_budget(graph: Load) -> None:
    budget = graph("budget: {wall: 4h, money: $5}\nsteps: []").budget
    assert budget is not None
    assert (budget.wall, budget.money, budget.person, budget.chance) == (14400, 5, None, 0.5)


def test_exact(graph: Load) -> None:
    constant = "tools: {t: {time: 5s}}\npeople: {p: {}}\nsteps: [{tool: t}, {person: p, time: 5m}"
    assert graph(f"{constant}]").exact
    assert graph(f"{constant}, {{wait: 1s, approves: 100%}}]").exact
    for step in (
        "{wait: 1s, approves: 50%}",
        "{wait: {p50: 4s, p90: 5s}}",
        "{tool: t, fails: 1%}",
        "{person: p, time: 1m, rejects: 1%}",
        "{each: 2, do: [{loop: 2, do: [{parallel: [{wait: {uniform: [1s, 2s]}}]}]}]}",
    ):
        assert not graph(f"{constant}, {step}]").exact, step


def test_a_person_who_is_not_asked_is_not_drawn(graph: Load) -> None:
    people = "people: {dev: {pickup: {p50: 1m, p90: 2m}}}"
    assert graph(f"{people}\nsteps: [{{wait: 1s}}]").exact
    assert not graph(f"{people}\nsteps: [{{person: dev, time: 1m}}]").exact
