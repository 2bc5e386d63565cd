"""The README holds what is true: its commands run, its files and its answers are the real ones."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentsim.analysis.hardware import decode_rate
from agentsim.report import show
from agentsim.spec.hardware import load_profile

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(match[1], match[2]) for match in FENCE.finditer(README)]
QUICK = {"run": ["--runs", "20", "--no-sensitivity"], "sweep": ["--runs", "20"]}
QUICK["compare"] = QUICK["sweep"]

LONG = ("What would help", "Nothing that was tried", "Assumed (")
"""Blocks of an answer that take a minute to work out; all others are compared."""


def _commands() -> list[str]:
    """The lines `agentsim ...` and `$ agentsim ...` of fenced blocks, without their comments."""
    lines = [line for _, text in BLOCKS for line in text.splitlines()]
    found = [re.fullmatch(r"(?:\$ )?(agentsim .*?)(?:\s+#.*)?", line) for line in lines]
    return list(dict.fromkeys(match[1] for match in found if match))


def _answers() -> dict[str, str]:
    """Command -> the answer that is pasted below it."""
    pasted = [text for _, text in BLOCKS if text.startswith("$ agentsim ")]
    return dict(text.removeprefix("$ ").split("\n", 1) for text in pasted)


def _blocks(answer: str) -> list[str]:
    """What stands between blank lines, without the levers and what was assumed."""
    blocks = answer.strip("\n").split("\n\n")
    return [block for block in blocks if not block.startswith(LONG)]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the README names, for commands that write beside them."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("hardware", "workflows"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def _run(
    command: str, folder: Path, more: Sequence[str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The command with `more` options, else those that make it short."""
    _, name, *rest = shlex.split(command)
    if name == "validate" and not (folder / rest[0]).exists():
        _run(f"agentsim init {rest[0]}", folder)  # the README makes the file in the line above
    if name == "run" and "mybox.yaml" in rest and not (folder / "mybox.yaml").exists():
        _run("agentsim init --hw mybox.yaml", folder)
    # -c with the entry point: what the installed command does, whatever stands on the path.
    start = "import sys; from agentsim.cli import main; sys.argv[0] = 'agentsim'; sys.exit(main())"
    more = QUICK.get(name, []) if more is None else more
    words = [sys.executable, "-c", start, name, *rest, *more]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_the_readme_has_commands_and_answers() -> None:
    kinds = {command.split()[1] for command in _commands()}
    assert kinds >= {"run", "sweep", "compare", "validate", "hw", "init"}
    assert [command.split()[1] for command in _answers()] == [
        "run",
        "sweep",
        "compare",
        "compare",
        "run",
    ]


@pytest.mark.parametrize("command", _commands())
def test_every_command_of_the_readme_runs(command: str, tmp_path: Path, clone: Path) -> None:
    folder = clone
    if " init " in command:  # it refuses to write over a file that another test has made
        folder = tmp_path
    done = _run(command, folder)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert not (done.returncode == 1 and command.split()[1] in ("hw", "init", "validate"))


RUNS = [(command, text) for command, text in _answers().items() if command.split()[1] == "run"]


@pytest.mark.parametrize(("command", "pasted"), RUNS)
def test_a_pasted_answer_is_the_real_one(command: str, pasted: str, clone: Path) -> None:
    """Every figure of all 1,000 runs but those of levers and sensitivity; it may end early."""
    real = _blocks(_run(command, clone, ["--quick"]).stdout)
    wanted = _blocks(pasted)
    assert len(wanted) >= 3  # headline, how long, what bound it
    assert wanted == real[: len(wanted)]


def test_the_pasted_sweep_is_the_real_one(clone: Path) -> None:
    """Its title and what changes; and a row, of all its 1,000 runs, by the other command."""
    command, pasted = next(item for item in _answers().items() if "sweep" in item[0])
    wanted, real = _blocks(pasted), _blocks(_run(command, clone).stdout)
    assert (real[0], real[2]) == (wanted[0], wanted[2])
    assert wanted[2].startswith("  Only decode speed changes")
    asked = _run("agentsim run first --hw cerebras --rates 100", clone, ["--quick", "--json"])
    found = json.loads(asked.stdout)
    (row,) = (line for line in pasted.splitlines() if re.match(r" +100  ", line))
    wall, budget = found["wall"], found["budget"]
    times = [wall["p50"], wall["p80"], found["without_people"]["p50"]]
    assert re.split(r"  +", row.strip())[:4] == ["100", *map(show.tight, times)]
    decode = found["breakdown"]["decode"] / wall["mean"]
    assert f"  {show.share(decode)}  " in row
    # the answer comes first: from the first row to the last
    rows = [re.split(r"  +", line.strip()) for line in pasted.splitlines()]
    (slow,), (fast,) = ([it[1] for it in rows if it[0] == rate] for rate in ("5", "15,000"))
    (ends,) = re.findall(r"typical (.+?) -> (.+?)\. ", " ".join(wanted[1].split()))
    assert [it.replace(" ", "").replace("min", "m") for it in ends] == [slow.replace(" ", ""), fast]
    close = "?" if budget["close"] else ""
    assert f"  {show.share(budget['met'])} ok{close}  " in row


