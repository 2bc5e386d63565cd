"""The table of commands, and what happens when one of them cannot do its work."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import click

from agentsim.cli import exits

# name -> (module, attribute, what `--help` says): help is shown without importing any of them
COMMANDS = MappingProxyType(
    {
        "run": ("agentsim.cli.run", "run", "How long a workflow takes, what bound it, what helps."),
        "sweep": ("agentsim.cli.sweep", "sweep", "One workflow at several decode speeds."),
        "compare": ("agentsim.cli.compare", "compare", "Workflows and machines side by side."),
        "validate": ("agentsim.cli.validate", "validate", "Check a workflow without running it."),
        "explain": ("agentsim.cli.explain", "explain", "What the code of a problem means."),
        "graph": ("agentsim.cli.graph", "graph", "Draw a workflow: in words, or for Mermaid."),
        "schema": ("agentsim.cli.schema", "schema", "The file formats, for editors and readers."),
        "hw": ("agentsim.cli.hw", "hw", "Hardware profiles: list them, show or fit one."),
        "init": ("agentsim.cli.init", "init", "Write a first workflow to change."),
    }
)
LATER = frozenset(("backtest", "import", "plan", "report", "watch"))

EPILOG = """\b
First steps:
  agentsim init first.yaml                  write a workflow of ten lines
  agentsim run first.yaml --hw claude-opus  the answer for one machine
  agentsim sweep first.yaml                 5 to 15,000 tok/s

\b
Completion of commands and options in the shell:
  bash  eval "$(_AGENTSIM_COMPLETE=bash_source agentsim)"   in ~/.bashrc
  zsh   eval "$(_AGENTSIM_COMPLETE=zsh_source agentsim)"    in ~/.zshrc
  fish  _AGENTSIM_COMPLETE=fish_source agentsim | source    in config.fish

\b
Exit codes: 0 done, 1 budget missed, 2 bad usage or file, 3 a fault of ours,
            130 interrupted (Ctrl-C), 143 terminated, 129 hung up.
Results go to stdout, progress and warnings to stderr. NO_COLOR is heeded.
"""


class Commands(click.Group):
    """A group whose commands are imported when they are called, not when they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name in LATER:
            ctx.fail(f"not yet: the command {name!r} comes with a later version")
        if name not in COMMANDS and not name.startswith("-"):
            ctx.fail(f"there is no command {name!r}{_nearest(name)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, row[2]) for name, row in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """The command; whatever stops it is told in its own way, with its own exit code."""
        try:
            return super().invoke(ctx)
        except click.UsageError as fault:
            raise _wrapped(fault) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BaseException as fault:
            from agentsim.cli import faults  # only now: a command that ends well needs no excerpts

            if (code := faults.tell(fault, as_json=ctx.meta.get(AS_JSON, False))) is None:
                raise
            raise click.exceptions.Exit(code) from None


AS_JSON = "agentsim.as_json"
"""In `Context.meta`: problems are written to stdout as JSON too."""


def _wrapped(fault: click.UsageError) -> click.UsageError:
    """The same in lines of the terminal's width; as it is where nobody reads it in one."""
    from agentsim.cli.output import told_in

    width = told_in()
    if width is None:
        return fault
    from agentsim.report.telling import wrapped

    lead = "Error: "  # what click writes before it
    told = wrapped(lead + fault.format_message(), width).removeprefix(lead)
    return click.UsageError(told, fault.ctx)


def _nearest(name: str) -> str:
    """What was meant; never a command that would be refused itself."""
    import difflib

    close = difflib.get_close_matches(name, [*COMMANDS, *LATER], n=1)
    if close and close[0] in LATER:
        return f"; the nearest, {close[0]!r}, comes with a later version"
    return f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(COMMANDS)}"


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from agentsim import __version__

        click.echo(f"agentsim {__version__}")
        ctx.exit()


@click.group(
    cls=Commands,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "-V", "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
    help="Show the version and exit.",
)  # fmt: skip
def cli() -> None:
    """How long do agent workflows take, what bound them, and what would help?

    A workflow file says what agents, tools and people do; a hardware profile says what serves the
    models. The answer is a time with its spread, the reason for it, and what to change.
    """


def start(arguments: Sequence[str]) -> int:
    """Runs the command of `arguments`; returns its exit code."""
    try:
        cli.main(list(arguments), prog_name="agentsim")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else exits.DONE
    except OSError as fault:  # what click writes itself: help, and what is wrong with arguments
        from agentsim.cli import faults
        from agentsim.cli.output import unwritten

        return faults.tell(unwritten(fault)) or exits.USAGE
    return exits.DONE
