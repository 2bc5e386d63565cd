"""The options that commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from agentsim.cli import inputs
from agentsim.cli.app import AS_JSON
from agentsim.cli.output import FORMATS, Output

Wrapped = TypeVar("Wrapped", bound=Callable[..., Any])
Decorator = Callable[[Wrapped], Wrapped]

MOST_RUNS = 1_000_000


def setting(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[Any, ...]:
    """`name=value` as written; what the value is, is the file's business."""
    found = []
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(f"{text!r} is not of the form name=value")
        found.append((name.strip(), value))
    return tuple(found)


def _share(_: click.Context, __: click.Parameter, given: str | None) -> float | None:
    """`5%` or `0.05`."""
    if given is None:
        return None
    text = given.strip()
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0.0005 <= value <= 0.5:
        raise click.BadParameter(f"{given!r} is not a share from 0.05% to 50%, such as 5%")
    return value


def _time(_: click.Context, __: click.Parameter, given: str | None) -> float | None:
    """Seconds of `30s`."""
    if given is None:
        return None
    from agentsim import units

    try:
        seconds = units.duration(given)
    except ValueError as fault:
        raise click.BadParameter(str(fault)) from None
    if not 0.001 <= seconds <= 1e8:
        raise click.BadParameter(f"{given!r} is not a time from 1ms on, such as 30s")
    return seconds


def _between(low: int, high: int) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Whole numbers from `low` to `high`; `click.IntRange` would print both in the help."""

    def check(_: click.Context, __: click.Parameter, given: int | None) -> int | None:
        if given is not None and not low <= given <= high:
            raise click.BadParameter(f"{given} is not from {low:,} to {high:,}")
        return given

    return check


def _list(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """`5,100` and `--rates 5 --rates 100` are the same."""
    found = tuple(part.strip() for text in given for part in text.split(","))
    if not all(found):
        raise click.BadParameter("a rate is missing; write it as 100 or as role=100")
    return found


hw = click.option(
    "--hw", "hardware", multiple=True, metavar="NAME",
    help="Hardware profile (name or file); role=NAME binds one model role. Repeatable.",
)  # fmt: skip
sets = click.option(
    "--set", "sets", multiple=True, metavar="NAME=VALUE", callback=setting,
    help="Give a param of the workflow a value. Repeatable.",
)  # fmt: skip
rates = click.option(
    "--rates", multiple=True, metavar="RATE", callback=_list,
    help="Tokens per second of one stream (or role=RATE); all else stays as in the profile.",
)  # fmt: skip
runs = click.option(
    "--runs", type=int, metavar="N", callback=_between(1, MOST_RUNS),
    help="How many times to simulate. [default: 1000]",
)  # fmt: skip
precision = click.option(
    "--precision", metavar="SHARE", callback=_share,
    help="Instead of --runs: until the mean is known to, say, 5%.",
)  # fmt: skip
seed = click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", callback=_between(0, 2**63 - 1),
    help="The same seed gives the same answer, to the last digit.",
)  # fmt: skip
jobs = click.option(
    "--jobs", type=int, metavar="N", callback=_between(1, 256),
    help="Processes. The answer does not depend on it. [default: one a core from 500 runs on]",
)  # fmt: skip
no_levers = click.option("--no-levers", is_flag=True, help="Leave out what would help.")
no_sensitivity = click.option(
    "--no-sensitivity", is_flag=True, help="Leave out which assumed values matter."
)
quick = click.option("--quick", is_flag=True, help="Both: --no-levers --no-sensitivity.")
full = click.option("--full", is_flag=True, help="All warnings, each with all of its figures.")
turn_p90 = click.option(
    "--turn-p90", metavar="TIME", callback=_time,
    help="How many copies each server carries so that 9 in 10 turns end within, say, 30s.",
)  # fmt: skip
fail_on = click.option(
    "--fail-on", type=click.Choice(["failed"]),
    help="Exit code 1 also if any simulated run fails.",
)  # fmt: skip

_NAMES = ("format", "as_json", "path", "no_color")


def output(formats: tuple[str, ...] = FORMATS) -> Decorator[Any]:
    """`-f`, `--json`, `-o`, `--no-color`; hands the command one `Output` as `output`."""

    def wrap(command: Callable[..., Any]) -> Callable[..., Any]:
        """The command with these options; it is called once what they say has been checked."""

        def with_output(**given: Any) -> Any:
            chosen, as_json, path, no_color = (given.pop(name) for name in _NAMES)
            if as_json and chosen not in (None, "json"):
                raise click.UsageError(f"--json and -f {chosen} exclude each other")
            target = None if path == "-" else path
            made = Output("json" if as_json else chosen or "table", target, no_color)
            made.check()
            inputs.spare(target, given)
            return command(output=made, **given)

        with_output.__name__ = command.__name__
        with_output.__doc__ = command.__doc__
        with_output.__click_params__ = [  # type: ignore[attr-defined]
            *getattr(command, "__click_params__", []),
            *reversed(_output_options(formats)),
        ]
        return with_output

    return wrap


def _output_options(formats: tuple[str, ...]) -> list[click.Option]:
    return [
        click.Option(
            ["-f", "--format", "format"], type=click.Choice(formats), callback=_note_format,
            help="How to write the result. [default: table]",
        ),
        click.Option(["--json", "as_json"], is_flag=True, callback=_note_json, help="-f json"),
        click.Option(
            ["-o", "--output", "path"], metavar="FILE",
            help="Write the result to a file: all of it or nothing.",
        ),
        click.Option(["--no-color", "no_color"], is_flag=True, help="No colour."),
    ]  # fmt: skip


def _note_format(ctx: click.Context, _: click.Parameter, chosen: str | None) -> str | None:
    if chosen == "json":
        ctx.meta[AS_JSON] = True
    return chosen


def _note_json(ctx: click.Context, _: click.Parameter, wanted: bool) -> bool:
    if wanted:
        ctx.meta[AS_JSON] = True
    return wanted
