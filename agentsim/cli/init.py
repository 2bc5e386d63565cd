"""`agentsim init`: a first workflow file or hardware profile, to be changed line by line."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agentsim.cli.output import error, put, write_whole
from agentsim.errors import Problem, Problems

if TYPE_CHECKING:
    from agentsim.spec.catalogue import Kind
    from agentsim.spec.schema import Format

FIRST = """\
# How long does one feature take, with a review by fresh eyes and then by you?
#   agentsim run {file} --hw claude-opus    the answer
#   agentsim sweep {file}                   the same at 5 to 15,000 tok/s
#   agentsim validate {file} --full         all that is taken for granted here
agentsim: 1
name: One feature, reviewed, then me
tools: {{shell: {{like: shell, timeout: 10m}}}}  # when a harness stops a command of the agents
steps:
  - agent: coder                  # a preset: turns, tokens and tools as measured
  - loop: 4                       # at most so many rounds of review, each but the last with a fix
    do: [{{agent: reviewer, reads: changes, approves: [10%, 30%, 60%]}}]  # chance by round
    between: [{{agent: coder, session: coder, turns: 8, writes: {{p50: 12 loc, p90: 60 loc}}}}]
  - {{person: you, reads: changes}}  # reads what was written; try `teammate`
budget: {{wall: 90m, chance: 80%}}  # exit code 1 if fewer than 80 % of the runs make it
"""

# The figures are those of hardware/m2-ultra.yaml, rounded: its table of streams, its two slopes.
PROFILE = """\
# A machine of your own. The figures are a Mac Studio M2 Ultra's with gpt-oss-120b: put in yours.
agentsim: 1
name: My box
decode:                        # tok/s of all streams together, by how many there are
  total: {{1: 88 tok/s, 2: 119 tok/s, 4: 154 tok/s, 8: 176 tok/s}}
  per_context_token: 166ns     # how much longer a step takes for each token of context
prefill: {{rate: 1700 tok/s, per_context_token: 24ns}}   # reading a new prompt
latency: 0                     # before it reads: nothing, no network and no queue
slots: 8                       # calls at once; others wait
kv: 512k                       # tokens of context in memory at once, of all calls
cache: {{kind: ttl, ttl: 24h}}   # it keeps the prompts that it has read
context: 131072                # tokens; a session is compacted at 80 % of it
"""

MODELINE = "# yaml-language-server: $schema={schema}\n"
OURS = '"$comment": "Made by `agentsim schema'
_MODELINE = re.compile(r"# yaml-language-server: \$schema=\S*(?:workflow|hardware)\.schema\.json\n")

EPILOG = """\b
Examples:
  agentsim init
  agentsim init mine.yaml
  agentsim init mine.yaml --from first
  agentsim init --hw mybox.yaml
"""


@click.command("init", epilog=EPILOG)
@click.argument("name", required=False)
@click.option("--hw", "profile", is_flag=True, help="A hardware profile instead (mybox.yaml).")
@click.option("--from", "template", metavar="NAME", help="Begin with one that ships.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def init(name: str | None, profile: bool, template: str | None, force: bool) -> None:
    """Write a workflow of ten lines, with comments, to the file NAME (first.yaml).

    Beside it goes its schema (workflow.schema.json), by which an editor checks it as you type.
    """
    usual = "mybox" if profile else "first"
    stem = Path(template).stem if template else usual
    file = _file(stem if name is None else name)
    if _is_there(file) and not force:
        hint = "give another name, or --force to write over it"
        raise Problems([Problem("file-exists", f"{file!r} is there already", hint=hint)])
    typed = shlex.quote(f"./{file}" if file.startswith("-") else file)
    first = PROFILE if profile else FIRST
    kind: Kind = "hardware" if profile else "workflows"
    which: Format = "hardware" if profile else "workflow"
    head = MODELINE.format(schema=f"{which}.schema.json")
    text = _shipped(kind, template) if template else head + first.format(file=typed)
    schema = _write(file, text, which)
    put(f"{file}\n")
    if schema:
        error(f"also written: {schema}, by which an editor checks the file")
    run = f"first --hw {typed}" if profile else f"{typed} --hw claude-opus"
    error(f"now try: agentsim run {run}")


def _write(file: str, text: str, which: Format) -> str:
    """The file, and beside it the schema that its first line names: its path, if it is written.

    A schema that is there already is written again only if it is one of ours.
    """
    if not _MODELINE.match(text):
        write_whole(file, text)
        return ""
    beside = f"{which}.schema.json"
    schema = os.path.join(os.path.dirname(file), beside)
    write_whole(file, _MODELINE.sub(lambda _: MODELINE.format(schema=beside), text, count=1))
    if not _is_there(schema) or _is_ours(schema):
        from agentsim.spec.schema import text as schema_text

        write_whole(schema, schema_text(which))
        return schema
    return ""


def _is_ours(schema: str) -> bool:
    try:
        return OURS in Path(schema).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _file(name: str) -> str:
    """The file of a name; `Problems` where it is none that a shell and a comment can hold."""
    last = os.path.basename(name)
    if not name.isprintable() or not last.strip(" .") or last in {".yaml", ".yml"}:
        hint = "such as first.yaml"
        raise Problems([Problem("bad-value", f"{name!r} is no name of a file", hint=hint)])
    folder = os.path.realpath(os.path.dirname(name) or ".")
    if folder == "/dev" or folder.startswith("/dev/"):
        hint = "a workflow or profile is a file in a folder of yours, such as first.yaml"
        raise Problems([Problem("cannot-write", f"{name!r} is among the devices", hint=hint)])
    return name if Path(name).suffix in {".yaml", ".yml"} else f"{name}.yaml"


def _is_there(file: str) -> bool:
    try:
        return Path(file).exists()
    except (OSError, ValueError) as fault:  # far too long, for one
        why = fault.strerror if isinstance(fault, OSError) else str(fault)
        hint = "name another file, or another folder"
        problem = Problem("cannot-write", f"cannot write {file!r}: {why}", None, hint)
        raise Problems([problem]) from None


def _shipped(kind: Kind, name: str) -> str:
    from agentsim.spec import catalogue

    path = catalogue.find(kind, name)
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        message, hint = f"cannot read {str(path)!r}: {fault}", "may you read it? is it text?"
        raise Problems([Problem("file-unreadable", message, None, hint)]) from None
