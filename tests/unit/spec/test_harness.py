"""Harnesses: which one an agent runs in, what it takes of it, and what is told and assumed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agentsim.graph import Agent, Call, CapsPlan, CompactPlan, Graph, Life, marks_of, walk
from agentsim.spec import presets
from tests.unit.spec.conftest import Load, Refused

SLIM = "harnesses: {slim: {prompt: {tools: 3k, system: 2k}, subagent_prompt: {sub: 1k}}}\n"


def agents(graph: Graph) -> dict[str, Agent]:
    return {node.path: node for node in walk(graph.root) if isinstance(node, Agent)}


def only(graph: Graph) -> Agent:
    (agent,) = agents(graph).values()
    return agent


@pytest.mark.parametrize(
    ("own", "wanted"),
    [
        ("", (("tools", 3000), ("system", 2000))),
        ("prompt: {rules: 500}", (("tools", 3000), ("system", 2000), ("rules", 500))),
        # a block that both name has the agent's size, in the harness's place
        (
            "prompt: {rules: 500, system: 1k}",
            (("tools", 3000), ("system", 1000), ("rules", 500)),
        ),
        ("prompt: {system: 0}", (("tools", 3000),)),
        # one number is the whole prompt
        ("prompt: 24k", (("a", 24_000),)),
        # the block of a subagent: it starts with that one's prompt
        ("prompt: {sub: 700, rules: 500}", (("sub", 700), ("rules", 500))),
    ],
)
def test_the_blocks_of_a_harness_stand_first(graph: Load, own: str, wanted: Any) -> None:
    text = f"{SLIM}agents: {{a: {{harness: slim, turns: 1, output: 10, {own}}}}}\nsteps: [agent: a]"
    found = only(graph(text.replace("[agent: a]", "[{agent: a}]")))
    assert found.plan.prompt == wanted


def test_agents_that_another_starts_have_the_prompt_for_these(graph: Load) -> None:
    """In mid-turn and in its steps alike; who names a block of the main one starts with that."""
    found = agents(
        graph(
            f"""
            harness: slim
            {SLIM}
            agents:
              boss: {{turns: 2, output: 10, tools: {{helper: 100%}}}}
              helper: {{turns: 1, output: 10}}
              full: {{turns: 1, output: 10, prompt: {{system: 2k}}}}
              lead: {{}}
            steps:
              - {{agent: boss}}
              - {{agent: lead, do: [{{agent: helper, id: inner}}, {{agent: full}}]}}
            """
        )
    )
    main, sub = (("tools", 3000), ("system", 2000)), (("sub", 1000),)
    assert {path: one.plan.prompt for path, one in found.items()} == {
        "boss": main,
        "boss.helper": sub,
        "lead.inner": sub,
        "lead.full": main,
    }


def test_the_nearest_harness_holds(graph: Load) -> None:
    """Of the step, of the definition, of the agent around, of the file; told by turn_time."""
    times = {
        path: one.plan.turn_time and one.plan.turn_time.time.low
        for path, one in agents(
            graph(
                """
                harness: one
                harnesses:
                  one: {turn_time: 1s}
                  two: {turn_time: 2s}
                  three: {turn_time: 3s}
                  none: {}
                agents:
                  of-file: {turns: 1, output: 10}
                  of-two: {turns: 2, output: 10, harness: two, tools: {of-file: 100%}}
                  own: {turns: 1, output: 10, harness: two, turn_time: 9s}
                steps:
                  - {agent: of-file}
                  - {agent: of-two}
                  - {agent: of-two, id: step, harness: three}
                  - {agent: own}
                  - {agent: of-file, id: bare, harness: none}
                  - {agent: own, id: lead, harness: three, do: [{agent: of-file}]}
                """
            )
        ).items()
    }
    assert times == {
        "of-file": 1,
        "of-two": 2,
        "of-two.of-file": 2,
        "step": 3,
        "step.of-file": 3,
        "own": 9,
        "bare": None,
        "lead.of-file": 3,
    }


def test_own_steps_have_it_too(graph: Load) -> None:
    """`call: self` by the rules of its agent, in the harness that its step names."""
    found = graph(
        f"""
        {SLIM}
        agents: {{lead: {{compact: {{at: 50%}}, caps: {{tools: 2}}}}}}
        steps:
          - {{agent: lead, harness: slim, turn_time: 4s, do: [{{call: self, input: 5, output: 9}}]}}
        """
    )
    (life,) = (node for node in walk(found.root) if isinstance(node, Life))
    (call,) = (node for node in walk(found.root) if isinstance(node, Call))
    assert life.prompt == (("tools", 3000), ("system", 2000))
    assert life.caps == CapsPlan(None, 2, None)
    assert call.voice is not None
    assert (call.voice.prompt, call.voice.capped) == (5000, True)
    assert call.voice.compact == CompactPlan(0, None, None, 2000, share=0.5)
    assert call.voice.turn_time is not None
    assert (call.voice.turn_time.name, call.voice.turn_time.time.low) == ("slim", 4)


def test_caps_of_the_agent_win_one_by_one(graph: Load) -> None:
    """And only who names a harness starts one: what is inside counts in that one's caps."""
    found = agents(
        graph(
            """
            harnesses: {wide: {caps: {agents: 9, tools: 8, held: call}}}
            agents:
              a:
                harness: wide
                caps: {agents: 2, spawns: 5}
                turns: 2
                output: 10
                tools: {b: 100%}
              b: {turns: 1, output: 10}
            steps: [{agent: a}, {agent: b}]
            """
        )
    )
    assert found["a"].caps == CapsPlan(2, 8, 5, True)
    assert found["a.b"].caps is None
    assert found["b"].caps is None


