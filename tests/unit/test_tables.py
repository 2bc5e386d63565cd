"""Every table holds a row for each of what it is a table of: a missing row is a silent gap."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import agentsim
from agentsim.analysis import behind, limits, notices
from agentsim.engine.steps import RUNNERS
from agentsim.experiment.compare import MEASURES
from agentsim.graph import nodes
from agentsim.laws.caches import CACHES
from agentsim.laws.quotas import QUOTAS
from agentsim.records import PEOPLE, WAITS, Part
from agentsim.report import beside, blocks, compared, comparing, markdown, terminal, words
from agentsim.spec.steps import KINDS

ENGINE = Path(agentsim.__file__).parent / "engine"


def test_every_node_has_a_runner() -> None:
    own = [kind for kind in vars(nodes).values() if isinstance(kind, type)]
    made = {kind for kind in own if issubclass(kind, nodes.Node) and kind is not nodes.Node}
    assert len(made) >= 7
    assert set(RUNNERS) == made


def test_every_part_has_words_in_the_order_of_the_answer() -> None:
    labels = [part.label for part in Part]
    assert list(words._PARTS) == labels
    assert list(words.KINDS) == labels
    named = [words.part(label, "it") for label in labels]
    assert len({words.part(label) for label in labels}) == len(labels)
    assert all("it" in text and "{}" not in text for text in named)


def test_every_part_has_a_sentence() -> None:
    assert set(limits.SENTENCES) | PEOPLE == set(Part)
    assert not set(limits.SENTENCES) & PEOPLE


def test_what_people_and_waits_are_called_is_from_the_table_of_parts() -> None:
    assert {part.label for part in WAITS} == words.WAITING
    assert {part.label for part in PEOPLE} == words.OF_PEOPLE
    assert {Part(part) for part in behind.SCARCE} <= WAITS


def test_every_part_has_a_hint_on_what_would_help() -> None:
    assert set(notices._LEVERS) == set(Part)
    assert all(notices._LEVERS.values())


def test_what_is_compared_has_its_columns() -> None:
    assert tuple(MEASURES) == compared.MEASURED
    assert set(comparing.QUALITIES) <= set(MEASURES)
    assert {what for what, *_ in beside._ADDED} <= set(MEASURES)


def test_every_block_is_drawn_in_every_form() -> None:
    made = set(get_args(blocks.Block))
    assert len(made) >= 7
    assert set(terminal._DRAWERS) == set(markdown._DRAWERS) == made


def test_every_tone_has_a_style() -> None:
    assert set(terminal.STYLES) == set(get_args(blocks.Tone))


def test_everything_that_the_engine_notes_has_a_sentence() -> None:
    codes = set()
    for file in ENGINE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            name = getattr(node, "func", None)
            if "note" in (getattr(name, "attr", ""), getattr(name, "id", "")):
                assert isinstance(node, ast.Call)
                (code, *_) = node.args
                if file.name == "ahead.py":
                    continue  # hands on what it was told
                assert isinstance(code, ast.Constant), f"{file.name}: a code not written out"
                codes.add(code.value)
    assert codes
    assert codes == set(notices.HAPPENED)


def test_tables_of_kinds_are_not_empty() -> None:
    assert {"none", "ttl"} <= set(CACHES)
    assert {"bucket", "window", "session_window"} == set(QUOTAS)
    steps = {"call", "agent", "tool", "person", "wait", "parallel", "each", "loop", "do"}
    assert steps <= set(KINDS)
