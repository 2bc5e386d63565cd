"""A task: the run itself, an item of an `each`, or an attempt. It owns sessions and changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentsim.chance import key_of
from agentsim.laws.prefix import Prefix
from agentsim.records import Place

if TYPE_CHECKING:
    from agentsim.engine.caps import Caps


class Session:
    """The growing context that an agent's calls share.

    `tokens` is its length (prompt included). `epoch` rises when its history is rewritten, since
    nothing after the prompt blocks matches an older prefix then.
    `busy`: a branch is in it now. `asked`: a request of it was answered or something returned to
    it, so it has a history. `caps`: on what starts in the steps of the agent whose session it is.
    `shared`: it is of an agent with steps of its own, and others put tokens into it at any time.
    `begun`: the runs of steps, (rank, place), whose task it has been given: a further try in it
    goes on where the last one stopped.
    `forked`: the prompt blocks of the session that it is a copy of; its history stands after them.
    `source`: the number of that session, else -1.
    """

    __slots__ = (
        "asked",
        "begun",
        "blocks",
        "busy",
        "caps",
        "epoch",
        "forked",
        "name",
        "number",
        "prefixes",
        "prompt",
        "shared",
        "source",
        "tokens",
    )

    def __init__(self, number: int, name: str, blocks: tuple[tuple[str, int], ...]) -> None:
        self.number = number
        self.name = name
        self.blocks = blocks
        self.prompt = self.tokens = sum(size for _, size in blocks)
        self.epoch = 0
        self.forked: tuple[tuple[str, int], ...] | None = None
        self.source = -1
        self.begun: set[tuple[int, Place]] = set()
        self.busy = self.asked = self.shared = False
        self.prefixes: dict[int, Prefix] = {}
        self.caps: Caps | None = None

    @property
    def start(self) -> int:
        """Tokens that it starts with and that no compaction takes away."""
        if self.forked is None:
            return self.prompt
        return sum(size for _, size in self.forked)

    def prefix(self, server: int) -> Prefix:
        """What a request of this session sends to that server now."""
        prefix = self.prefixes.get(server)
        if prefix is None:
            prefix = Prefix(self.blocks, self.number, self.epoch, self.tokens)
            self.prefixes[server] = prefix
        prefix.total = self.tokens
        return prefix

    def take(self, tokens: int) -> None:
        """What a tool or an agent in the steps of its agent returns."""
        self.tokens += tokens
        self.asked = True

    def begins(self, rank: int, place: Place) -> bool:
        """Whether a run of a step is new to it, and not a further try that goes on in it."""
        run = (rank, place)
        if run in self.begun:
            return False
        self.begun.add(run)
        return True

    def rewrite(self, tokens: int) -> None:
        """Compaction: a new, shorter history, of which only the prompt blocks are as before."""
        self.tokens = tokens
        self.epoch += 1
        if self.forked is not None:  # the history that it took over is rewritten too
            self.blocks, self.forked = self.forked, None
            self.prompt = sum(size for _, size in self.blocks)
        self.prefixes.clear()


class Inbox:
    """What a subagent hands back to the turn that called it. `caps`: on what it starts."""

    __slots__ = ("caps", "tokens")

    def __init__(self, caps: Caps | None) -> None:
        self.caps = caps
        self.tokens = 0

    def take(self, tokens: int) -> None:
        self.tokens += tokens


class Defect:
    """One defect in what was written. `task`: in which; `seen`: who has read its lines.

    `kind` and `sight` are its own uniform numbers (laws.quality): how it looks to all who look.
    `origin`: the one around a worktree of which this is the worktree's copy.
    """

    __slots__ = ("found", "key", "kind", "mended", "origin", "seen", "sight", "task")

    def __init__(self, key: int, kind: float, sight: float, task: Task, by: str) -> None:
        self.key = key
        self.kind = kind
        self.sight = sight
        self.task = task
        self.seen = {by}
        self.origin: Defect | None = None
        self.found = self.mended = False

    def copied(self, task: Task) -> Defect:
        """As it stands now, in a worktree: what comes of it there is not known outside."""
        copy = Defect(self.key, self.kind, self.sight, task, "")
        copy.origin, copy.seen, copy.found = self, self.seen, self.found
        return copy

    def follow(self) -> None:
        """The worktree of this copy is picked: what was found and mended there is so outside."""
        origin = self.origin
        if origin is not None:
            origin.found = origin.found or self.found
            origin.mended = origin.mended or self.mended


class Task:
    """What sessions, changes, defects and per-task draws belong to.

    `held`: a worktree. What is written and read in it concerns nobody outside, until it is taken
    over.
    """

    __slots__ = (
        "before",
        "defects",
        "held",
        "key",
        "looked",
        "made",
        "parent",
        "place",
        "seen",
        "sessions",
        "written",
    )

    def __init__(
        self, root_key: int, name: str, place: Place, parent: Task | None, held: bool = False
    ) -> None:
        self.held = held
        self.place = place
        self.parent = parent
        self.key = key_of(root_key, "task", name, *place)
        self.sessions: dict[str, Session] = {}
        self.written = 0.0
        self.seen: dict[str, float] = {}
        self.defects: list[Defect] = []
        """Of all lines that count here, those of tasks inside too."""
        self.made = 0
        """Of the outermost task: all that were put in, those of worktrees too."""
        self.looked = 0
        """Of the outermost task: how often one of them was looked at."""
        self.before: list[Defect] = []
        """Of a worktree: copies of what was there around it when it was begun."""
        if held and parent is not None:
            self.before = [defect.copied(self) for defect in parent.in_sight()]

    def find(self, name: str) -> Session | None:
        """The newest session of that name, looked up outwards."""
        task: Task | None = self
        while task is not None:
            if name in task.sessions:
                return task.sessions[name]
            task = task.parent
        return None

    def _around(self) -> Iterator[Task]:
        """The task and those around it, up to a worktree's."""
        task: Task | None = self
        while task is not None:
            yield task
            task = None if task.held else task.parent

    def write(self, lines: float, by: str) -> None:
        """Lines written here count for the tasks around it too; the writer knows them already."""
        for task in self._around():
            task.written += lines
            task.seen[by] = task.seen.get(by, 0.0) + lines

    def unread(self, reader: str) -> float:
        """Lines written in this task since this reader last looked."""
        return max(0.0, self.written - self.seen.get(reader, 0.0))

    def look(self, reader: str) -> float:
        """The reader reads all that is unread; what is read here need not be read again outside."""
        lines = self.unread(reader)
        for task in self._around():
            task.seen[reader] = task.seen.get(reader, 0.0) + lines
        return lines

    def forget(self, reader: str, lines: float) -> None:
        """A reading that was cut short: it has to be done again."""
        for task in self._around():
            task.seen[reader] = task.seen.get(reader, 0.0) - lines

    def take_over(self, other: Task) -> None:
        """A worktree is picked: its sessions stay, its lines count here and around it."""
        self.sessions.update(other.sessions)
        for task in self._around():
            task.written += other.written
            for reader, lines in other.seen.items():
                task.seen[reader] = task.seen.get(reader, 0.0) + lines
            task.defects += other.defects
        for defect in other.before:
            defect.follow()
        self.adopt(other)

    def put_in(self, defect: Defect) -> int:
        """A defect counts where the lines count that it is in; how many there were in the run."""
        for task in self._around():
            task.defects.append(defect)
        root = self._root()
        root.made += 1
        return root.made

    def looks(self, count: int) -> int:
        """So many defects are looked at; how many looks there were in the run."""
        root = self._root()
        root.looked += count
        return root.looked

    def _root(self) -> Task:
        root = self
        while root.parent is not None:
            root = root.parent
        return root

    def in_sight(self) -> list[Defect]:
        """What is not mended here and in what the tasks around wrote themselves: what other items
        of theirs write meanwhile is on branches of its own. Around a worktree it is what was there
        when that was begun."""
        found = [it for it in self.defects if not it.mended]
        task = self
        while not task.held and task.parent is not None:
            task = task.parent
            found += [it for it in task.defects if it.task is task and not it.mended]
        found += [it for it in task.before if not it.mended]
        return found

    def adopt(self, other: Task) -> None:
        """An item is over or cut short, or a worktree picked: what it wrote is this task's own."""
        for defect in other.defects:
            defect.task = self
