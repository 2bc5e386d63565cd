"""`include: file.yaml`: the steps of another file are put in their place, with their own places.

What the other file defines joins what this one defines. Its params are filled in with those that
the step gives, before its steps are taken over; so nothing of it depends on names of this file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path as File
from typing import Any

from agentsim.errors import Place, Problem, Problems
from agentsim.spec.blame import chosen
from agentsim.spec.catalogue import lacking
from agentsim.spec.definitions import MODELS
from agentsim.spec.expressions import uses
from agentsim.spec.idle import idle_params
from agentsim.spec.model import Report
from agentsim.spec.problems import nearest, quoted, unknown_name
from agentsim.spec.reader import read_file
from agentsim.spec.told import Told
from agentsim.spec.tree import Key, Path, Spot, Tree
from agentsim.spec.values import shown
from agentsim.spec.workflow import filled, mapping_of

MOST_DEEP = 8
MOST_FILES = 100
INSERTED = "do"
"""Where the steps of the other file stand once they are put in."""

TAKEN = ("steps", *MODELS)
ALLOWED = frozenset({"agentsim", "name", "note", "params", *TAKEN})


def included(
    tree: Tree, report: Report, decided: frozenset[Path] = frozenset()
) -> tuple[Tree, list[Told], frozenset[Path]]:
    """The filled tree with the steps of all files that it includes, and what these say of no use.

    What is wrong is reported. `decided`: the values that an option decides; those in the files that
    it reaches into by a param join them.
    """
    maker = _Maker(tree, report, chosen=set(decided))
    return maker.whole(), list(maker.idle), frozenset(maker.chosen)


def files_of(tree: Tree) -> list[File]:
    """The file of a filled tree and those that it includes, as far as they can be read."""
    maker = _Maker(tree, lambda _: None)
    with contextlib.suppress(Problems):
        maker.whole()
    return [File(tree.file), *maker.read]


def mentions(value: Any) -> bool:
    """Whether something in these steps is to be included."""
    if isinstance(value, dict):
        return "include" in value or any(map(mentions, value.values()))
    return isinstance(value, list) and any(map(mentions, value))


MOST_LOOKED_AT = 2_000
"""Files of a folder among which one is looked for that may be meant."""


def _near(name: str, files: tuple[File, ...], home: File) -> str | None:
    """The file that was likely meant, as it is written from the folder of the file that names it;
    none of those that stand around the step."""
    around = {one.resolve() for one in files}
    here = files[-1].resolve().parent
    known: dict[str, str] = {}
    with contextlib.suppress(OSError, ValueError):
        for path in sorted(islice(home.rglob("*.yaml"), MOST_LOOKED_AT)):
            if path.resolve() not in around and path.is_file() and path.is_relative_to(here):
                written = path.relative_to(here).as_posix()
                known[written.removesuffix(".yaml")] = written
    meant = name.removeprefix("./").removesuffix(".yaml").removesuffix(".yml")
    near = nearest(meant, known)
    return None if near is None else known[near]


@dataclass
class _Maker:
    tree: Tree
    report: Report
    chosen: set[Path] = field(default_factory=set)
    read: list[File] = field(default_factory=list)
    idle: dict[Told, None] = field(default_factory=dict)
    sections: dict[str, dict[Any, Any]] = field(default_factory=dict)
    spots: dict[str, Spot] = field(default_factory=dict)

    def whole(self) -> Tree:
        """The tree with all steps put in, and what their files define."""
        if not mentions(self.tree.mapping.get("steps")):
            return self.tree
        value = dict(self.tree.mapping)
        for kind in MODELS:
            given = value.get(kind)
            if isinstance(given, dict):
                self.sections[kind] = dict(given)
        root = self.tree.root
        home = File(self.tree.file)
        steps, spot = self.steps(self.tree, ("steps",), (home,), ("steps",))
        value["steps"] = steps
        parts = dict(root.parts) if isinstance(root.parts, dict) else {}
        parts["steps"] = spot
        for kind, section in self.sections.items():
            value[kind] = section
            if kind in self.spots:
                parts[kind] = self.spots[kind]
        return replace(self.tree, value=value, root=root._replace(parts=parts))

    def steps(self, tree: Tree, at: Path, files: tuple[File, ...], whole: Path) -> tuple[Any, Spot]:
        """A part of a file with everything in it put in, and its places; `files`: those around.

        `whole`: where it stands in the whole tree.
        """
        value, spot = tree.sub(at).value, tree.spot(at)
        if isinstance(value, list):
            made = [self.steps(tree, (*at, i), files, (*whole, i)) for i in range(len(value))]
            return [one for one, _ in made], spot._replace(parts=[own for _, own in made])
        if not isinstance(value, dict):
            return value, spot
        found: dict[Any, Any] = {}
        parts: dict[Key, Spot] = {}
        for key in value:
            found[key], parts[key] = self.steps(tree, (*at, key), files, (*whole, key))
        if "include" in value:
            found[INSERTED], parts[INSERTED] = self._include(tree, value, at, files, whole)
        return found, spot._replace(parts=parts)

    def _include(
        self, tree: Tree, step: Mapping[Any, Any], at: Path, files: tuple[File, ...], whole: Path
    ) -> tuple[list[Any], Spot]:
        """The steps of the file that a step names; none where something is wrong."""
        place = tree.place((*at, "include"))
        nothing: tuple[list[Any], Spot] = [], Spot(0, 0)
        if INSERTED in step:
            message = "an `include` has the steps of its file, and none of its own (`do`)"
            self.report(
                Problem("bad-value", message, tree.place((*at, INSERTED)), "leave `do` out")
            )
            return nothing
        path = self._path(step["include"], files, place)
        if path is None:
            return nothing
        self.read.append(path)
        if len(self.read) > MOST_FILES:
            hint = "`each` with one `include` in its `do` runs the same file for many items"
            message = f"more than {MOST_FILES} includes"
            raise Problems([Problem("too-many-values", message, place, hint)])
        try:
            other = read_file(path)
            mapping_of(other)
            self.idle.update(dict.fromkeys(idle_params(other, self.tree.file)))
            self._choose(other, whole)
            other, _ = filled(other, self._params(tree, step, at, other), self.report)
        except Problems as fault:
            for problem in fault.problems:
                self.report(problem if problem.place else replace(problem, place=place))
            return nothing
        if not isinstance(other.mapping.get("steps"), list):
            message = f"{quoted(str(step['include']))} has no list of `steps` to include"
            hint = "such as `steps: [{tool: tests}]` in that file"
            self.report(Problem("bad-value", message, place, hint))
            return nothing
        self._join(other)
        steps, spot = self.steps(other, ("steps",), (*files, path), (*whole, INSERTED))
        return steps, spot._replace(file=other.file)

    def _choose(self, other: Tree, whole: Path) -> None:
        """What an option decides in a file, by the params that the step gives to it."""
        at = (*whole, "params")
        names = {path[len(at)] for path in self.chosen if path[: len(at)] == at and path != at}
        for path in chosen(other, [(str(name), None) for name in names]):
            if path[0] == "steps":
                self.chosen.add((*whole, INSERTED, *path[1:]))
            elif path[0] in MODELS:
                self.chosen.add(path)

    def _path(self, name: object, files: tuple[File, ...], place: Place) -> File | None:
        """The file, which lies in the folder of the first one or below."""
        if not isinstance(name, str) or uses(name) or not name.strip():
            got = shown(name) if name != "" else "an empty text"
            message = f"`include`: expected a file of this folder, such as review.yaml; got {got}"
            self.report(Problem("bad-value", message, place))
            return None
        home = files[0].resolve().parent
        try:
            path = files[-1].parent / name
            real = path.resolve()
            inside, there = real.is_relative_to(home), real.is_file()
        except (OSError, ValueError):
            inside, there, real = True, False, files[0]
        if not inside:
            message = f"`include`: {quoted(name)} lies outside the folder of the workflow"
            self.report(Problem("bad-value", message, place, "copy it into the folder"))
            return None
        if not there:
            near = _near(name, files, home)
            hint = f"did you mean {quoted(near)}?" if near else "a path from this file's folder"
            message = f"the file {quoted(name)} {lacking(path)}"
            self.report(Problem("file-missing", message, place, hint))
            return None
        around = [one.resolve() for one in files]
        if real in around or len(files) > MOST_DEEP:
            names = " includes ".join(quoted(one.name) for one in (*files, path))
            message = f"files include each other in a circle, or too deep: {names}"
            hint = f"leave one `include` out; a `loop` repeats steps; at most {MOST_DEEP} deep"
            self.report(Problem("include-circle", message, place, hint))
            return None
        return path

    def _params(
        self, tree: Tree, step: Mapping[Any, Any], at: Path, other: Tree
    ) -> tuple[tuple[str, object], ...]:
        """The params that a step gives to the file, each of which the file must have."""
        given = step.get("params")
        if given is None:
            return ()
        if not isinstance(given, dict):
            message = f"`params`: expected a mapping, such as {{rounds: 2}}; got {shown(given)}"
            self.report(Problem("bad-value", message, tree.place((*at, "params"))))
            return ()
        has = other.mapping.get("params")
        known = list(has) if isinstance(has, dict) else []
        found = []
        for name, value in given.items():
            place = tree.place((*at, "params", name))
            if name not in known:
                self.report(unknown_name(str(name), map(str, known), place, "param"))
            elif uses(value):
                message = "a param of an included file cannot depend on an item"
                hint = "give it a fixed value, or write the steps into the `each` themselves"
                self.report(Problem("bad-value", message, place, hint))
            else:
                found.append((str(name), value))
        return tuple(found)

    def _join(self, other: Tree) -> None:
        """What the file defines joins the rest; one name has one meaning."""
        for key in other.mapping:
            if key not in ALLOWED:
                message = f"{quoted(str(key))} has no meaning in a file that is included"
                hint = "it belongs into the file that is run"
                self.report(Problem("unknown-key", message, other.key_place((key,)), hint))
        for kind in MODELS:
            given = other.mapping.get(kind)
            if not isinstance(given, dict):
                continue
            section = self.sections.setdefault(kind, {})
            home = self.spots.get(kind) or self.tree.spot((kind,))
            parts = dict(home.parts) if isinstance(home.parts, dict) else {}
            keys = dict(home.keys) if home.keys is not None else {}
            for name, value in given.items():
                if name not in section:
                    section[name] = value
                    parts[name] = other.spot((kind, name))._replace(file=other.file)
                elif section[name] != value:
                    message = f"{quoted(str(name))} is defined otherwise already"
                    hint = "one name has one meaning in all files: rename one of the two"
                    if parts[name].file == other.file:
                        message = f"{quoted(str(name))} differs from one include of this file to"
                        message += " the next, and what a part defines is for the whole file"
                        hint = "no param in a definition of a file that is included twice with "
                        hint += "different `params`: give its value on the steps"
                    place = other.key_place((kind, name))
                    self.report(Problem("duplicate-key", message, place, hint))
            self.spots[kind] = home._replace(parts=parts, keys=keys)
