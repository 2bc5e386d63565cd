"""The house rules that no other tool checks, each held by one small reader of the source.

Every reader is first shown a sample that breaks its rule, so that none passes by being blind.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "agentsim"
MODULES = sorted(PACKAGE.rglob("*.py"))

# The bar is 300 lines a module and 40 a function; these are the fences behind it.
MODULE_LINES = 400
FUNCTION_LINES = 60
UNDOCUMENTED_LINES = 12

CLOCKLESS = ("engine", "laws", "chance", "graph")  # rooms without wall clock and global chance
SPEAKING = ("cli", "report")  # rooms that may print
CLOCK_CALLS = {"now", "today", "utcnow", "time", "time_ns", "monotonic", "perf_counter"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def length(node: Function) -> int:
    """Lines from `def` to the end, less the docstring: words are free."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is not None:
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def long_functions(source: str) -> list[str]:
    found = [(node.name, length(node)) for node in functions(ast.parse(source))]
    return [f"{name}: {lines} lines" for name, lines in found if lines > FUNCTION_LINES]


def global_state(source: str) -> list[str]:
    """Imports of `random` and `time`, and calls that read the clock of this machine."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                roots = {alias.name.split(".")[0] for alias in names}
                found += sorted(roots & {"random", "time", "secrets"})
            case ast.ImportFrom(module=str(module), level=0):
                if module in {"random", "time", "secrets"}:
                    found.append(module)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)):
                if owner in {"datetime", "date", "time"} and name in CLOCK_CALLS:
                    found.append(f"{owner}.{name}()")
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="datetime" | "date"), attr=name)
            ):
                if name in CLOCK_CALLS:
                    found.append(f"datetime.{name}()")
    return found


def prints(source: str) -> list[int]:
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]


def undocumented(source: str) -> list[str]:
    """Public functions and methods of public classes that are long and say nothing."""

    def visit(body: list[ast.stmt], prefix: str) -> Iterator[str]:
        for node in body:
            if not isinstance(node, ast.ClassDef | Function) or node.name.startswith("_"):
                continue
            if isinstance(node, ast.ClassDef):
                yield from visit(node.body, f"{prefix}{node.name}.")
            elif length(node) > UNDOCUMENTED_LINES and not ast.get_docstring(node):
                yield prefix + node.name

    return list(visit(ast.parse(source).body, ""))


def paths_of(text: str, folders: list[str]) -> list[str]:
    """Where `text` names one of `folders` or somebody's home folder."""
    named = "|".join(re.escape(folder) + r"(?=/)" for folder in folders)
    pattern = rf"(?<![\w.$)}}\]])(?:{named}|/(?:home|Users)/\w+|/root(?=/))\S*"
    return re.findall(pattern, text)


def unnamed(text: str, modules: list[str]) -> list[str]:
    """Modules whose names do not stand in the text as code."""
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", text))))
    told = {word.rstrip("_") for word in words}
    return [name for name in modules if name not in told]


def uncompilable(source: str) -> list[str]:
    """What mypyc 2.4 takes and compiles wrongly: see docs/decisions.md.

    A wait inside an `except` spoils the memory, and a None in an assignment of several takes its
    type from what is assigned later, without the None.
    """
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ExceptHandler):
            inner = [n for stmt in node.body for n in ast.walk(stmt)]
            waits = [n for n in inner if isinstance(n, ast.Yield | ast.YieldFrom)]
            found += [f"line {n.lineno}: waits inside an except" for n in waits]
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs = zip(names, values, strict=True)
                if any(isinstance(n, ast.Name) and _is_none(value) for n, value in pairs):
                    found.append(f"line {node.lineno}: None among several")
    return found


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def report(found: dict[str, list[str]]) -> str:
    return "\n".join(f"{where}: {what}" for where, whats in found.items() for what in whats)


def over(modules: list[Path], reader: object) -> dict[str, list[str]]:
    assert callable(reader)
    found = {p.relative_to(ROOT).as_posix(): reader(p.read_text("utf-8")) for p in modules}
    return {where: [str(what) for what in whats] for where, whats in found.items() if whats}


# --- the readers see what they should ---------------------------------------------------------

BODY = "    x = 1\n"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("import random", ["random"]),
        ("import time as t", ["time"]),
        ("from random import choice", ["random"]),
        ("from datetime import datetime\ndatetime.now()", ["datetime.now()"]),
        ("import datetime\ndatetime.datetime.now(tz)", ["datetime.now()"]),
        ("from datetime import date\ndate.today()", ["date.today()"]),
        ("from datetime import datetime, time\ndatetime(2026, 1, 1)\ntime(9)", []),
        ("world.now()\nfrom .time import x", []),
    ],
)
def test_reader_of_global_state(source: str, wanted: list[str]) -> None:
    assert global_state(source) == wanted


def test_reader_of_long_functions() -> None:
    assert long_functions("def f():\n" + BODY * (FUNCTION_LINES - 1)) == []
    assert long_functions("class A:\n  def f(self):\n" + BODY * FUNCTION_LINES) == ["f: 61 lines"]
    assert long_functions('def f():\n    """A\n    B"""\n' + BODY * (FUNCTION_LINES - 1)) == []


