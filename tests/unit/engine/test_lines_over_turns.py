"""Lines of code that an agent writes, over its turns: the last holds what those before did not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runs import File, run


@pytest.mark.parametrize(
    ("lines", "said"),
    # 12 tokens a line: 1,200 fit 3 x 500; of 1,560 the first two turns hold 1,000, of 1,800 too
    [(100, [500, 500, 500]), (130, [500, 500, 560]), (150, [500, 500, 800])],
)
@pytest.mark.parametrize("slots", [None, 4], ids=["ahead", "by the clock"])
def test_the_last_turn_holds_what_is_left(
    lines: int, said: list[int], slots: int | None, tmp_path: Path
) -> None:
    x = {"model": "main", "prompt": 0, "turns": 3, "output": 500, "tools": {"look": "100%"}}
    x = {**x, "writes": f"{lines} loc", "tokens_per_line": 12}
    hardware: File = {"decode": {"rate": "100 tok/s"}, "prefill": "none"}
    if slots is not None:
        hardware = {**hardware, "slots": slots}
    workflow: File = {
        "tools": {"look": {"time": "1s"}}, "agents": {"x": x}, "steps": [{"agent": "x"}],
    }  # fmt: skip
    found = run(tmp_path, workflow, hardware)
    assert [facts.visible for facts in found.calls("x")] == said
    assert found.trace.notes == ({"output_raised": 1} if said[-1] > 500 else {})
