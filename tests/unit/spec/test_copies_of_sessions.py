"""A copy of a session (`fork`) is opened by its step, so others may go on in it by that name."""

from __future__ import annotations

from tests.unit.spec.conftest import Load

AGENT = "{agent: coder, turns: 1"


def test_a_step_may_go_on_in_a_copy_whose_name_is_near_to_another(graph: Load) -> None:
    """`s2` is no misspelt `s1`: it is the copy."""
    found = graph(f"steps: [{AGENT}, id: s1}}, {AGENT}, id: s2, session: s1, fork: yes}}, "
                  f"{AGENT}, id: s3, session: s2}}]")  # fmt: skip
    assert not any("session" in note for note in found.notes)
