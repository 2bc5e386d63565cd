"""Build the wheel, install it in an empty environment, use it in another folder.

A program, not a test module: `python tests/acceptance/wheel_check.py`. An editable install finds
`hardware/` and `workflows/` beside the package and so hides a wheel that lacks them.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = {  # folder of the repository -> folder of the wheel
    "agentsim": "agentsim",
    "hardware": "agentsim/hardware",
    "workflows": "agentsim/workflows",
}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="agentsim-wheel-") as name:
        folder = Path(name)
        wheel = build(folder / "dist")
        check_contents(wheel)
        bin_folder = install(wheel, folder / "venv")
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        check_use(bin_folder, elsewhere)
    print("wheel: built, installed and used in another folder")


def build(folder: Path) -> Path:
    """The wheel, built from the source archive, so that both are known to be complete.

    Without isolation: hatchling is one of the development tools, and the editable install has
    already shown that `build-system.requires` is enough.
    """
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    return wheel


def check_contents(wheel: Path) -> None:
    """Every file of the package and of the two shipped folders is in the wheel, and no test."""
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"{target}/{path.relative_to(ROOT / source).as_posix()}"
        for source, target in SHIPPED.items()
        for path in (ROOT / source).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
    if missing := sorted(wanted - names):
        fail(f"the wheel lacks {', '.join(missing)}")
    if stray := sorted(n for n in names if not n.startswith(("agentsim/", "agentsim_planner-"))):
        fail(f"the wheel holds {', '.join(stray)}")


def install(wheel: Path, folder: Path) -> Path:
    """A new environment with the wheel and its dependencies; returns its folder of commands."""
    venv.create(folder, with_pip=True)
    bin_folder = folder / ("Scripts" if os.name == "nt" else "bin")
    quiet = ("--quiet", "--disable-pip-version-check")
    run(str(bin_folder / "python"), "-m", "pip", "install", *quiet, str(wheel))
    return bin_folder


def check_use(bin_folder: Path, folder: Path) -> None:
    """The installed command answers, by bundled names only, in a folder of its own."""
    command = str(bin_folder / "agentsim")
    origin = run(
        str(bin_folder / "python"), "-c", "import agentsim; print(agentsim.__file__)", cwd=folder
    )
    if not Path(origin.strip()).is_relative_to(bin_folder.parent):
        fail(f"agentsim was imported from {origin.strip()}, not from the new environment")

    version = wheel_version(bin_folder, folder)
    if version not in run(command, "--version", cwd=folder):
        fail(f"--version does not say {version}")
    if "cerebras" not in run(command, "hw", "list", cwd=folder):
        fail("hw list does not name cerebras")

    # Exit code 1 is a missed budget: the answer is there all the same.
    text = run(
        *(command, "run", "first", "--hw", "cerebras", "--runs", "50", "--json"),
        cwd=folder,
        codes=(0, 1),
    )
    answer = json.loads(text, parse_constant=lambda word: fail(f"the answer holds {word}"))
    mean = answer["wall"]["mean"]
    if not (isinstance(mean, float | int) and math.isfinite(mean) and mean > 0):
        fail(f"wall.mean is {mean!r}, not a time")
    print(f"wheel: `run first --hw cerebras` takes {mean:.0f} s on average")


def wheel_version(bin_folder: Path, folder: Path) -> str:
    code = "from importlib.metadata import version; print(version('agentsim-planner'))"
    return run(str(bin_folder / "python"), "-c", code, cwd=folder).strip()


def run(*command: str, cwd: Path = ROOT, codes: tuple[int, ...] = (0,)) -> str:
    """Standard output of `command`, run without this environment's Python settings."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment.pop("VIRTUAL_ENV", None)
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode not in codes:
        fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}\nended with {done.returncode}")
    return done.stdout


def fail(reason: str) -> NoReturn:
    sys.exit(f"wheel check: {reason}")


if __name__ == "__main__":
    main()
