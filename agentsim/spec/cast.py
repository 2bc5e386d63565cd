"""Who takes part: a name is looked up in the file, then among the presets, and filled in.

Whatever a step takes from a preset or a default is noted as assumed: which value, from where,
and the span that a sensitivity check may try.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentsim.errors import Place, Problem
from agentsim.graph import Assumed
from agentsim.spec import values
from agentsim.spec.definitions import LATER, MODELS, ONE
from agentsim.spec.flow import flow
from agentsim.spec.model import At, Model, Report, Where, check, names_of
from agentsim.spec.presets import Why, names, preset
from agentsim.spec.problems import quoted, unknown_name
from agentsim.spec.quantity import QuantityFaults
from agentsim.spec.tree import Path, Tree
from agentsim.spec.values import shown

ONE_OF = {kind: one.partition(" ")[2] for kind, one in ONE.items()}
"""As in `ONE`, without the article."""

OWN = ("pools", "queues")
"""Of these there are no presets."""

PARTED = ("reads", "caps")
"""Fields of which a definition changes part by part what it takes by `like`."""

DEFAULT = "not given"


@dataclass(frozen=True, slots=True)
class Defined:
    """One definition with everything put together.

    `why`: the fields that a preset gave. `spots`: for each field the tree in which it was written,
    and the path of the definition there.
    """

    kind: str
    name: str
    raw: dict[str, Any]
    model: Model
    why: Mapping[str, Why]
    place: Place | None
    spots: Mapping[str, tuple[Tree, Path]]

    def has(self, key: str) -> bool:
        """Whether the file or a preset gives this field."""
        return key in self.raw

    def place_of(self, key: str, *path: str | int) -> Place | None:
        """Where a field, or a part of it, was written: here or in what this is like."""
        tree, base = self.spots.get(key, (None, ()))
        return self.place if tree is None else tree.place((*base, key, *path))

    def key_place_of(self, key: str, name: str) -> Place | None:
        """Where a name within a field was written."""
        tree, base = self.spots.get(key, (None, ()))
        return self.place if tree is None else tree.key_place((*base, key, name))


@dataclass
class _Raw:
    """A definition before it is checked: its fields, and where each was written."""

    fields: dict[str, Any] = field(default_factory=dict)
    spots: dict[str, tuple[Tree, Path]] = field(default_factory=dict)
    why: dict[str, Why] = field(default_factory=dict)


class _Spots:
    """The places of a merged definition: each field where it was written, the rest at `home`."""

    def __init__(self, spots: Mapping[str, tuple[Tree, Path]], home: Where) -> None:
        self._spots, self._home = spots, home

    def place(self, path: Path) -> Place | None:
        if path and str(path[0]) in self._spots:
            tree, base = self._spots[str(path[0])]
            return tree.place((*base, *path))
        return self._home.place(path)

    def key_place(self, path: Path) -> Place | None:
        if path and str(path[0]) in self._spots:
            tree, base = self._spots[str(path[0])]
            return tree.key_place((*base, *path))
        return self._home.key_place(path)


class Cast:
    """All definitions of a workflow. `assumed` grows as steps take what the file did not give."""

    def __init__(self, tree: Tree, patch: Mapping[str, object], report: Report) -> None:
        self.assumed: dict[str, Assumed] = {}
        self.file: dict[str, dict[Any, Any]] = {}
        self._tree, self._patch, self._report = tree, patch, report
        self._known: dict[tuple[str, str], Defined | None] = {}
        self._patched: set[str] = set()
        self._turned: dict[str, list[str]] = {}
        self.used: set[tuple[str, str]] = set()
        """(kind, name) of what steps name, and of all that these use or are like."""
        for kind in MODELS:
            self.file[kind] = self._section(kind, tree.mapping.get(kind))

    def _section(self, kind: str, given: Any) -> dict[Any, Any]:
        if given is None:
            return {}
        if not isinstance(given, dict):
            message = f"{quoted(kind)}: expected a mapping of names to {ONE_OF[kind]} definitions"
            place = self._tree.place((kind,))
            hint = f"such as `{kind}: {{name: ...}}`; its fields: {_fields(kind)}"
            self._report(Problem("bad-value", f"{message}; got {shown(given)}", place, hint))
            return {}
        for name in given:
            try:
                values.name(name)
            except QuantityFaults as fault:
                place = self._tree.key_place((kind, name))
                for _, problem in fault.faults:
                    self._report(Problem(problem.code, problem.message, place, problem.hint))
        return given

    def check_all(self) -> None:
        """Check what the file defines, used or not."""
        for kind in self.file:
            for name in self.names(kind):
                self.find(kind, name)

    def names(self, kind: str) -> list[str]:
        """What the file defines of a kind, in order."""
        return [name for name in self.file[kind] if isinstance(name, str)]

    def knows(self, kind: str, name: str) -> bool:
        """Whether the file or a preset has it."""
        return name in self.file[kind] or (kind not in OWN and preset(kind, name) is not None)

    def named(self, kind: str, name: str, place: Place | None) -> Defined | None:
        """The definition, or None with its problem reported at `place`."""
        if self.knows(kind, name):
            self.use(kind, name)
            return self.find(kind, name)
        known = [*map(str, self.file[kind]), *(names(kind) if kind not in OWN else ())]
        self._report(unknown_name(name, known, place, ONE_OF[kind]))
        return None

    def use(self, kind: str, name: str) -> None:
        """A step uses a definition, and with it what that is like."""
        while (kind, name) not in self.used:
            self.used.add((kind, name))
            own = self.file[kind].get(name)
            like = own.get("like") if isinstance(own, dict) else None
            if not isinstance(like, str):
                return
            name = like

    def find(self, kind: str, name: str) -> Defined | None:
        """The definition of a name that is known; None if it is wrong (and that is reported)."""
        key = (kind, name)
        if key not in self._known:
            self._known[key] = None  # while it is put together: a circle of `like` ends here
            self._known[key] = self._put_together(kind, name)
        return self._known[key]

    def _put_together(self, kind: str, name: str) -> Defined | None:
        raw = self._merged(kind, name, ())
        if raw is None:
            return None
        self._patch_in(kind, name, raw)
        own = name in self.file[kind]
        home = At(self._tree, (kind, name)) if own else At(self._preset_tree(kind), (name, "is"))
        where = _Spots(raw.spots, home)
        model = check(MODELS[kind], raw.fields, where, self._report, ONE[kind], LATER[kind])
        if model is None:
            return None
        place = self._tree.key_place((kind, name)) if own else None
        return Defined(kind, name, raw.fields, model, raw.why, place, raw.spots)

    def _preset_tree(self, kind: str) -> Tree:
        found = preset(kind, names(kind)[0])
        assert found is not None
        return found.tree

    def _merged(self, kind: str, name: str, seen: tuple[str, ...]) -> _Raw | None:
        """The fields of a definition over those of what it is `like`."""
        own = self.file[kind].get(name)
        if own is None and name not in self.file[kind]:
            return self._from_preset(kind, name)
        if not isinstance(own, dict):
            message = f"expected {ONE[kind]} as a mapping; got {shown(own)}"
            place = self._tree.place((kind, name))
            hint = f"its fields: {_fields(kind)}"
            self._report(Problem("bad-value", f"{quoted(name)}: {message}", place, hint))
            return None
        base = _Raw()
        if "like" in own and kind not in OWN:
            found = self._liked(kind, name, own["like"], seen)
            if found is None:
                return None
            base = found
        for key, value in own.items():
            if key != "like":
                self._lay_over(base, str(key), key, value, (kind, name))
        return base

    def _lay_over(self, base: _Raw, key: str, written: Any, value: Any, at: Path) -> None:
        """One field of the file over what a preset gave; some are changed part by part."""
        under = base.fields.get(key)
        if key in PARTED and isinstance(under, dict) and isinstance(value, dict):
            if (why := base.why.get(key)) is not None:
                base.why.update({f"{key}/{part}": why for part in under})
            for part in value:
                base.why.pop(f"{key}/{part}", None)
            value = {**under, **value}
        base.fields[written] = value
        base.spots[key] = (self._tree, at)
        base.why.pop(key, None)

    def _liked(self, kind: str, name: str, like: Any, seen: tuple[str, ...]) -> _Raw | None:
        place = self._tree.place((kind, name, "like"))
        other = like if isinstance(like, str) else ""
        if other in (name, *seen) and (other != name or preset(kind, name) is None):
            message = f"{quoted(name)} is like itself, by way of {quoted(other)}"
            hint = "one of them must say its fields itself, or be like a preset"
            self._report(Problem("bad-value", message, place, hint))
            return None
        if other == name:
            return self._from_preset(kind, name)
        if not self.knows(kind, other):
            known = [*(str(one) for one in self.file[kind] if one != name), *names(kind)]
            self._report(unknown_name(like, known, place, ONE_OF[kind]))
            return None
        return self._merged(kind, other, (*seen, name))

    def _from_preset(self, kind: str, name: str) -> _Raw:
        found = preset(kind, name)
        assert found is not None
        later = LATER[kind]  # what a preset knows and nothing can use yet
        fields = {key: value for key, value in found.fields.items() if key not in later}
        raw = _Raw(copy.deepcopy(fields))
        for key in fields:
            raw.spots[key] = (found.tree, (name, "is"))
            raw.why[key] = found.why.get(key, Why(f"preset {name}"))
        return raw

    def _patch_in(self, kind: str, name: str, raw: _Raw) -> None:
        for key, value in self._patch.items():
            parts = key.split("/")
            if parts[:2] != [kind, name] or len(parts) < 3:
                continue
            self._patched.add(key)
            inner: Any = raw.fields
            for part in parts[2:-1]:
                inner = inner.setdefault(part, {})
            inner[parts[-1]] = value

    def found(self, kind: str) -> list[Defined]:
        """What was looked up of a kind: all of the file, and the presets that steps use."""
        return [one for (of, _), one in self._known.items() if of == kind and one is not None]

    def size(self, name: str) -> tuple[float, float]:
        """The factors of a size of work: (turns, lines). They are assumed."""
        found = preset("sizes", name)
        assert found is not None
        factors = []
        for key, what in (("turns", "turns"), ("lines", "lines written")):
            path = f"sizes/{name}/{key}"
            value = self._patch.get(path, found.fields[key])
            self._patched.add(path)
            why = found.why[key]
            self._note(path, f"size {name}: factor of {what}", value, why.source, why.low, why.high)
            factors.append(float(value))  # type: ignore[arg-type]
        return factors[0], factors[1]

    def take(self, defined: Defined, *keys: str) -> None:
        """A step takes these fields of a definition: those of a preset are assumed."""
        for key in keys:
            why = defined.why.get(key)
            if why is not None:
                path = f"{defined.kind}/{defined.name}/{key}"
                what = f"{defined.name}: {WORDS.get(key, key)}"
                self._note(path, what, defined.raw[key], why.source, why.low, why.high)

    def default(self, defined: Defined, key: str, value: object, why: str = DEFAULT) -> None:
        """A step takes a value for a field that neither the file nor a preset gives."""
        path = f"{defined.kind}/{defined.name}/{key}"
        self._note(path, f"{defined.name}: {WORDS.get(key, key)}", value, why, None, None)

    def _note(
        self, key: str, what: str, value: object, source: str, low: object, high: object
    ) -> None:
        if key not in self.assumed:
            text = value if isinstance(value, str) else flow(value)
            self.assumed[key] = Assumed(what, text, source, key, low, high)

    def turned(self, agent: str, who: str) -> None:
        """`who`, a step or a definition, has turns of its own and the lines of `agent`'s preset."""
        of_agent = self._turned.setdefault(agent, [])
        if who not in of_agent:
            of_agent.append(who)

    def noted(self) -> tuple[Assumed, ...]:
        """All that is assumed, with what else is to be known of it."""
        told = dict(self.assumed)
        for agent, users in self._turned.items():
            key = f"agents/{agent}/writes"
            if key in told:
                some = users if len(users) < 4 else [*users[:2], f"{len(users) - 2} more"]
                note = (
                    f"`turns` does not scale the lines written: {', '.join(some)} still "
                    f"{'writes' if len(users) == 1 else 'write'} {told[key].value}; "
                    "`writes` changes that"
                )
                told[key] = replace(told[key], note=note)
        return tuple(told.values())

    def unpatched(self) -> list[str]:
        """Keys of the patch that no used definition has."""
        return [key for key in self._patch if key not in self._patched]


def _fields(kind: str) -> str:
    return ", ".join(key for key in names_of(MODELS[kind]) if key not in ("like", "note"))


WORDS = {
    "count": "how many",
    "hours": "working hours",
    "pickup": "time to notice",
    "switch": "time to switch",
    "reads": "reading speed",
    "decides": "time to decide",
    "types": "how fast they write",
    "turns": "turns",
    "thinking": "thinking tokens of a turn",
    "output": "visible tokens of a turn",
    "prompt": "tokens that it starts with",
    "tools": "tools by share",
    "tools_per_turn": "tool runs of a turn",
    "writes": "lines written",
    "tokens_per_line": "tokens of a line",
    "time": "time of a run",
    "returns": "tokens returned",
    "fails": "share that fails",
    "timeout": "timeout",
    "retry": "further tries",
    "uses": "units of pools",
    "compact": "compaction",
    "caps": "what may run at once",
    "caps/agents": "agents at once",
    "caps/tools": "tools at once",
    "caps/spawns": "agents in a run",
    "turn_time": "its own time in a turn",
    "subagent_prompt": "tokens that subagents start with",
    "asks": "who is asked before tool runs",
}
