"""What each step of a varied number adds: a table of its own, in JSON, CSV and Markdown as well."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from agentsim.experiment.compare import Compared, Row
from agentsim.experiment.paired import Apart
from agentsim.report import csv_, document, json_comparing, markdown, terminal
from agentsim.report.beside import STEPS
from tests.unit.report.made_compared import at, by, compared


def varied() -> Compared:
    """0, 2 and 4 rounds on two machines; the last step of the second may be chance."""
    machines = []
    for number, machine in enumerate(compared().machines):
        chance = by(0.5, 1.2, 48_123)
        last = chance if number else by(7.6, 1.3)
        steps = ((None, None), (by(14.0, 2.3), by(14.0, 2.3)), (by(21.6, 2.7), last))
        rows = tuple(
            Row(
                "a.yaml",
                (("rounds", 2 * i),),
                f"rounds={2 * i}",
                at("x", 30 + 10 * i),
                first,
                i == 0,
                {},
                above,
                {"cost": Apart(0.57, (0.48, 0.66), 1.0, 1000)} if above else {},
            )
            for i, (first, above) in enumerate(steps)
        )
        machines.append(replace(machine, rows=rows))
    return replace(compared(), machines=tuple(machines), break_evens=())


def table(text: str) -> list[str]:
    (block,) = (it for it in text.split("\n\n") if it.startswith(STEPS))
    return block.splitlines()


def test_a_step_has_the_paired_difference_to_the_row_above() -> None:
    lines = table(terminal.draw(document.compare(varied())))
    assert lines[1].split() == ["hardware", "step", "time", "money"]
    assert lines[2].split() == (
        ["claude-opus", "rounds=0", "->", "2", "+14.0m", "+-2.3m", "+$0.57", "+-$0.09"]
    )
    assert lines[3].split()[:5] == ["rounds=2", "->", "4", "+7.6m", "+-1.3m"]
    assert max(map(len, lines)) <= 80


def test_a_step_that_may_be_chance_is_said() -> None:
    text = " ".join(terminal.draw(document.compare(varied())).split())
    assert (
        "rounds=4 cannot be told apart from rounds=2 on cerebras: about 49,000 runs would tell."
    ) in text
    assert text.count("cannot be told apart") == 1


def test_one_step_says_no_more_than_the_table() -> None:
    made = varied()
    machines = tuple(replace(it, rows=it.rows[:2]) for it in made.machines)
    assert STEPS not in terminal.draw(document.compare(replace(made, machines=machines)))
    assert STEPS not in terminal.draw(document.compare(compared()))


def test_json_csv_and_markdown_have_it() -> None:
    first, second, third = json_comparing.compare(varied())["machines"][0]["rows"]
    assert first["above"] is None
    assert second["above"]["mean"] == second["difference"]["mean"] == 14.0 * 60
    assert third["above"]["ci95"] == [6.3 * 60, 8.9 * 60]
    assert third["above_other_differences"]["cost"]["mean"] == 0.57
    (_, _, row, *_) = csv.DictReader(io.StringIO(csv_.compare(varied()), newline=""))
    assert float(row["above.mean"]) == 7.6 * 60
    assert float(row["difference.mean"]) == 21.6 * 60
    assert f"**{STEPS}**" in markdown.draw(document.compare(varied()))
    assert "| rounds=2 -&gt; 4 | +7.6m" in markdown.draw(document.compare(varied()))