def test_reader_of_undocumented_functions() -> None:
    long = BODY * UNDOCUMENTED_LINES
    assert undocumented(f"def f():\n{long}") == ["f"]
    assert undocumented(f"class A:\n  def f(self):\n{long}") == ["A.f"]
    assert undocumented(f"def _f():\n{long}\nclass _A:\n  def f(self):\n{long}") == []
    assert undocumented(f'def f():\n    """Why."""\n{long}') == []
    assert undocumented("def f():\n" + BODY * (UNDOCUMENTED_LINES - 1)) == []


def test_reader_of_prints() -> None:
    assert prints("x = 1\nprint(x)\nself.print(x)") == [2]


def test_reader_of_paths() -> None:
    folders = ["/srv/mine"]
    assert paths_of("see /srv/mine/x.yaml", folders) == ["/srv/mine/x.yaml"]
    assert paths_of('open("/home/ann/x")', folders) == ['/home/ann/x")']
    assert paths_of("../srv/mine/x, a/srv/mine/y, /srv/miner/z, /home/", folders) == []


def test_reader_of_what_does_not_compile() -> None:
    waits = "def f():\n    try:\n        yield 1\n    except E:\n        yield from g()\n"
    assert uncompilable(waits) == ["line 5: waits inside an except"]
    assert uncompilable("a, b = 1, None\n") == ["line 1: None among several"]
    assert uncompilable("self.a, self.b = 1, None\n") == []  # declared in the class
    assert uncompilable("try:\n    pass\nexcept E as e:\n    a: E | None = e\n") == []


# --- the house keeps them ---------------------------------------------------------------------


def test_there_is_a_house() -> None:
    assert PACKAGE / "errors.py" in MODULES


def test_modules_are_short() -> None:
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in MODULES}
    too_long = [f"{p.relative_to(ROOT)}: {n} lines" for p, n in lines.items() if n > MODULE_LINES]
    assert not too_long, "\n".join(too_long)


def test_every_module_stands_in_the_papers_of_the_house() -> None:
    """Whoever adds one says in a line what it is for. Where a file is a kind, its name does."""
    by_kind = {PACKAGE / it for it in ("laws", "laws/caches", "laws/quotas", "cli")}
    by_kind.add(PACKAGE / "importers" / "benchmarks")
    by_kind |= {PACKAGE / "spec" / "steps", PACKAGE / "engine" / "steps"}
    found = [path for path in MODULES if path.parent not in by_kind and path.stem[:2] != "__"]
    assert len(found) > 100
    assert unnamed("`spec`: `load`, `a.words.KEY`; load_not", ["load", "words", "load_not"]) == [
        "load_not"
    ]
    text = (ROOT / "docs" / "house.md").read_text("utf-8")
    missing = unnamed(text, [path.stem.rstrip("_") for path in found])
    assert not missing, f"docs/house.md does not name: {', '.join(missing)}"


def test_functions_are_short() -> None:
    found = over(MODULES, long_functions)
    assert not found, report(found)


def test_modules_say_what_they_are() -> None:
    silent = [
        path.relative_to(ROOT).as_posix()
        for path in MODULES
        if path.stat().st_size and not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert not silent, f"no docstring: {', '.join(silent)}"


def test_long_public_functions_are_documented() -> None:
    found = over(MODULES, undocumented)
    assert not found, report(found)


def test_no_wall_clock_and_no_global_chance_below_the_experiment() -> None:
    found = over([path for path in MODULES if room_of(path) in CLOCKLESS], global_state)
    assert not found, report(found)


def test_only_the_speaking_rooms_print() -> None:
    found = over([path for path in MODULES if room_of(path) not in SPEAKING], prints)
    assert not found, report(found)


def test_no_file_names_a_folder_of_this_machine() -> None:
    suffixes = {".py", ".yaml", ".yml", ".md", ".toml", ".json", ".txt", ".html"}
    folders = [PACKAGE, *(ROOT / name for name in ("tests", "docs", "hardware", "workflows"))]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in suffixes]
    files += [path for path in ROOT.iterdir() if path.suffix in suffixes]
    files += [ROOT / "Makefile", *ROOT.glob(".ci/*")]  # a source archive has no .ci
    files.remove(Path(__file__).resolve())  # its samples break the rule
    mine = [str(folder) for folder in (ROOT, ROOT.parent) if len(folder.parts) > 1]
    found = over(files, lambda text: paths_of(text, mine))
    assert not found, report(found)


def test_what_is_compiled_can_be() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]
    compiled = [path for pattern in hook["include"] for path in ROOT.glob(pattern)]
    assert PACKAGE / "engine" / "steps" / "fork.py" in compiled
    found = over(compiled, uncompilable)
    assert not found, report(found)


def test_the_two_lists_of_tools_are_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["dependency-groups"]["dev"] == project["project"]["optional-dependencies"]["dev"]
