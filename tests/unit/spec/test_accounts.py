"""One account has one quota: profiles that name it must agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.spec.conftest import Load, Refused

TWO = "steps: [{call: main, input: 1, output: 1}, {call: small, input: 1, output: 1}]"


def box(folder: Path, name: str, *limits: str) -> str:
    path = folder / f"{name}.yaml"
    path.write_text(f"agentsim: 1\ndecode: {{rate: 9 tok/s}}\nlimits: [{', '.join(limits)}]\n")
    return str(path)


def limit(count: str, bucket: str, refill: str, account: str = "team") -> str:
    return f"{{count: {count}, bucket: {bucket}, refill: {refill}, account: {account}}}"


@pytest.mark.parametrize(("bucket", "refill"), [("6k", "5k/min"), ("5k", "6k/min")])
def test_two_that_differ_are_named(
    refused: Refused, tmp_path: Path, bucket: str, refill: str
) -> None:
    one = box(tmp_path, "one", limit("output", "5k", "5k/min"))
    two = box(tmp_path, "two", limit("requests", "9", "9/s"), limit("output", bucket, refill))
    (problem,) = refused(TWO, one, f"small={two}")
    assert problem.code == "two-quotas"
    assert "`one` and `two` name the account `team`" in problem.message
    assert problem.place is not None
    assert (problem.place.file, problem.place.line) == (two, 3)


@pytest.mark.parametrize(
    "limits",
    [
        (limit("output", "5k", "5k/min"),),
        (limit("output", "5k", "100/s", "other"),),
        (limit("input", "9k", "9k/min"),),
        (limit("input", "9k", "9k/min"), limit("output", "5000", "5000/min")),
    ],
)
def test_those_that_agree_or_count_something_else(
    graph: Load, tmp_path: Path, limits: tuple[str, ...]
) -> None:
    one = box(tmp_path, "one", limit("output", "5k", "5k/min"))
    graph(TWO, one, f"small={box(tmp_path, 'two', *limits)}")


def test_two_quotas_of_one_thing_in_one_profile_are_two(graph: Load, tmp_path: Path) -> None:
    """So many a minute and so many a day, say; the second server shares both."""
    both = limit("requests", "9", "9/min"), limit("requests", "99", "99/d")
    one = box(tmp_path, "one", *both)
    two = box(tmp_path, "two", *reversed(both))
    graph(TWO, one, f"small={two}")


def test_an_account_named_as_a_role_is_not_that_roles_server(graph: Load, tmp_path: Path) -> None:
    one = box(tmp_path, "one", "{count: requests, bucket: 9, refill: 9/s}")
    two = box(tmp_path, "two", limit("requests", "9", "9/s", "main"))
    accounts = [server.limits[0].account for server in graph(TWO, one, f"small={two}").servers]
    assert accounts == ["#main", "main"]
