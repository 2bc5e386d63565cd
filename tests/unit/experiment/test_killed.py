"""A worker that is killed from outside (the system does so when memory is short)."""

from __future__ import annotations

import os
import signal

import pytest

from agentsim.errors import EngineFault
from agentsim.experiment.executors import executor_for


class Killed:
    """A job during which its process is killed."""

    def run(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_it_says_that_a_process_was_killed() -> None:
    with executor_for(2) as executor, pytest.raises(EngineFault) as caught:
        list(executor.map([Killed(), Killed()]))
    assert "was killed from outside: was the memory full?" in str(caught.value)
