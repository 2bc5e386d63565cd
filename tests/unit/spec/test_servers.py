"""Roles, profiles, servers and rates."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.graph import Agent
from agentsim.spec.problems import given
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


def test_hardware_for_no_role_is_refused(refused: Refused) -> None:
    """`--hw cerebras --hw main=tok5` would answer of tok5 alone, whatever was meant."""
    one = "steps: [{call: main, input: 0, output: 10}]"
    (found,) = refused(one, "tok100", "main=tok5")
    assert found.code == "unused-hardware"
    assert found.place == given("--hw ", "tok100")


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


@pytest.mark.parametrize(
    ("number", "shown"),
    [("0", "`0` is none"), ("00", "`00` is none"), ("x", "`x` is none"), ("-1", "`-1` is none"),
     ("", "there is none"), ("1000", "`1000` is none"), ("1.5", "`1.5` is none")],
)  # fmt: skip
def test_a_number_that_no_server_has(refused: Refused, root: Path, number: str, shown: str) -> None:
    for name in ("tok100", str(root / "hardware" / "tok100.yaml")):
        (problem,) = refused(TWO, "main=tok5", f"small={name}#{number}")
        assert problem.code == "bad-value"
        assert problem.message.endswith(f"1 to 999: {shown}")
        assert problem.hint.startswith(f"`{name}` is its first server, `{name}#2` a second")
        assert str(problem.place).startswith("--hw small=")


@pytest.mark.parametrize("text", ["#", "#1", "#2", "#x", "#-1", "small=#2"])
def test_a_number_of_no_profile(refused: Refused, text: str) -> None:
    (problem,) = refused(TWO, "main=tok5" if "=" in text else "small=tok5", text)
    assert (problem.code, problem.message) == ("bad-value", "there is no profile before the `#`")
    assert "`NAME#2`" in problem.hint


def test_a_right_number_of_a_wrong_profile(refused: Refused) -> None:
    (problem,) = refused(TWO, "tok10#2")
    assert problem.code == "unknown-name"
    assert problem.message.startswith("no hardware profile `tok10`; there are: cerebras, ")
    assert problem.hint == "did you mean `tok100`?"


def test_a_sign_in_a_folders_name_is_no_number(graph: Load, root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "box#0"
    folder.mkdir()
    file = folder / "own.yaml"
    file.write_text((root / "hardware" / "tok100.yaml").read_text("utf-8"), "utf-8")
    assert servers(graph, str(file), f"small={file}#2") == [("main",), ("small",)]


def test_where_no_step_asks_a_model_no_hardware_is_taken() -> None:
    from agentsim.spec.load import Source, load_tree
    from agentsim.spec.reader import read

    text = "agentsim: 1\nsteps: [{wait: 5s}, {person: you, time: 1m}]"
    found = load_tree(read(text, "w.yaml"), Source("w.yaml"))
    assert found.servers == ()
    assert not any("--hw" in note for note in found.notes)


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
