"""Lines that no output holds. `cerebras` answers 32,768 tokens and holds 131,072 (its profile)."""

from __future__ import annotations

import pytest

from tests.unit.spec.conftest import Load, Refused

AGENT = "agents: {w: {turns: 1, output: 1000, prompt: 0}}\nsteps:\n  - {agent: w, writes: %s}"


@pytest.mark.parametrize(
    ("writes", "numbers"),
    [
        ("2730 loc", ()),  # x 12 = 32,760
        ("2731 loc", ("32,772 tokens", "32,768")),
        ("{uniform: [2000 loc, 4000 loc]}", ("36,000 tokens", "32,768")),  # 3,000 on average
        ("300 loc, tokens_per_line: 120", ("36,000 tokens", "32,768")),
        # 24,000 lines are 288,000; 300 turns before the last hold 1,000 each
        ("24000 loc, turns: 301", ()),
        # 99 turns hold 99,000 of 144,000: 45,000 are left
        ("12000 loc, turns: 100", ("144,000 tokens", "45,000 of them", "32,768")),
    ],
)
def test_more_than_the_longest_answer_is_told(
    graph: Load, writes: str, numbers: tuple[str, ...]
) -> None:
    notes = [note for note in graph(AGENT % writes).notes if "max_output" in note]
    assert len(notes) == bool(numbers)
    assert all(number in note for note in notes for number in numbers)
    assert all(note.startswith("w (line 4): ") for note in notes)


def test_more_than_the_context_is_refused(refused: Refused, graph: Load) -> None:
    """10,923 lines are 131,076 tokens, 10,922 are 131,064."""
    (problem,) = refused(AGENT % "10923 loc")
    assert problem.code == "context-too-small"
    assert "131,076 tokens" in problem.message
    assert "131,072" in problem.message
    assert problem.place is not None
    assert problem.place.line == 4
    assert any("131,064" in note for note in graph(AGENT % "10922 loc").notes)
