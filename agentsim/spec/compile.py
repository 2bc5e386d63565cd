"""A filled tree becomes a graph: names, cast, servers, steps, then the checks before a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agentsim.errors import Notice, Place, Problem, Weight
from agentsim.graph import Graph, ServerPlan, Step
from agentsim.spec.cast import Cast
from agentsim.spec.checks import run_checks
from agentsim.spec.exact import is_exact
from agentsim.spec.harness import caps_of, harness_of
from agentsim.spec.players import Players
from agentsim.spec.problems import quoted
from agentsim.spec.quality import quality_plan
from agentsim.spec.scope import Program, lower_root
from agentsim.spec.servers import DEFAULT, Servers
from agentsim.spec.timed import timed, untimed
from agentsim.spec.told import few, unchosen
from agentsim.spec.tree import Path, Tree
from agentsim.spec.workflow import top_of

if TYPE_CHECKING:
    from agentsim.spec.load import Source


def compiled(
    tree: Tree,
    params: Mapping[str, Any],
    source: Source,
    stem: str,
    problems: list[Problem],
    checked: bool = True,
    chosen: frozenset[Path] = frozenset(),
) -> tuple[Program, Graph | None]:
    """The program and its graph; None where there are problems, which then stand in `problems`.

    `checked`: also for what cannot run; else only what the file itself says must be right.
    `chosen`: the values that an option decides.
    """
    program = Program(tree, params, problems)
    program.chosen = chosen
    top = top_of(tree, stem, program.report)
    if top.start is not None and top.zone is not None:
        program.start = (round(top.start * 1e6) * 1000, top.zone)  # written to the microsecond
    program.cast = Cast(tree, dict(source.patch), program.report)
    program.cast.check_all()
    program.servers = Servers(source.hardware, source.rates, program.report)
    program.players = Players(program.cast, program.servers, program.report)
    program.harness = harness_of(program.players, top.harness, tree.place(("harness",)))
    program.quality = top.quality
    program.counts_defects = top.quality is not None
    root = lower_root(program)
    servers = timed(program.servers.plans(program.whole), program.start)
    for key in program.cast.unpatched() if program.whole else ():
        message = f"nothing that is used has the value {quoted(key)}"
        hint = "a key of what is assumed"
        program.report(Problem("unknown-name", message, Place("patch", 1, 1), hint))
    if problems and not program.servers.complete:
        return program, None
    players = program.players
    graph = Graph(
        name=top.name,
        root=root,
        steps=_steps(program),
        servers=servers,
        pools=tuple(players.pools.values()),
        people=players.people,
        queues=tuple(players.queues.values()),
        budget=top.budget,
        caps=caps_of(program.players, top.caps, program.harness),
        start=top.start,
        zone=top.zone,
        exact=is_exact(root, servers, players.people, tuple(players.queues.values())),
        quality=quality_plan(root, program),
        assumed=program.cast.noted(),
        notices=(
            *_hardware_notices(program, servers),
            *top.notices,
            *untimed(servers, program.start),
            *players.notices,
            *few(unchosen(program.told, program.chosen)),
        ),
    )
    return program, run_checks(graph, program, source) if checked else graph


def _steps(program: Program) -> tuple[Step, ...]:
    """The table of steps, by rank."""
    rows = sorted(program.rows.values(), key=lambda row: row.rank)
    return tuple(Step(row.path, row.kind) for row in rows)


def _hardware_notices(program: Program, servers: tuple[ServerPlan, ...]) -> list[Notice]:
    """What was taken where nothing was given; nothing where no step asks a model."""
    if not servers or not program.servers.is_default:
        return []
    told = f"no --hw was given: {DEFAULT} is taken, a hosted model of today"
    return [Notice(told, Weight.ASKED)]
