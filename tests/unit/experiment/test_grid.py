"""What is compared: files, machines and values of params, and what is refused beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.errors import EngineFault, Problem, Problems
from agentsim.experiment import Grid, Options, compare
from agentsim.experiment import compare as compared
from agentsim.experiment.grid import MOST, Variant, variants
from tests.runs import HUNDRED, File, write

LOOP: File = {
    "params": {"rounds": 2, "size": 10},
    "steps": [{"loop": "$(rounds)", "do": [{"call": "main", "input": 0, "output": "$(size)"}]}],
}
PLAIN: File = {"steps": [{"call": "main", "input": 0, "output": 10}]}
SMALL: File = {"params": {"size": 5}, "steps": [{"call": "small", "input": 0, "output": "$(size)"}]}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    made = {"loop": LOOP, "plain": PLAIN, "small": SMALL, "hw": HUNDRED, "other": HUNDRED}
    return {name: str(write(tmp_path, f"{name}.yaml", it)) for name, it in made.items()}


def labels(column: list[Variant]) -> list[str]:
    return [variant.label for variant in column]


def refused(grid: Grid) -> list[Problem]:
    with pytest.raises(Problems) as caught:
        variants(grid)
    return list(caught.value.problems)


def test_a_param_is_varied_in_the_files_that_have_it(files: dict[str, str]) -> None:
    grid = Grid(
        (files["plain"], files["loop"]),
        ((files["hw"],), (files["other"],)),
        (("rounds", (0, 1)), ("size", (5, 7))),
    )
    one, other = variants(grid).variants
    assert labels(one) == labels(other) == [
        "plain",
        "loop rounds=0 size=5",
        "loop rounds=0 size=7",
        "loop rounds=1 size=5",
        "loop rounds=1 size=7",
    ]  # fmt: skip
    assert one[1].vary == (("rounds", 0), ("size", 5))


def test_a_single_file_is_told_by_what_is_varied(files: dict[str, str]) -> None:
    (column,) = variants(Grid((files["loop"],), ((files["hw"],),), (("rounds", (1, 3)),))).variants
    assert labels(column) == ["rounds=1", "rounds=3"]


def test_a_set_holds_in_the_files_that_have_the_param(files: dict[str, str]) -> None:
    """300 rounds of 10 tokens at 100 tok/s: 30 s; `plain` stays."""
    grid = Grid((files["plain"], files["loop"]), ((files["hw"],),), sets=(("rounds", 300),))
    (machine,) = compared(grid).machines
    assert [row.findings.wall.mean for row in machine.rows] == pytest.approx([0.1, 30])


def test_a_param_that_no_file_has_is_an_error(files: dict[str, str]) -> None:
    grid = Grid(
        (files["plain"], files["loop"]), ((files["hw"],),), (("round", (1,)),), (("sise", 1),)
    )
    found = refused(grid)
    assert [str(it.place) for it in found] == ["--set sise", "--vary round"]
    assert [it.hint for it in found] == ["did you mean `size`?", "did you mean `rounds`?"]


def test_names_of_the_same_stem_are_told_by_their_folders(tmp_path: Path) -> None:
    made = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        made.append(str(write(tmp_path / folder, "loop.yaml", LOOP)))
    (column,) = variants(Grid((*made, str(write(tmp_path, "x.yaml", PLAIN))))).variants
    assert labels(column) == ["a/loop", "b/loop", "x"]


def test_too_many_variants(files: dict[str, str]) -> None:
    """2 machines x 100 rounds x 3 sizes is 600."""
    wide = (("rounds", tuple(range(100))), ("size", (1, 2, 3)))
    grid = Grid((files["loop"],), ((files["hw"],), (files["other"],)), wide)
    (problem,) = refused(grid)
    assert problem.message == f"600 variants to compare; at most {MOST}"
    huge = tuple((name, tuple(range(10_000))) for name in ("rounds", "size"))
    assert "100,000,000 variants" in refused(Grid((files["loop"],), vary=huge))[0].message


def test_a_role_is_bound_in_the_files_that_ask_for_it(files: dict[str, str]) -> None:
    both = (files["hw"], f"small={files['other']}")
    (column,) = variants(Grid((files["plain"], files["small"]), (both,))).variants
    used = [[server.profile for server in variant.graph.servers] for variant in column]
    assert used == [["hw"], ["other"]]


def test_a_role_that_no_file_asks_for_is_an_error(files: dict[str, str]) -> None:
    bound = f"smal={files['other']}"
    found = refused(Grid((files["plain"], files["small"]), ((files["hw"], bound),)))
    assert [it.message for it in found] == ["unknown role `smal`"]


def test_hardware_that_no_file_has_a_role_for_is_an_error(files: dict[str, str]) -> None:
    """`plain` has the role main alone, `small` another one: the machine serves that one."""
    bound = (files["hw"], f"main={files['other']}")
    (column,) = variants(Grid((files["plain"], files["small"]), (bound,))).variants
    assert [variant.graph.servers[0].profile for variant in column] == ["other", "hw"]
    assert [it.code for it in refused(Grid((files["plain"],), (bound,)))] == ["unused-hardware"]


def test_several_machines_are_not_the_roles_of_one(files: dict[str, str]) -> None:
    """As `run` takes them, `--hw small=x` would go with the one before; here it stands alone."""
    grid = Grid((files["plain"],), ((files["hw"],), (f"small={files['other']}",)))
    told = {it.code: it.hint for it in refused(grid)}
    assert "--hw NAME,ROLE=NAME" in told["unbound-role"]
    twice = refused(Grid((files["plain"],), ((files["hw"], files["other"]),)))
    assert "a --hw for each" in twice[0].hint


def test_errors_of_all_files_come_together_each_once(
    files: dict[str, str], tmp_path: Path
) -> None:  # fmt: skip
    bad = str(write(tmp_path, "bad.yaml", {"steps": [{"call": "main", "inptu": 1}]}))
    gone = str(tmp_path / "gone.yaml")
    grid = Grid((bad, files["loop"], gone), ((files["hw"],), (files["other"],)))
    found = refused(grid)
    assert len(found) == len(set(found))
    assert {it.code for it in found} >= {"unknown-key", "file-missing"}


def test_what_is_wrong_in_some_variations_says_in_which(files: dict[str, str]) -> None:
    found = refused(Grid((files["loop"],), ((files["hw"],),), (("rounds", (2, -1, -2, 0.5)),)))
    assert found
    assert all("(with rounds=" in it.message for it in found)


def test_a_run_that_cannot_go_on_names_its_row(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentsim.experiment import job

    def stuck(*_: object) -> list[object]:
        raise EngineFault("a waits for b")

    monkeypatch.setattr(job, "run_chunk", stuck)
    with pytest.raises(EngineFault, match="plain: a waits for b"):
        compare(Grid((files["plain"],), ((files["hw"],),)), Options())


def test_a_run_that_cannot_go_on_names_its_place_with_all_params(tmp_path: Path) -> None:
    """Without `--set w` the file has no time to loop within, so no place could be found in it."""
    text = """agentsim: 1
