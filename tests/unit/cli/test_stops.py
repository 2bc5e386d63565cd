"""What ends a command from outside: its exit code is 128 + the signal's number, as in a shell."""

from __future__ import annotations

import os
import runpy
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest

from agentsim.cli import app, exits, main, stops
from tests.unit.cli.made import stand_in, typed

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
unix = pytest.mark.skipif(os.name == "nt", reason="Windows ends processes without signals")

# A command whose two workers say when they begin, and would then go on for ten minutes. What they
# import (spawn imports the script again) can take its time, too.
SCRIPT = """
import os
import sys
import time
from agentsim.experiment.executors import executor_for

class Long:
    def run(self):
        os.write(1, b"working\\n")  # at once: two write here
        time.sleep(600)

def answer(*_):
    with executor_for(2) as executor:
        list(executor.map([Long(), Long()]))

if __name__ == "__main__":
    import agentsim.experiment
    from agentsim.cli import main
    agentsim.experiment.answer = answer
    sys.exit(main(["run", "first"]))
elif sys.argv[1] == "importing":
    os.write(1, b"importing\\n")
    time.sleep(0.5)
"""


def ended(
    folder: Path, root: Path, when: str, send: Callable[[int, int], None], number: int
) -> tuple[int, str]:
    """Exit code and stderr of the script, stopped as soon as both workers are that far.

    Workers and the resource tracker hold the pipes open: this returns when none of them is left,
    and fails otherwise.
    """
    script = folder / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    # under `nohup` the tests themselves ignore it, and what they start would too
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    process = subprocess.Popen(
        [sys.executable, str(script), when],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    signal.signal(signal.SIGHUP, before)
    try:
        assert process.stdout is not None
        assert [process.stdout.readline().strip() for _ in range(2)] == [when, when]
        send(process.pid, number)
        _, err = process.communicate(timeout=60)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return process.returncode, err


@unix
@pytest.mark.parametrize("when", ["importing", "working"])
@pytest.mark.parametrize(
    ("send", "name", "code", "said"),
    [
        ("kill", "SIGTERM", 143, "terminated\n"),
        ("kill", "SIGHUP", 129, "hung up\n"),
        ("killpg", "SIGHUP", 129, "hung up\n"),  # a terminal tells all of its processes
        ("killpg", "SIGINT", 130, "interrupted\n"),
    ],
)
def test_a_stop_leaves_nothing_behind(
    tmp_path: Path, root: Path, when: str, send: str, name: str, code: int, said: str
) -> None:
    got = ended(tmp_path, root, when, getattr(os, send), getattr(signal, name))
    assert got == (code, said)


@unix
def test_workers_end_when_their_parent_is_killed(tmp_path: Path, root: Path) -> None:
    code, _ = ended(tmp_path, root, "working", os.kill, signal.SIGKILL)
    assert code == -signal.SIGKILL


def in_a_class_body(stop: BaseException) -> BaseException:
    """What comes out of a class body in which a name is set: Python 3.11 wraps it."""

    class Named:
        def __set_name__(self, owner: type, name: str) -> NoReturn:
            raise stop

    try:
        type("Imported", (), {"name": Named()})
    except BaseException as fault:
        return fault
    raise AssertionError


def wrapped(stop: BaseException, hide: bool) -> BaseException:
    """A stop under two others, as cause or as mere context."""
    try:
        try:
            raise stop
        except BaseException as inner:
            raise RuntimeError("Error calling __set_name__") from (None if hide else inner)
    except RuntimeError as outer:
        fault = ImportError("outer")
        fault.__cause__ = outer
        return fault


FAULTS = [
    KeyboardInterrupt(),
    in_a_class_body(KeyboardInterrupt()),
    wrapped(KeyboardInterrupt(), hide=True),
    wrapped(stops.Stopped(signal.SIGINT), hide=False),
]


@pytest.mark.parametrize("fault", FAULTS, ids=["plain", "class body", "context", "cause"])
def test_an_interrupt_is_found_however_deep(
    capsys: Capture, monkeypatch: Patch, fault: BaseException
) -> None:
    def stop(*_: Any) -> NoReturn:
        raise fault

    stand_in(monkeypatch, stop)
    assert typed(capsys, "run", "x") == (exits.INTERRUPTED, "", "interrupted\n")
    monkeypatch.setattr(app, "start", stop)  # before click is asked
    assert typed(capsys, "run", "x") == (exits.INTERRUPTED, "", "interrupted\n")


def test_what_is_no_stop_goes_on(monkeypatch: Patch) -> None:
    def fail(_: Any) -> NoReturn:
        raise RuntimeError("no stop")

    monkeypatch.setattr(app, "start", fail)
    with pytest.raises(RuntimeError, match="no stop"):
        main(["run", "x"])


@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
def test_an_interrupt_before_the_command_line_is_there(capsys: Capture, monkeypatch: Patch) -> None:
    class Interrupted(ModuleType):
        def __getattr__(self, name: str) -> NoReturn:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "agentsim.cli", Interrupted("agentsim.cli"))
    with pytest.raises(SystemExit) as end:
        runpy.run_module("agentsim", run_name="__main__")
    assert end.value.code == exits.INTERRUPTED
    assert capsys.readouterr().err == "interrupted\n"


