"""How long a person reads."""

from __future__ import annotations

from dataclasses import dataclass

from agentsim.laws.checks import finite

WORDS_PER_TOKEN = 0.75
"""English words in a token of prose: the common rule of four tokens to three words (docs/facts.md).
At 238 words a minute it makes 5.3 tokens a second."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A fixed part and amount / rate (docs/model.md, "People").

    fixed: seconds. prose: words per second. code: lines per second. skim: words per second of what
    is only skimmed. A rate of None: this person has none; an amount to read with it is an error.
    """

    fixed: float = 0.0
    prose: float | None = None
    code: float | None = None
    skim: float | None = None

    def __post_init__(self) -> None:
        finite(self.fixed, "the fixed time of reading")
        for rate in (self.prose, self.code, self.skim):
            if rate is not None:
                finite(rate, "a reading rate", above_zero=True)

    def seconds(self, lines: float = 0.0, words: float = 0.0, skimmed: float = 0.0) -> float:
        """Seconds to read `lines` of code, `words` of prose and `skimmed` words.

        ValueError where there is something to read and no rate for it.
        """
        seconds = self.fixed
        for amount, rate, what in (
            (lines, self.code, "code"),
            (words, self.prose, "prose"),
            (skimmed, self.skim, "skim"),
        ):
            if amount:
                if rate is None:
                    raise ValueError(f"no rate is given for reading {what}")
                seconds += amount / rate
        return seconds

    def read_by(self, elapsed: float, lines: float = 0.0, words: float = 0.0) -> float:
        """The share of `lines` and `words` that is read after `elapsed` seconds of reading them.

        The fixed part comes first. ValueError where there is something to read and no rate for it.
        """
        whole = self.seconds(lines, words)
        if elapsed >= whole:
            return 1.0
        return max(0.0, elapsed - self.fixed) / (whole - self.fixed) if whole > self.fixed else 0.0
