"""Tables by which more streams make fewer tokens together: by arithmetic."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.laws.crowd import Crowd, slower_together
from agentsim.laws.decode import Knots
from agentsim.spec.hardware import load_profile

ROOT = Path(__file__).resolve().parents[3]


def per_stream(rates: dict[int, float]) -> Knots:
    return tuple((float(streams), 1 / rate) for streams, rate in rates.items())


@pytest.mark.parametrize(
    ("rates", "found"),
    [
        ({1: 190, 2: 59}, Crowd(1, 2, 118 / 190)),
        # together 100, 150, 120, 160: the third is 120 / 150 of the second
        ({1: 100, 2: 75, 4: 30, 8: 20}, Crowd(2, 4, 0.8)),
        # the deepest of two falls: 100, 80, 60
        ({1: 100, 2: 40, 3: 20}, Crowd(1, 3, 0.6)),
        # 96 of 100 may be scatter
        ({1: 100, 2: 48}, None),
        ({1: 100, 2: 60, 4: 40}, None),
        ({1: 100}, None),
    ],
)
def test_the_total_of_streams(rates: dict[int, float], found: Crowd | None) -> None:
    crowd = slower_together(per_stream(rates))
    if found is None or crowd is None:
        assert crowd is found
    else:
        assert crowd == pytest.approx(found)


def test_no_step_of_no_time() -> None:
    assert slower_together(((1.0, 0.01), (2.0, 0.0))) is None


def test_the_words() -> None:
    assert "4 streams together make 20 % fewer tok/s than 2 do" in Crowd(2, 4, 0.8).words


def test_no_profile_that_ships_is_such() -> None:
    for file in sorted((ROOT / "hardware").glob("*.yaml")):
        knots = load_profile(file.stem).plan.decode.knots
        assert knots is None or slower_together(knots) is None
