"""People who are twice as fast: what they write takes them half the time too."""

from __future__ import annotations

from pathlib import Path

from agentsim.engine import simulate
from agentsim.experiment.variants import with_people
from agentsim.records import SECOND
from tests.runs import graph_of


def test_they_write_twice_as_fast(tmp_path: Path) -> None:
    """400 lines at 400 an hour, 10 min to decide, 30 lines at 60 an hour: 1 h + 10 + 30 min.

    All of that is halved, the 90 s of switching are not: 6,000 + 90 and 3,000 + 90 s.
    """
    dev = {"switch": "90s", "reads": {"fixed": 0, "code": "400 loc/h"}, "types": "60 loc/h"}
    step = {"person": "dev", "reads": "400 loc", "decides": "10m", "writes": "30 loc"}
    plan = graph_of(tmp_path, {"people": {"dev": dev}, "steps": [step]})
    assert simulate(plan, 0, 0).ended == 6090 * SECOND
    assert simulate(with_people(plan, 0.5), 0, 0).ended == 3090 * SECOND
