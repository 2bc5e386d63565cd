"""`agentsim hw`: the hardware profiles that there are, what each does, and how to make one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentsim.cli import options
from agentsim.cli.fit import fit
from agentsim.cli.inputs import keep
from agentsim.cli.output import Output

if TYPE_CHECKING:
    from agentsim.graph import ServerPlan

LIST_EPILOG = """\b
Examples:
  agentsim hw list
  agentsim hw list -f csv -o profiles.csv
"""
SHOW_EPILOG = """\b
Examples:
  agentsim hw show cerebras
  agentsim hw show ./my-box.yaml --json
"""


class Profiles(click.Group):
    """Its commands; a name that is none of them is told with those that are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name not in self.commands and not name.startswith("-"):
            ctx.fail(f"there is no command 'hw {name}'; there are: {', '.join(self.commands)}")
        return super().resolve_command(ctx, args)


@click.group("hw", cls=Profiles)
def hw() -> None:
    """Hardware profiles: what serves the models.

    A profile is a file in ./hardware, in your own folder or among those that ship.
    """


hw.add_command(fit)


@hw.command("list", epilog=LIST_EPILOG)
@options.output()
def list_(output: Output) -> None:
    """All profiles by name: speed at 0 and 32k of context, fit for agents, source."""
    from agentsim.errors import Problem, Problems
    from agentsim.report import hardware
    from agentsim.spec.catalogue import entries
    from agentsim.spec.hardware import load_profile

    plans: list[ServerPlan] = []
    broken: list[str] = []
    wrong: list[Problem] = []
    files = entries("hardware")
    keep(output.path, files.values())
    for name in files:
        try:
            plans.append(load_profile(name).plan)
        except Problems as fault:
            broken.append(f"{name} is left out: {fault.problems[0]}")
            wrong += fault.problems
    if not plans:
        raise Problems(
            wrong
            or [
                Problem(
                    "file-missing",
                    "there is no hardware profile at all",
                    None,
                    "`agentsim init --hw box.yaml` writes one",
                )
            ]
        )
    output.show(
        document=lambda: hardware.listing(plans, output.room()),
        data=lambda: hardware.list_data(plans),
        table=lambda: hardware.list_csv(plans),
    )
    if broken:
        from agentsim.cli.output import error

        error("\n".join(f"warning: {text}" for text in broken))


@hw.command("show", epilog=SHOW_EPILOG)
@click.argument("name")
@options.output()
def show(output: Output, name: str) -> None:
    """One profile: its laws, what they come to, its source, and what it leaves out.

    NAME is a name of `agentsim hw list`, or a file.
    """
    from agentsim.report import hardware
    from agentsim.spec.hardware import load_profile

    plan = load_profile(name).plan
    output.show(
        document=lambda: hardware.shown(plan, output.room()),
        data=lambda: hardware.show_data(plan),
        table=lambda: hardware.show_csv(plan),
    )
