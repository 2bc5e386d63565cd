"""What was meant by arguments that another command takes: each refusal names that command."""

from __future__ import annotations

from types import MappingProxyType

import click

_BUDGET = "a budget stands in the workflow's file: `budget: {wall: 2h, chance: 80%}`"
_VARY = (
    "a param has one value, `--set NAME=VALUE`; several side by side: "
    "agentsim compare FILE --vary NAME=VALUES"
)
_RATES = "decode speeds side by side: agentsim sweep FILE --rates 5,100"
_ANSWERS = frozenset(("run", "sweep"))  # what `compare` gives for several workflows

# option -> what to do instead, where a command does not have it
_OPTIONS = MappingProxyType({"--budget": _BUDGET, "--vary": _VARY, "--rates": _RATES})


class Pointing(click.Command):
    """A command that says where an option, or a second workflow, would be right."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does. Raises `UsageError` with what to do instead, where that is known."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as fault:
            told = _OPTIONS.get(fault.option_name)
            if told is None:
                raise
            message = f"no option {fault.option_name} here: {told}"
            raise click.UsageError(message, ctx) from None
        except click.UsageError as fault:
            _, found, extra = fault.message.partition("unexpected extra argument")
            if not found or not any(it.name == "workflow" for it in self.params):
                raise
            names = extra.lstrip("s").strip().removeprefix("(").removesuffix(")")
            message = f"one workflow at a time, and {names} is one more"
            if self.name in _ANSWERS:
                message += "; several side by side: agentsim compare FILE FILE"
            raise click.UsageError(message, ctx) from None
