"""What a profile leaves out and a run needs: each thing once, with the way in which that errs.

Nothing is made up for what a profile does not say, so a server without it is simulated: one that
reads prompts in no time, or has no quota. Only what shows in the run at hand is told, and nothing
that the profile says by itself (`latency: 0`, `cache: {kind: none}`, `shared: no`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentsim.analysis.findings import LeftOut
from agentsim.analysis.outcome import Tally
from agentsim.analysis.words import counted, number
from agentsim.errors import Notice, Weight
from agentsim.graph import About, Agent, Call, Graph, ServerPlan, walk

_GROUPS = (
    ("quick", "too quick without"),
    ("slow", "too slow without"),
    ("cheap", "too cheap without"),
    ("dear", "too dear without"),
    ("either", "either way without"),
)

_SHORT = 8_000  # tokens of context, over which m2-ultra, the steepest here, slows by 12 %
_UNKNOWN = 1 << 60  # more beginnings than a run has sessions


@dataclass(frozen=True, slots=True)
class _Use:
    """What a run asks of all servers of one profile; counts are means per run.

    `together`: the most tokens of context in service at once on one server.
    `rereads`: some call sends again what a call before it has sent. `is_told`: money is spoken of.
    """

    plan: ServerPlan
    calls: float
    fresh: float
    deepest: int
    most: int
    rereads: bool
    together: int
    loads: float
    is_told: bool


def left_out(graph: Graph, tallies: Sequence[Tally], is_costed: bool) -> list[LeftOut]:
    """All of it, by profile in the order of the servers. `is_costed`: the answer tells a cost."""
    is_told = is_costed or (graph.budget is not None and graph.budget.money is not None)
    found: list[LeftOut] = []
    by_profile: dict[tuple[str, About], list[int]] = {}  # two files may have one name
    for i, plan in enumerate(graph.servers):
        by_profile.setdefault((plan.profile, plan.about), []).append(i)
    for numbers in by_profile.values():
        use = _use(graph, tallies, numbers, is_told)
        if use.calls:
            found += _of(use)
    return found


def lacking(found: Sequence[LeftOut]) -> Iterator[Notice]:
    """One a profile: "box: too quick without `prefill` (4.4M tokens read in no time); ..."."""
    for profile in dict.fromkeys(it.profile for it in found):
        told = []
        for errs, words in _GROUPS:
            own = [it for it in found if it.profile == profile and it.errs == errs]
            if own:
                told.append(f"{words} {', '.join(f'{_named(it)} ({it.effect})' for it in own)}")
        text = f"{profile}: {'; '.join(told)}"
        yield Notice(text, Weight.LACKS, about=("lacks", profile), profile=profile)


def _named(it: LeftOut) -> str:
    """The key that would say it; of `decode`, which every profile has, what is not in it."""
    return "the speed of several streams in `decode`" if it.key == "decode" else f"`{it.key}`"


def _use(graph: Graph, tallies: Sequence[Tally], numbers: list[int], is_told: bool) -> _Use:
    own = [[tally.servers[i] for tally in tallies] for i in numbers]
    every = [one for of_server in own for one in of_server]
    n = len(tallies)
    return _Use(
        plan=graph.servers[numbers[0]],
        calls=sum(one.calls for one in every) / n,
        fresh=sum(one.fresh for one in every) / n,
        deepest=max(one.deepest for one in every),
        most=max(one.most for one in every),
        rereads=any(
            one.sessions < one.calls or one.sessions > _beginnings(graph, i)
            for i, of_server in zip(numbers, own, strict=True)
            for one in of_server
        ),
        together=max(one.together for one in every),
        loads=sum(one.loads.loads for one in every if one.loads is not None) / n,
        is_told=is_told,
    )


def _beginnings(graph: Graph, server: int) -> int:
    """How many different first blocks the prompts at a server have.

    With more sessions than that two begin alike. Where some have no prompt nothing is known.
    """
    firsts: set[tuple[str, int]] = set()
    for node in walk(graph.root):
        match node:
            case Agent(plan=plan) if plan.server == server:
                prompt = plan.prompt
            case Call(server=asked, prompt=prompt) if asked == server:
                pass
            case _:
                continue
        if not prompt:
            return _UNKNOWN
        firsts.add(prompt[0])
    return len(firsts)


def _of(use: _Use) -> Iterator[LeftOut]:
    plan, lacks = use.plan, use.plan.about.left_out

    def lack(key: str, errs: str, effect: str, name: str = "") -> LeftOut:
        return LeftOut(plan.profile, name or key, errs, effect)

    if "prefill" in lacks and use.fresh:
        yield lack("prefill", "quick", f"{_tokens(use.fresh)} tokens read in no time")
    if "latency" in lacks:
        yield lack("latency", "quick", counted(use.calls, "call"))
    if "decode" in lacks and use.most > 1:
        what = "slots" if plan.slots is None else "decode"
        speeds = f"{use.most} calls at once, each at full speed"
        yield lack("decode", "quick", speeds, what)
    if "per_context_token" in lacks and use.deepest > _SHORT:
        yield lack("per_context_token", "quick", f"contexts to {_tokens(use.deepest)}")
    if "kv" in lacks and plan.context is not None and use.together > plan.context:
        yield lack("kv", "quick", f"{_tokens(use.together)} of context at once, memory unlimited")
    if "load" in lacks and use.loads:
        yield lack("load", "quick", f"{counted(use.loads, 'load')} in no time")
    if "limits" in lacks and use.calls > 1:
        yield lack("limits", "quick", "if any")
    if "cache" in lacks and use.rereads and (errs := _rereading(plan)):
        yield lack("cache", errs, "if it keeps prompts")
    if "context" in lacks and use.deepest:
        yield lack("context", "either", f"if below {_tokens(use.deepest)}")
    if "price" in lacks and use.is_told:
        yield lack("price", "cheap", f"{counted(use.calls, 'call')} for nothing")


def _rereading(plan: ServerPlan) -> str:
    """Which way reading a known prompt again errs: time, else money, else it makes no difference.

    A measured time to the first token counts the whole input, whether it was cached or not.
    """
    counts = any(limit.count == "uncached_input" for limit in plan.limits)
    if plan.prefill is not None or counts:
        return "slow"
    price = plan.price
    is_dear = price is not None and price.cached is not None and price.cached < price.input
    return "dear" if is_dear else ""


def _tokens(count: float) -> str:
    """`890k`, `3.1M`; as much as tells whether it matters."""
    if count >= 999_500:
        return f"{count / 1e6:,.1f}M"
    return f"{count / 1e3:,.0f}k" if count >= 9_950 else number(count)
