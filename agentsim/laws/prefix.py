"""What contexts share: named prompt blocks in order, then a session's history."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

Name = Hashable

State = tuple[int, ...]
"""How much of a prefix a cache holds and since when, as the cache itself notes it."""

Use = tuple[int, int, int, int, int]
"""A request told to a cache: (input tokens, start, prompt read, end, tokens answered)."""


class Prefix:
    """What a session's requests send; one object serves all its calls until its history changes.

    blocks: the named prompt blocks in order, (name, tokens); every session that starts with the
      same blocks shares them. A forked session can carry its parent's history as one more block.
    session: whose history follows the blocks.
    epoch: how often that history has been rewritten (compaction): only the blocks match across.
    total: all input tokens of the present request, blocks included; set anew for each.
    held: what a cache found for `names()` the last time: its own business.
    """

    __slots__ = ("_names", "blocks", "epoch", "held", "session", "total")

    def __init__(
        self, blocks: tuple[tuple[str, int], ...], session: Hashable, epoch: int, total: int
    ) -> None:
        self.blocks = blocks
        self.session = session
        self.epoch = epoch
        self.total = total
        self.held: tuple[object, Any] | None = None
        self._names: list[tuple[Name, int]] = []

    def names(self) -> list[tuple[Name, int]]:
        """(name, tokens up to its end) of each chain of blocks, then (name, 0) of the session.

        A block of no tokens shares nothing. A block's name is the chain that it ends, since what
        stands before it counts too.
        """
        if not self._names:
            upto, blocks = 0, self.blocks
            for i, (_, tokens) in enumerate(blocks, 1):
                upto += tokens
                if not tokens:
                    continue
                self._names.append((blocks[:i], upto))
            self._names.append(((self.session, self.epoch, blocks), 0))
        return self._names
