"""Reading by hand: case E04 of the worked cases."""

import pytest

from agentsim.laws.reading import Reading

DEV = Reading(prose=300 / 60, code=400 / 3600)


def test_reading():
    assert DEV.seconds(words=900) == pytest.approx(180.0)  # 900 / 300 min
    assert DEV.seconds(lines=400) == pytest.approx(3600.0)
    assert DEV.seconds(lines=50) == pytest.approx(450.0)
    assert DEV.seconds() == 0.0
    slow = Reading(fixed=180.0, prose=5.0, code=0.1, skim=7.5)
    assert slow.seconds(lines=10, words=50, skimmed=75) == pytest.approx(180 + 100 + 10 + 10)


def test_reading_without_a_rate():
    with pytest.raises(ValueError, match="reading code"):
        Reading(prose=5.0).seconds(lines=1)
    with pytest.raises(ValueError, match="reading rate"):
        Reading(prose=0.0)