def test_caps_of_the_file_win_over_those_of_its_harness(graph: Load) -> None:
    text = "harness: w\nharnesses: {w: {caps: {agents: 9, tools: 8}}}\nsteps: [{agent: coder}]\n"
    assert graph(text).caps == CapsPlan(9, 8, None, False)
    assert only(graph(text)).caps is None
    assert graph(f"caps: {{tools: 3, held: call}}\n{text}").caps == CapsPlan(9, 3, None, True)


@pytest.mark.parametrize(
    ("rule", "context", "wanted"),
    [
        # 80 % of 100k; the prompt of 10k and 20k
        (None, 100_000, (80_000, 30_000)),
        # half of 100k; likewise
        (CompactPlan(0, None, None, 9, share=0.5), 100_000, (50_000, 30_000)),
        # of 40k: half way from 10k to 20k
        (CompactPlan(0, None, None, 9, share=0.5), 40_000, (20_000, 15_000)),
        (CompactPlan(0, 12_000, None, 9, share=0.5), 40_000, (20_000, 12_000)),
        (CompactPlan(0, 18_000, None, 9, share=0.5), 40_000, (20_000, 15_000)),
        (CompactPlan(0, None, None, 9, share=0.5), None, None),
        (None, None, None),
        (CompactPlan(60_000, 15_000, None, 9), 40_000, (40_000, 15_000)),
        (CompactPlan(60_000, 15_000, None, 9), None, (60_000, 15_000)),
    ],
)
def test_where_a_session_is_cut(rule: CompactPlan | None, context: int | None, wanted: Any) -> None:
    assert marks_of(rule, 10_000, context) == wanted


def test_the_preset_is_assumed_where_it_is_taken(graph: Load) -> None:
    """A user's agent takes all of it; `coder` and `explorer` say their prompts themselves."""
    mine = graph("harness: claude-code\nsteps: [{agent: m}]\nagents: {m: {turns: 1, output: 9}}")
    found = {one.key: one for one in mine.assumed if one.key.startswith("harnesses/")}
    assert set(found) == {f"harnesses/claude-code/{key}" for key in ("prompt", "caps", "compact")}
    assert all(one.source for one in found.values())
    assert only(mine).plan.prompt == (("harness", 21_000),)
    assert mine.caps == CapsPlan(20, 10, 200, False)
    assert only(mine).plan.compact == CompactPlan(0, None, None, 4200, share=0.8)
    theirs = graph("harness: claude-code\nsteps: [{agent: coder}, {agent: explorer}]")
    assert "harnesses/claude-code/prompt" not in {one.key for one in theirs.assumed}
    plain = agents(graph("steps: [{agent: coder}, {agent: explorer}]"))
    for path, one in agents(theirs).items():
        assert one.plan.prompt == plain[path].plan.prompt
    assert not any("harness" in note for note in theirs.notes)


