"""Ids, paths, ranks and the names that draws are keyed by."""

from __future__ import annotations

from agentsim.graph import Block, Fork, Loop, walk
from tests.unit.spec.conftest import Load, Refused, by_path


def test_a_path_joins_ids_and_an_id_not_given_is_the_argument_or_the_kind(graph: Load) -> None:
    found = graph(
        """
        steps:
          - agent: coder
          - {loop: 2, id: until-clean, do: [{agent: reviewer}], between: [{agent: coder}]}
          - {agent: coder, turns: 2}
          - wait: 1s
          - {do: [{wait: 1s}, {wait: 2s}]}
        """
    )
    assert [(step.path, step.kind) for step in found.steps] == [
        ("", "workflow"),
        ("coder", "agent"),
        ("until-clean", "loop"),
        ("until-clean.reviewer", "agent"),
        ("until-clean.coder", "agent"),
        ("coder-2", "agent"),
        ("wait", "wait"),
        ("do", "do"),
        ("do.wait", "wait"),
        ("do.wait-2", "wait"),
    ]


def test_a_rank_is_the_index_of_its_step(graph: Load) -> None:
    found = graph("steps: [{parallel: [{wait: 1s}, {do: [{wait: 2s}]}]}, {wait: 3s}]")
    for node in walk(found.root):
        assert found.steps[node.rank].path == node.path


def test_do_and_between_share_a_room_of_ids(graph: Load) -> None:
    found = graph("steps: [{loop: 2, do: [{tool: shell}], between: [{tool: shell}]}]")
    assert [step.path for step in found.steps[2:]] == ["loop.shell", "loop.shell-2"]


def test_an_id_that_is_given_goes_before_one_that_is_made(graph: Load) -> None:
    found = graph("steps: [{wait: 1s}, {wait: 2s, id: wait}]")
    assert [step.path for step in found.steps[1:]] == ["wait-2", "wait"]


def test_draws_are_keyed_by_an_id_that_is_unique_else_by_the_path(graph: Load) -> None:
    found = graph(
        """
        steps:
          - {do: [{wait: 1s, id: only}, {wait: 1s, id: twice}], id: a}
          - {do: [{wait: 1s, id: twice}, {wait: 1s}], id: b}
        """
    )
    names = {path: node.name for path, node in by_path(found).items()}
    assert names == {
        "": "",
        "a": "a",
        "a.only": "only",
        "a.twice": "a.twice",
        "b": "b",
        "b.twice": "b.twice",
        "b.wait": "b.wait",
    }


def test_an_id_that_is_another_steps_path_is_no_key(graph: Load) -> None:
    """Else the two steps would draw the same numbers."""
    found = graph("steps: [{tool: shell}, {do: [{wait: 1s, id: shell}], id: g}]")
    names = [node.name for node in by_path(found).values()]
    assert len(set(names)) == len(names)
    assert by_path(found)["g.shell"].name == "g.shell"


def test_a_step_that_is_added_elsewhere_leaves_the_names_as_they_are(graph: Load) -> None:
    short = by_path(graph("steps: [{wait: 1s, id: a}, {do: [{wait: 1s, id: b}], id: g}]"))
    long = by_path(
        graph("steps: [{wait: 1s, id: a}, {tool: shell}, {do: [{wait: 1s, id: b}], id: g}]")
    )
    assert {path: node.name for path, node in short.items()}.items() <= {
        path: node.name for path, node in long.items()
    }.items()


def test_items_share_one_body_unless_it_names_them(graph: Load) -> None:
    shared, own, inner = (
        next(node for node in walk(graph(text).root) if isinstance(node, Fork))
        for text in (
            "steps: [{each: 5, do: [{wait: 1s}]}]",
            "steps: [{each: 5, do: [{wait: $(index + 1)s}]}]",
            "steps: [{each: 5, do: [{each: [1s], do: [{wait: $(item)}]}]}]",
        )
    )
    assert (len(shared.branches), len(own.branches), len(inner.branches)) == (1, 5, 1)
    assert {(node.rank, node.path, node.name) for node in own.branches} == {(1, "each", "each")}
    assert len({step.name for body in own.branches for step in walk(body)}) == 2


def test_blocks_that_nobody_wrote_carry_the_rank_of_their_step(graph: Load) -> None:
    found = graph("steps: [{loop: 2, do: [{wait: 1s}], between: [{wait: 2s}]}]")
    loop = found.root.steps[0]
    assert isinstance(loop, Loop)
    assert isinstance(loop.between, Block)
    assert loop.body.rank == loop.between.rank == loop.rank == 1


def test_an_id_is_the_same_for_all_items(refused: Refused) -> None:
    problems = refused("steps: [{each: 2, do: [{wait: 1s, id: w-$(index)}]}]")
    assert [problem.code for problem in problems] == ["bad-value"]
