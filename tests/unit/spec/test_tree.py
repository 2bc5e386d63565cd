"""Places of values and keys, by line and column."""

from __future__ import annotations

import pytest
import yaml

from agentsim.errors import Place
from agentsim.spec import reader
from agentsim.spec.reader import read
from agentsim.spec.tree import Path, Tree

TEXT = """\
name: x
agents:
  coder: {turns: {p50: 22, "p90": [60, 'b']}}
  😀ü: {é: 1, z: 2}
steps:
  - agent: coder
    task: |
      long
      text
  -
    each: [a, {b: c}]
table: {1: 17ms, 2.5: 40ms}
quoted: "two
  lines"
again: &again
  - k: v
use: *again
"""


@pytest.fixture(params=["C", "Python"])
def tree(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Tree:
    if request.param == "C":
        pytest.importorskip("yaml._yaml")
    loader = yaml.SafeLoader if request.param == "Python" else yaml.CSafeLoader
    monkeypatch.setattr(reader, "_Loader", loader)
    return read(TEXT, "f")


# Line and column counted in the text above, from 1; columns are letters, not bytes.
@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ((), (1, 1), (1, 1)),
        (("name",), (1, 7), (1, 1)),
        (("agents",), (3, 3), (2, 1)),
        (("agents", "coder"), (3, 10), (3, 3)),
        (("agents", "coder", "turns"), (3, 18), (3, 11)),
        (("agents", "coder", "turns", "p50"), (3, 24), (3, 19)),
        (("agents", "coder", "turns", "p90"), (3, 35), (3, 28)),
        (("agents", "coder", "turns", "p90", 1), (3, 40), (3, 40)),
        (("agents", "😀ü", "z"), (4, 17), (4, 14)),
        (("steps",), (6, 3), (5, 1)),
        (("steps", 0), (6, 5), (6, 5)),
        (("steps", 0, "task"), (7, 11), (7, 5)),
        (("steps", 1), (11, 5), (11, 5)),
        (("steps", 1, "each", 1, "b"), (11, 19), (11, 16)),
        (("table", 1), (12, 12), (12, 9)),
        (("table", 2.5), (12, 23), (12, 18)),
        (("table", "2.5"), (12, 23), (12, 18)),
        (("quoted",), (13, 9), (13, 1)),
        # an aliased value stands at the alias, what is inside it at the anchor
        (("use",), (17, 6), (17, 1)),
        (("use", 0), (16, 5), (16, 5)),
        (("use", 0, "k"), (16, 8), (16, 5)),
        # paths that do not exist: the nearest parent
        (("nope",), (1, 1), (1, 1)),
        (("agents", "coder", "nope", 3, "x"), (3, 10), (3, 10)),
        (("steps", 9), (6, 3), (6, 3)),
        (("steps", -1), (6, 3), (6, 3)),
        (("steps", "0"), (6, 3), (6, 3)),
        (("name", 0), (1, 7), (1, 7)),
    ],
)
def test_places(tree: Tree, path: Path, value: tuple[int, int], key: tuple[int, int]) -> None:
    assert tree.place(path) == Place("f", *value)
    assert tree.key_place(path) == Place("f", *key)


def test_a_part_keeps_its_places(tree: Tree) -> None:
    part = tree.sub(("agents", "coder"))
    assert part.value == {"turns": {"p50": 22, "p90": [60, "b"]}}
    assert part.place() == Place("f", 3, 10)
    assert part.key_place(("turns",)) == Place("f", 3, 11)
    assert part.lines == tree.lines
    with pytest.raises(KeyError):
        tree.sub(("agents", "nope"))
    with pytest.raises(IndexError):
        tree.sub(("steps", 7))


def test_lines_end_where_yaml_and_editors_end_them() -> None:
    """YAML 1.2 (5.4) ends lines at CR and LF only; its library at U+0085 and U+2028 as well.

    In the third line `e` stands behind 4 + 1 + 4 + 1 letters, its value 3 further: column 14.
    """
    tree = read("a: 1\r\nb: 2\rc: 3\u2028d: 4\x85e: '\x0c'".replace("\x0c", " "), "f")
    assert tree.lines == ["a: 1", "b: 2", "c: 3\u2028d: 4\x85e: ' '"]
    assert tree.place(("e",)) == Place("f", 3, 14)
    assert tree.key_place(("e",)) == Place("f", 3, 11)
