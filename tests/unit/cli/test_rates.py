"""`--rates` without a rate in it is refused, never taken for "all as it is"."""

from __future__ import annotations

import pytest

from agentsim.cli import main


@pytest.mark.parametrize("command", ["run", "sweep"])
@pytest.mark.parametrize("rates", ["", " ", ",", "5,", "5,,100"])
def test_an_empty_rate_is_an_error(
    command: str, rates: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main([command, "first", "--runs", "2", "--rates", rates])
    except SystemExit as left:
        code = left.code  # type: ignore[assignment]
    assert code == 2
    said = capsys.readouterr()
    assert "--rates" in said.err
    assert said.out == ""