def test_what_like_leaves_of_the_caps_is_assumed(graph: Load) -> None:
    text = """
        harness: mine
        harnesses: {mine: {like: claude-code, caps: {agents: 5}}}
        steps: [{agent: coder}]
        """
    found = graph(text)
    assert found.caps == CapsPlan(5, 10, 200, False)
    told = {one.key for one in found.assumed if "caps" in one.key}
    assert told == {"harnesses/mine/caps/tools", "harnesses/mine/caps/spawns"}


def test_every_preset_of_a_harness_says_why_and_its_ranges_count(graph: Load) -> None:
    text = (
        "agents: {m: {turns: 2, output: 9, harness: %s, tools: {n: 50%%}}, "
        "n: {turns: 1, output: 9}}\nsteps: [{agent: m}]"
    )
    for name in presets.names("harnesses"):
        preset = presets.preset("harnesses", name)
        assert preset is not None
        assert set(preset.fields) == set(preset.why)
        base = graph(text % name)
        ranged = [one for one in base.assumed if one.key.startswith("harnesses/") and one.low]
        assert len(ranged) == sum(why.low is not None for why in preset.why.values())
        for one in ranged:
            for end in (one.low, one.high):
                assert graph(text % name, patch=((one.key, end),)).root != base.root, one.key


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        (
            "{like: coder, harness: slim}",
            "a: its preset says `harness` itself, 18,000 tokens: not the 2,000 of the harness "
            "`slim`",
        ),
        (
            "{turns: 1, output: 9, prompt: 5k, harness: slim}",
            "a: its `prompt` is one number, so that it has nothing of the `prompt` of the harness "
            "`slim`",
        ),
        ("{turns: 1, output: 9, prompt: {harness: 5k}, harness: slim}", ""),
    ],
)
def test_what_of_a_harness_does_not_count_is_told(graph: Load, agent: str, told: str) -> None:
    text = f"harnesses: {{slim: {{prompt: 2k}}}}\nagents: {{a: {agent}}}\nsteps: [{{agent: a}}]"
    assert [note for note in graph(text).notes if "harness" in note] == ([told] if told else [])


def test_what_is_wrong_with_a_mark_by_the_context_is_told(graph: Load) -> None:
    """The context of tok100 is 131,072 tokens: half is 65,536, and half way to it 32,768."""

    def notes(compact: str) -> Iterator[str]:
        text = f"agents: {{a: {{turns: 1, output: 9, compact: {compact}}}}}\nsteps: [{{agent: a}}]"
        return (note for note in graph(text, "tok100").notes if "compact" in note)

    (told,) = notes("{at: 50%, to: 70k}")
    assert told == (
        "a (line 2): `compact` at 65,536 tokens cannot cut to 70,000: 32,768 are taken, half way "
        "from the prompt"
    )
    (told,) = notes("{at: 100%}")
    assert told.startswith("a (line 2): `compact` at 131,072 tokens leaves its own call no room")
    assert not list(notes("{at: 50%, to: 30k}"))


def test_a_harness_that_is_not_there(refused: Refused) -> None:
    (problem,) = refused("steps: [{agent: coder, harness: claude}]")
    assert problem.code == "unknown-name"
    assert problem.hint == "did you mean `claude-code`?"


def test_a_rule_of_a_harness_that_an_agent_cannot_have(refused: Refused) -> None:
    """The prompt of `a` alone is longer than what the harness leaves."""
    (problem,) = refused(
        """
        harnesses: {slim: {compact: {at: 50%, to: 20k}}}
        agents: {a: {harness: slim, prompt: 30k, turns: 1, output: 9}}
        steps: [{agent: a}]
        """
    )
    assert problem.code == "bad-value"
    assert "cuts to 20,000 tokens, below the prompt of 30,000" in problem.message


def test_a_mark_at_a_share_may_cut_to_nothing_but_the_prompt() -> None:
    """`to: 0` is asked for, not left out: an agent without a prompt is cut to 0, not to 20k."""
    assert marks_of(CompactPlan(0, 0, None, 9, share=0.6), 0, 100_000) == (60_000, 0)
