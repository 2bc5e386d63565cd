"""A task: the run itself, an item of an `each`, or an attempt. It owns sessions and changes."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.chance import key_of
from agentsim.laws.prefix import Prefix
from agentsim.records import Place


class Session:
    """The growing context that an agent's calls share.

    `tokens` is its length (prompt included). `epoch` rises when its history is rewritten, since
    nothing after the prompt blocks matches an older prefix then.
    `busy`: a branch is in it now. `asked`: a request of it was answered, so it has a history.
    `forked`: the prompt blocks of the session that it is a copy of; its history stands after them.
    """

    __slots__ = (
        "asked",
        "blocks",
        "busy",
        "epoch",
        "forked",
        "name",
        "number",
        "prefixes",
        "prompt",
        "tokens",
    )

    def __init__(self, number: int, name: str, blocks: tuple[tuple[str, int], ...]) -> None:
        self.number = number
        self.name = name
        self.blocks = blocks
        self.prompt = self.tokens = sum(size for _, size in blocks)
        self.epoch = 0
        self.forked: tuple[tuple[str, int], ...] | None = None
        self.busy = self.asked = False
        self.prefixes: dict[int, Prefix] = {}

    def prefix(self, server: int) -> Prefix:
        """What a request of this session sends to that server now."""
        prefix = self.prefixes.get(server)
        if prefix is None:
            prefix = Prefix(self.blocks, self.number, self.epoch, self.tokens)
            self.prefixes[server] = prefix
        prefix.total = self.tokens
        return prefix

    def rewrite(self, tokens: int) -> None:
        """Compaction: a new, shorter history, of which only the prompt blocks are as before."""
        self.tokens = tokens
        self.epoch += 1
        if self.forked is not None:  # the history that it took over is rewritten too
            self.blocks, self.forked = self.forked, None
            self.prompt = sum(size for _, size in self.blocks)
        self.prefixes.clear()


class Inbox:
    """What a subagent hands back to the turn that called it."""

    __slots__ = ("tokens",)

    def __init__(self) -> None:
        self.tokens = 0


class Task:
    """What sessions, changes and per-task draws belong to.

    `held`: a worktree. What is written and read in it concerns nobody outside, until it is taken
    over.
    """

    __slots__ = ("held", "key", "parent", "place", "seen", "sessions", "written")

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