params: {n: 1, w: ~}
tools: {quick: {time: 0, fails: 100%}}
steps:
  - loop: {within: $(w)}
    do: [{each: $(n), do: [{tool: quick}]}]
"""
    file, hw = tmp_path / "endless.yaml", str(write(tmp_path, "hw.yaml", HUNDRED))
    file.write_text(text, "utf-8")
    grid = Grid((str(file),), ((hw,),), (("n", (1, 2)),), (("w", "10d"),))
    with pytest.raises(EngineFault, match=r"^n=1: loop: its rounds take no time") as caught:
        compare(grid, Options(runs=1))
    place = caught.value.place
    assert place is not None
    assert (Path(place.file).name, place.line, place.column) == ("endless.yaml", 5, 5)


def test_a_variant_keeps_what_it_was_loaded_from(files: dict[str, str]) -> None:
    """All params that its file has, and the bindings of the roles that it asks for."""
    machine = (f"main={files['hw']}", f"small={files['other']}")
    grid = Grid((files["loop"], files["small"]), (machine,), (("rounds", (1,)),), (("size", 7),))
    (column,) = variants(grid).variants
    assert [own.source.hardware for own in column] == [machine[:1], machine[1:]]
    assert [own.source.sets for own in column] == [(("size", 7), ("rounds", 1)), (("size", 7),)]


def test_a_machine_with_too_small_a_context_is_left_out(tmp_path: Path) -> None:
    """It says so, and the others are compared; where none holds it, it is refused as ever."""
    long = str(
        write(tmp_path, "long.yaml", {"steps": [{"call": "main", "input": "10k", "output": 5}]})
    )
    big = str(write(tmp_path, "big.yaml", {"decode": {"rate": "9 tok/s"}, "context": "20k"}))
    little = str(write(tmp_path, "little.yaml", {"decode": {"rate": "99 tok/s"}, "context": "4k"}))
    found = variants(Grid((long,), ((little,), (big,))))
    assert found.machines == ((big,),)
    assert [len(column) for column in found.variants] == [1]
    ((machine, why),) = found.left_out
    assert machine == (little,)
    assert "needs a context" in why
    with pytest.raises(Problems, match="context-too-small"):
        variants(Grid((long,), ((little,),)))


def test_another_fault_is_not_left_out(tmp_path: Path) -> None:
    """A file that is wrong on all machines is refused, whatever a context holds."""
    wrong = str(write(tmp_path, "wrong.yaml", {"steps": [{"tool": "nothing-such", "x": 1}]}))
    big = str(write(tmp_path, "big.yaml", {"decode": {"rate": "9 tok/s"}}))
    with pytest.raises(Problems, match="unknown"):
        variants(Grid((wrong,), ((big,),)))