def test_the_pasted_comparison_is_the_real_one(clone: Path) -> None:
    """Its title; and a row, of all its 1,000 runs, by the other command."""
    command, pasted = next(item for item in _answers().items() if " compare " in item[0])
    assert _run(command, clone).stdout.splitlines()[0] == pasted.splitlines()[0]
    found = []
    for rounds in (0, 2):
        run = f"agentsim run review-loop --hw cerebras --set rounds={rounds}"
        found.append(json.loads(_run(run, clone, ["--quick", "--json"]).stdout))
    (base, two) = found
    group = pasted[pasted.index("  cerebras  ") :]
    row = next(line for line in group.splitlines() if " rounds=2 " in line)
    longer = two["wall"]["mean"] - base["wall"]["mean"]
    you = two["people"]["you"]
    cells = re.split(r"  +", row.strip())
    assert cells[:4] == [
        "rounds=2",
        show.tight(two["wall"]["p50"]),
        show.tight(two["wall"]["p80"]),
        show.tight(two["wall"]["mean"]),
    ]
    assert cells[4] == f"+{longer / 60:.1f}m"
    assert cells[6:8] == [
        show.tight(two["without_people"]["p50"]),
        show.tight(you["work"] + you["switching"]),
    ]


def test_the_pasted_pair_is_the_real_one(clone: Path) -> None:
    """Every row's times, of all its 1,000 runs, by the other command; and who wins on which."""
    (pasted,) = (text for command, text in _answers().items() if "until-clean" in command)
    answer, table = pasted.split("\n\n")[1:3]
    asked = [(hw, it) for hw in ("claude-opus", "cerebras") for it in ("until-clean", "best-of-n")]
    rows = [re.split(r"  +", line.strip(" *")) for line in table.splitlines()[1:5]]
    means = []
    for (machine, name), cells in zip(asked, rows, strict=True):
        done = _run(f"agentsim run {name} --hw {machine}", clone, ["--quick", "--json"])
        found = json.loads(done.stdout)
        means.append(found["wall"]["mean"] / 60)
        assert cells[0] == (machine if name == "until-clean" else name)
        at = cells.index(name)
        wall = found["wall"]
        times = [wall["p50"], wall["p80"], wall["mean"], found["without_people"]["p50"]]
        assert [*cells[at + 1 : at + 4], cells[-1]] == list(map(show.tight, times))
    slow, fast = means[1] - means[0], means[3] - means[2]
    assert slow < 0 < fast
    assert [rows[1][4], rows[3][4]] == [f"{slow:+.1f}m", f"{fast:+.1f}m"]
    told = " ".join(answer.split())
    assert f"best-of-n is quickest in the mean on claude-opus ({-slow:.1f}m" in told
    assert f"until-clean is quickest in the mean on cerebras ({fast:.1f}m" in told


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("agentsim run first --hw claude-opus --rates 200", "OK 0"),
        ("agentsim run until-green --fail-on failed", "Fails 1"),
    ],
)
def test_what_the_text_says_of_budgets_and_failures(command: str, says: str, clone: Path) -> None:
    """At 200 tok/s the budget that is missed at 52 is met; a gate on failures has exit code 1."""
    done = _run(command, clone, ["--quick"])
    word, code = says.split()
    assert re.search(rf"\b{word}\b", done.stdout)
    assert done.returncode == int(code)


def test_one_run_in_eleven_stays_red(clone: Path) -> None:
    """Three rounds fail: (1 - 0.65 x 0.85)^3 = 0.0896; 1,000 runs have an error of 0.009."""
    done = _run("agentsim run until-green", clone, ["--quick", "--json"])
    failed = json.loads(done.stdout)["outcome"]["failed"]
    assert failed == pytest.approx((1 - 0.65 * 0.85) ** 3, abs=2 * 0.009)


def test_the_ten_lines_are_those_of_the_file() -> None:
    shown = next(text for language, text in BLOCKS if language == "yaml")
    assert shown == (ROOT / "workflows" / "first.yaml").read_text(encoding="utf-8")
    assert len([line for line in shown.splitlines() if not line.startswith("#")]) == 10


def test_the_example_with_a_fix_is_that_of_the_file() -> None:
    """Without the comments at its head."""
    shown = [text for language, text in BLOCKS if language == "yaml"][1]
    lines = (ROOT / "workflows" / "until-green.yaml").read_text(encoding="utf-8").splitlines()
    assert shown.splitlines() == [line for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("kind", ["hardware", "workflows"])
def test_the_tables_name_what_ships(kind: str) -> None:
    header = {"hardware": "| profile |", "workflows": "| workflow |"}[kind]
    table = README[README.index(header) :].split("\n\n")[0]
    named = re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
    shipped = sorted(file.stem for file in (ROOT / kind).glob("*.yaml"))
    if kind == "hardware":  # some of them: `hw list` names all, and the README how many more
        assert set(named) < set(shipped)
        assert f"and {len(shipped) - len(named)} more (`agentsim hw list`)" in README
    else:
        assert sorted(named) == shipped


def test_the_table_gives_the_speed_and_grade_of_each_profile() -> None:
    """The grade is that of `source` in the profile's file, the speed that of `hw list`."""
    rows = re.findall(r"^\| `([^`]+)` \|.*\| ([^|]+) \| ([ABC]) \|$", README, re.MULTILINE)
    plans = [load_profile(file.stem).plan for file in (ROOT / "hardware").glob("*.yaml")]
    right = {(it.profile, show.rate(decode_rate(it, 0)), it.about.grade) for it in plans}
    assert len(rows) > 10
    assert set(rows) <= right


def test_every_link_leads_to_a_file() -> None:
    targets = re.findall(r"\]\(([^)#]+)", README)
    assert targets
    assert [name for name in targets if "://" not in name and not (ROOT / name).is_file()] == []
