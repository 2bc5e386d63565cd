"""A wrong value that came from `--set` says so, at its place in the file."""

from __future__ import annotations

from tests.unit.spec.conftest import Refused

FILE = """
params: {n: 2, pause: 5s, twice: $(n * 2)}
steps:
  - {loop: $(n), do: [{wait: $(pause)}]}
  - {wait: $(twice)s, id: second}
  - {wait: 7, id: third}
"""


def hints(refused: Refused, *sets: tuple[str, object]) -> dict[tuple[int, int], str]:
    found = refused(FILE, sets=sets)
    return {(it.place.line, it.place.column): it.hint for it in found if it.place}


def test_what_was_set_is_named_and_what_was_not_is_not(refused: Refused) -> None:
    """`agentsim: 1` is line 1, so the loop is in line 4 and the wait of 7 in line 6."""
    found = hints(refused, ("n", "many"), ("pause", "5s"))
    assert found[4, 12].endswith("the value comes from `--set n=many`")
    assert found[2, 34].endswith("the value comes from `--set n=many`")  # twice is n * 2
    assert "--set" not in found[6, 12]


def test_a_param_that_uses_another_is_followed(refused: Refused) -> None:
    found = hints(refused, ("n", -1))
    assert found[5, 12].endswith("the value comes from `--set n=-1`")


def test_each_option_is_named_for_its_own_value(refused: Refused) -> None:
    found = hints(refused, ("n", 2.5), ("pause", "soon"))
    assert "`--set n=2.5`" in found[4, 12]
    assert "`--set pause=soon`" in found[4, 30]


def test_without_an_option_nothing_is_said(refused: Refused) -> None:
    (problem,) = refused(FILE)
    assert "--set" not in problem.hint
