"""Where profiles and workflows are found by name.

A name is looked up as a path, then with its ending in this folder, then in `./hardware` (or
`./workflows`), then in the user's folder, then among those that ship. Names are taken from listings
of these folders, never pasted into a path: so no name can lead out of them, and a file is found the
same way on every file system.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from agentsim.errors import Problem, Problems
from agentsim.spec.problems import by_nearness, nearest, quoted

Kind = Literal["hardware", "workflows"]

SUFFIXES = (".yaml", ".yml")
_WORDS = {"hardware": "hardware profile", "workflows": "workflow"}


def find(kind: Kind, name: str) -> Path:
    """The file that `name` stands for; raises `Problems` with what there is and what is nearest."""
    if _is_path(name):
        return _file(kind, name)
    # a file of one's own goes first: to answer of another one of that name would be a silent error
    if name and (own := _files(Path(), name)):
        return own[0]
    found = entries(kind)
    if name in found:
        return found[name]
    known = ", ".join(found) or "none"  # in one order, whatever was asked for
    near = nearest(name, found)
    what = f"no {_WORDS[kind]} {quoted(name)}"
    hint = f"did you mean {quoted(near)}?" if near else "one of these, or the path of a file"
    if os.path.exists(name) and not os.path.isfile(name):
        what = f"{quoted(name)} {lacking(Path(name))}"
        hint = "give the path of a file, or one of these names"
    raise Problems([Problem("unknown-name", f"{what}; there are: {known}", hint=hint)])


def names(kind: Kind) -> tuple[str, ...]:
    """All names that `find` knows, in alphabetical order."""
    return tuple(entries(kind))


def entries(kind: Kind) -> dict[str, Path]:
    """Name -> file, in alphabetical order; of a name in several folders the first counts."""
    found: dict[str, Path] = {}
    for folder in folders(kind):
        for file in _files(folder):
            found.setdefault(file.stem, file)
    return dict(sorted(found.items()))


def folders(kind: Kind) -> tuple[Path, ...]:
    """The folders that are searched, in order. They need not exist."""
    return Path(kind), _config() / "agentsim" / kind, bundled(kind)


def bundled(kind: Kind) -> Path:
    """What ships: inside the installed package, or beside it in a checkout of the sources.

    The folders stand at the top of the repository and are copied into the wheel, so an editable
    install has them only there.
    """
    package = Path(__file__).resolve().parents[1]
    inside, beside = package / kind, package.parent / kind
    is_checkout = (package.parent / "pyproject.toml").is_file()
    return beside if is_checkout and not inside.is_dir() else inside


def _config() -> Path:
    """The user's configuration folder; the base directory rules ignore a relative one."""
    given = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    if given.is_absolute():
        return given
    try:
        return Path.home() / ".config"
    except RuntimeError:  # an account without a home folder
        return Path(os.devnull)


def lacking(path: Path) -> str:
    """Why there is no file to read at `path`, which is none."""
    try:
        if path.is_dir():
            return "is a folder, not a file"
        return "is no regular file" if path.exists() else "is not there"
    except (OSError, ValueError):  # far too long, or with a zero byte
        return "is not a path"


def _files(folder: Path, name: str = "") -> list[Path]:
    """Files of YAML in a folder, in order; only those of that name where one is given."""
    try:
        found = [
            path for path in folder.iterdir() if path.suffix in SUFFIXES and name in {"", path.stem}
        ]
    except OSError:  # absent, not a folder, or not readable: nothing can be found there
        return []
    return sorted(path for path in found if not path.name.startswith(".") and path.is_file())


def _is_path(name: str) -> bool:
    return "/" in name or os.sep in name or name.endswith(SUFFIXES)


def _file(kind: Kind, name: str) -> Path:
    """`name` as a path; `cerebras.yaml` for a profile that ships under the name `cerebras` too."""
    path = Path(name).expanduser() if name.startswith("~/") else Path(name)
    if os.path.isfile(path):  # False, too, of what is no path at all
        return path
    what = lacking(path)
    stem = path.name.removesuffix(".yaml").removesuffix(".yml")
    known = entries(kind)
    hint = f"{quoted(stem)}, without the ending, is a {_WORDS[kind]}"
    if stem not in known:
        init = f"agentsim init{' --hw' if kind == 'hardware' else ''}"
        near = by_nearness(stem, known)[:1]
        hint = f"a path from this folder, or a name such as {quoted(near[0])}" if near else ""
        hint += f"{'; ' if hint else ''}`{init}` writes a file to start with"
    raise Problems([Problem("file-missing", f"the file {quoted(name)} {what}", hint=hint)])
