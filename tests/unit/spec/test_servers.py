"""Roles, profiles, servers and rates."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.graph import Agent
from tests.unit.spec.conftest import Load, Refused

TWO = """
agents: {scout: {model: small, turns: 1, output: 10, prompt: 0}}
steps: [{call: main, input: 0, output: 10}, {agent: scout}]
"""


def servers(graph: Load, *hardware: str, text: str = TWO, **more: object) -> list[tuple[str, ...]]:
    return [server.roles for server in graph(text, *hardware, **more).servers]


def test_roles_on_one_profile_share_one_server(graph: Load) -> None:
    assert servers(graph, "tok100") == [("main", "small")]
    assert servers(graph, "tok100", "small=tok100") == [("main", "small")]
    assert servers(graph, "main=tok100", "small=tok100#1") == [("main", "small")]


def test_a_number_or_another_profile_makes_another_server(graph: Load) -> None:
    assert servers(graph, "tok100", "small=tok100#2") == [("main",), ("small",)]
    assert servers(graph, "tok5", "main=tok100") == [("main",), ("small",)]


def test_a_path_and_a_name_of_one_file_are_one_profile(graph: Load, root: Path) -> None:
    file = str(root / "hardware" / "tok100.yaml")
    assert servers(graph, "tok100", f"small={file}") == [("main", "small")]


def test_a_server_is_named_by_its_first_role_and_agents_know_its_number(graph: Load) -> None:
    found = graph(TWO, "main=tok100", "small=tok5")
    assert [server.name for server in found.servers] == ["main", "small"]
    scout = found.root.steps[1]
    assert isinstance(scout, Agent)
    assert scout.plan.server == 1


def test_without_hardware_a_hosted_model_is_taken_and_said(graph: Load) -> None:
    from agentsim.spec.load import Source, load_tree
    from agentsim.spec.reader import read

    found = load_tree(read("agentsim: 1" + TWO, "w.yaml"), Source("w.yaml"))
    assert [server.profile for server in found.servers] == ["claude-opus"]
    assert any("claude-opus" in note for note in found.notes)
    assert not any("claude-opus" in note for note in graph(TWO, "tok100").notes)


def test_an_unbound_role_is_named(refused: Refused) -> None:
    (problem,) = refused(TWO, "small=tok5")
    assert problem.code == "unbound-role"
    assert "`main`" in problem.message
    assert "--hw main=NAME" in problem.hint


@pytest.mark.parametrize(
    ("hardware", "rates", "code", "word"),
    [
        (("tok100", "smal=tok5"), (), "unknown-name", "small"),
        (("tok100",), ("smal=5",), "unknown-name", "small"),
        (("tok100", "tok5"), (), "bad-value", "twice"),
        (("tok100", "small=tok5", "small=tok5"), (), "bad-value", "twice"),
        (("tok100",), ("5", "9"), "bad-value", "two rates"),
        (("tok100",), ("0",), "bad-value", "more than 0"),
        (("tok100",), ("fast",), "bad-value", "rate"),
        (("tok100",), ("small=5",), "shared-rate", "share one server"),
        (("tok101",), (), "unknown-name", "tok100"),
    ],
)
def test_what_cannot_be_bound(
    refused: Refused, hardware: tuple[str, ...], rates: tuple[str, ...], code: str, word: str
) -> None:
    problems = refused(TWO, *hardware, rates=rates)
    assert {problem.code for problem in problems} == {code}
    assert any(word in problem.message + problem.hint for problem in problems)


def test_rates_scale_the_servers_that_they_name(graph: Load) -> None:
    def rates(*given: str, hardware: tuple[str, ...] = ("tok100", "small=tok5")) -> list[float]:
        return [
            round(server.decode.rate, 6) for server in graph(TWO, *hardware, rates=given).servers
        ]

    plain = rates()
    assert rates("200") == [200, 200]
    assert rates("main=200") == [200, plain[1]]
    assert rates("50", "small=7") == [50, 7]
    assert rates("main=30", "small=30", hardware=("tok100",)) == [30]


def test_a_run_without_roles_still_needs_a_profile_that_exists(
    refused: Refused, graph: Load
) -> None:
    assert graph("steps: []", "tok100").servers == ()
    assert refused("steps: []", "nothing-of-that-name")[0].code == "unknown-name"