@unix
def test_what_is_ignored_stays_ignored_and_handlers_are_put_back() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as `nohup` does
    try:
        terminate = signal.getsignal(signal.SIGTERM)
        with stops.heeded():
            signal.raise_signal(signal.SIGHUP)
            with pytest.raises(stops.Stopped):
                signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is terminate
    finally:
        signal.signal(signal.SIGHUP, before)


SWALLOWED = """
import signal, sys, time, weakref
from agentsim.cli import stops
try:
    with stops.heeded():
        try:
            if sys.argv[1] == "in a callback":  # as in the import machinery, which cannot raise
                one = type("One", (), {})()
                watch = weakref.ref(one, lambda _: signal.raise_signal(signal.SIGTERM))
                del one
            else:
                signal.raise_signal(signal.SIGTERM)
        except BaseException as fault:
            kept = fault if sys.argv[1] == "kept" else None
            stops.PATIENCE = 1
        time.sleep(600)
except stops.Stopped as fault:
    sys.exit(stops.tell(fault))
"""


@unix
@pytest.mark.parametrize(
    ("fate", "said"),
    [("lost", "terminated\n"), ("in a callback", "terminated\n"), ("kept", "")],
)
def test_a_swallowed_stop_ends_the_process_all_the_same(root: Path, fate: str, said: str) -> None:
    """One that is lost is raised again; one that is kept could be cleaning up, but not for ever."""
    done = subprocess.run(
        [sys.executable, "-c", SWALLOWED, fate],
        cwd=root, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (143, said)


@unix
def test_a_stop_that_was_told_is_not_raised_again(capsys: Capture) -> None:
    """The handler looks every 0.1 s whether what it raised got lost; once told it is not lost."""
    code = None
    with stops.heeded():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        except stops.Stopped as stop:
            code = stops.tell(stop)
        time.sleep(3.5 * stops.LOOK)
    assert (code, capsys.readouterr().err) == (143, "terminated\n")


@unix
@pytest.mark.parametrize(("closed", "code"), [("2>&-", 0), (">&-", 2)])
def test_a_closed_stream_is_no_fault_of_ours(tmp_path: Path, closed: str, code: int) -> None:
    """With stderr closed the answer comes all the same; with stdout closed it cannot."""
    (tmp_path / "w.yaml").write_text("agentsim: 1\nsteps: [{wait: 1s}]\n", encoding="utf-8")
    command = f"exec {shlex.quote(sys.executable)} -m agentsim run w.yaml --runs 1 --quick {closed}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert ("always 1 s" in done.stdout) == (code == 0)
    assert "fault of ours" not in done.stderr
