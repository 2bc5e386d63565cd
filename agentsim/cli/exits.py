"""What a command's exit code says."""

from __future__ import annotations

DONE = 0
MISSED = 1
"""The budget was missed, or it cannot be known, or with `--fail-on failed` a run failed. The answer
was still given."""
USAGE = 2
"""Bad usage, a bad file, or a workflow that cannot go on (a deadlock)."""
FAULT = 3
"""A fault of ours; the message names a file to paste into a bug report."""
INTERRUPTED = 130
"""Ended by Ctrl-C."""
