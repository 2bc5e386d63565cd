"""Strict YAML: scalars of 1.2, everything that is refused, every limit, any text at all."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.errors import Place, Problem, Problems
from agentsim.spec import document, reader
from agentsim.spec.explained import explanations
from agentsim.spec.reader import read, read_file


def refused(text: str) -> tuple[Problem, ...]:
    with pytest.raises(Problems) as caught:
        read(text, "f.yaml")
    return caught.value.problems


def only(text: str) -> tuple[str, int, int]:
    """Code, line and column of the one problem of `text`."""
    (problem,) = refused(text)
    assert problem.place is not None
    assert problem.place.file == "f.yaml"
    return problem.code, problem.place.line, problem.place.column


# --- scalars: the table of YAML 1.2.2, section 10.3.2, and the traps of 1.1 -------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, None) for word in ("~", "null", "Null", "NULL", "")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        *((w, w) for w in ("yes", "Yes", "no", "on", "off", "y", "n", "tRUE", "nULL")),
        *((w, w) for w in ("1:30", "09:00", "190:20:30", "2026-11-30", "2026-11-30T10:00")),
        *((w, w) for w in ("=", "1_000", "0b1", "0x", "0xZZ", "0o8", "-0x1", "1e", "e3", ".")),
        *((w, w) for w in ("90s", "85%", "12k", "400 loc/h", "-.", "+", "--1", ".e1", "+.5.")),
        ("010", 10),
        ("-010", -10),
        ("+7", 7),
        ("0", 0),
        ("0o17", 15),
        ("0xfF", 255),
        ("1e3", 1000.0),
        ("1E-3", 0.001),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5e1", -5.0),
        ('"true"', "true"),
        ("'1'", "1"),
        ("! 1", "1"),
        ("!!str 1", "1"),
        ("!!int 1", 1),
        ("!!float 1", 1.0),
        ("!!float 1.5", 1.5),
        ("!!bool true", True),
        ("!!null ~", None),
    ],
)
def test_scalar(text: str, value: object) -> None:
    found: Any = read(f"a: {text}\n", "f.yaml").value
    assert found == {"a": value}
    assert type(found["a"]) is type(value)


def test_collections_may_carry_their_own_tag() -> None:
    assert read("!!map {a: !!seq [1]}", "f").value == {"a": [1]}


@pytest.mark.parametrize("text", [".inf", "-.INF", "+.Inf", ".nan", ".NaN", "1e999", "-1e999"])
def test_numbers_that_are_not_finite_are_refused(text: str) -> None:
    assert only(f"a: {text}") == ("bad-number", 1, 4)


def test_whole_numbers_fit_a_float() -> None:
    largest = "1" + "0" * 308  # a float ends at 1.797e308
    assert read(largest, "f").value == 10**308
    assert only(largest + "0") == ("bad-number", 1, 1)
    assert only("9" * 400) == ("bad-number", 1, 1)
    assert only("9" * 401) == ("too-long", 1, 1)
    assert only("0." + "9" * 399) == ("too-long", 1, 1)
    assert only("0x" + "f" * 399) == ("too-long", 1, 1)


# --- keys ------------------------------------------------------------------------------------


def test_numbers_stay_keys() -> None:
    value = read("{1: a, 2.5: b, '1': c, no: d, 0o17: e}", "f").value
    assert value == {1: "a", 2.5: "b", "1": "c", "no": "d", 15: "e"}


def test_all_duplicate_keys_are_named_with_both_places() -> None:
    problems = refused("a: 1\nb: {c: 1, d: 2, c: 3}\na: 2\na: 3\n")
    assert [(p.code, p.place) for p in problems] == [
        ("duplicate-key", Place("f.yaml", 2, 17)),
        ("duplicate-key", Place("f.yaml", 3, 1)),
        ("duplicate-key", Place("f.yaml", 4, 1)),
    ]
    assert problems[0].message == "the key `c` stands twice: first in line 2, column 5"
    assert problems[2].message.endswith("first in line 1, column 1")


@pytest.mark.parametrize("text", ["1: a\n1.0: b", "10: a\n010: b", "a: 1\n'a': 2", "1: a\n0x1: b"])
def test_keys_of_one_value_are_duplicates(text: str) -> None:
    assert only(text) == ("duplicate-key", 2, 1)


@pytest.mark.parametrize(
    "key", ["[1]", "{a: 1}", "true", "False", "~", "null", "? [1, 2]\n", "&x [1]"]
)
def test_keys_that_are_refused(key: str) -> None:
    code, line, _ = only(f"{key} : 1\n" if not key.startswith("?") else f"{key}: 1\n")
    assert (code, line) == ("bad-key", 1)


def test_a_bad_number_as_key_is_said_once() -> None:
    assert only("{.nan: 1}") == ("bad-number", 1, 2)


def test_merge_keys_are_refused_and_quoted_ones_are_text() -> None:
    assert only("a: &x {b: 1}\nc:\n  <<: *x\n  d: 2") == ("merge-key", 3, 3)
    assert read("'<<': 1", "f").value == {"<<": 1}


# --- aliases ---------------------------------------------------------------------------------


def test_aliases_are_written_out_and_nothing_is_shared() -> None:
    value: Any = read("a: &x {b: [1]}\nc: *x\nd: [*x, *x]", "f").value
    assert value == {"a": {"b": [1]}, "c": {"b": [1]}, "d": [{"b": [1]}, {"b": [1]}]}
    value["c"]["b"].append(2)
    assert value["a"] == {"b": [1]}
    assert value["d"] == [{"b": [1]}, {"b": [1]}]


def test_an_anchor_may_be_set_again() -> None:
    assert read("[&x 1, *x, &x 2, *x]", "f").value == [1, 1, 2, 2]


def test_an_alias_may_be_a_key() -> None:
    assert read("{&k a: 1, b: {*k : 2}}", "f").value == {"a": 1, "b": {"a": 2}}


def test_aliases_to_nothing_and_to_themselves() -> None:
    assert only("a: *nope") == ("unknown-alias", 1, 4)
    assert only("a: &x [1, *x]") == ("recursive-alias", 1, 11)
    assert only("a: &x {b: {c: *x}}") == ("recursive-alias", 1, 15)
    codes = [problem.code for problem in refused("[*a, &b [*b], .inf, !t 1, {c: 1, c: 2}]")]
    assert codes == [
        "unknown-alias",
        "recursive-alias",
        "bad-number",
        "custom-tag",
        "duplicate-key",
    ]


# --- limits ----------------------------------------------------------------------------------


def test_limit_of_aliases() -> None:
    most = document.MAX_ALIASES
    assert most == 1000
    assert read("a: &x 1\nb: [" + "*x," * most + "]", "f").value == {"a": 1, "b": [1] * most}
    assert only("a: &x 1\nb: [" + "*x," * (most + 1) + "]")[0] == "too-many-aliases"


@pytest.mark.parametrize(
    ("opening", "closing"), [("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", "")]
)
def test_limit_of_depth(opening: str, closing: str) -> None:
    most = document.MAX_DEPTH
    assert most == 60
    if opening != "? ":  # nested keys are no keys, at any depth
        read(opening * most + "1" + closing * most, "f")
    assert only(opening * (most + 1) + "1" + closing * (most + 1))[0] == "too-deep"
    assert only(opening * 200_000)[0] == "too-deep"


def test_depth_counts_through_aliases() -> None:
    half = "[" * 30 + "1" + "]" * 30
    assert read(f"a: &x {half}\nb: {'[' * 29}*x{']' * 29}", "f").value  # 1 + 29 + 30
    assert only(f"a: &x {half}\nb: {'[' * 30}*x{']' * 30}") == ("too-deep", 2, 34)


def test_limit_of_values_written_out() -> None:
    ten = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    laughs = ten + "".join(f"a{i + 1}: &a{i + 1} [{f'*a{i}, ' * 10}]\n" for i in range(60))
    # 10**5 ones and their lists stand below a4; a5 would hold 10**6
    assert only(laughs)[:2] == ("too-many-values", 6)
    assert only("[" + "1," * 200_000 + "]")[0] == "too-many-values"


def test_limit_of_text_written_out() -> None:
    text = "x" * 60_000  # 140 of them are more than 8 MiB
    assert only(f"a: &a {text}\nb: [{'*a, ' * 150}]")[:2] == ("too-many-values", 2)


def test_limit_of_one_text() -> None:
    assert read("x" * 65_536, "f").value == "x" * 65_536
    assert only("- " + "x" * 65_537) == ("too-long", 1, 3)


def test_limit_of_size() -> None:
    assert read("#" * (1024 * 1024), "f").value is None
    assert only("#" * (1024 * 1024 + 1)) == ("file-too-large", 1, 1)
    assert only("#" + "é" * (512 * 1024)) == ("file-too-large", 1, 1)  # two bytes each


def test_problems_are_not_collected_without_end() -> None:
    assert len(refused("a: 1\n" * 5000)) == document.MAX_PROBLEMS


# --- characters and syntax -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("\ufeffa: 1", ("bad-encoding", 1, 1)),
        ("a: 1\nb: \ufeff", ("bad-encoding", 2, 4)),
        ("a: 1\n\nb: \0", ("bad-character", 3, 4)),
        ("a: \x1b[31m", ("bad-character", 1, 4)),
        ("a: \x7f", ("bad-character", 1, 4)),
        ("é: \ud800", ("bad-character", 1, 4)),
        ("a\r\nb\rc\x07", ("bad-character", 3, 2)),
        ("a:\n\tb: 1", ("yaml-syntax", 2, 1)),
        ("a: 1\n---\nb: 2", ("several-documents", 2, 1)),
        ("--- a\n--- b", ("several-documents", 2, 1)),
        ("a: !foo 1", ("custom-tag", 1, 4)),
        ("!!python/object/apply:os.system ['ls']", ("custom-tag", 1, 1)),
        ("- !!python/name:os.system", ("custom-tag", 1, 3)),
        ("!!set {a}", ("custom-tag", 1, 1)),
        ("!!timestamp 2026-01-01", ("custom-tag", 1, 1)),
        ("!!binary aGk=", ("custom-tag", 1, 1)),
        ("!!int x", ("custom-tag", 1, 1)),
        ("!!int '1'", ("custom-tag", 1, 1)),
        ("!!int true", ("custom-tag", 1, 1)),
        ("a: 'b", ("yaml-syntax", 1, 6)),
        ("a: [1, 2", ("yaml-syntax", 2, 1)),
        ("a: b: c", ("yaml-syntax", 1, 5)),
        ("a: @b", ("yaml-syntax", 1, 4)),
        ("%YAML 3.0\n--- a", ("yaml-syntax", 1, 1)),
    ],
)
def test_what_is_refused(text: str, wanted: tuple[str, int, int]) -> None:
    assert only(text) == wanted


@pytest.mark.parametrize(
    "text", ["{wait: ${item}}", "- tool: x\n- {wait: ${3 * item}m}", "a: [${item}]"]
)
def test_an_unquoted_brace_expression_in_braces_is_explained(text: str) -> None:
    (problem,) = refused(text)
    assert problem.code == "yaml-syntax"
    assert problem.hint == 'inside braces or brackets write $(name), or quote it: "${name}"'


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a:\n\tb: 1", "not tabs"),
        ("a: b: c", "in quotes"),
        ("a: `b", "in quotes"),
        ("a: [1, 2", "not closed"),
        ("a: 'b", "not closed"),
        ("a: 1\n b: 2", "quotes"),
        ("a:\n  - b\n c: 1", "same column"),
    ],
)
def test_hints(text: str, hint: str) -> None:
    (problem,) = refused(text)
    assert hint in problem.hint


def test_syntax_fault_comes_with_what_was_found_before() -> None:
    assert [p.code for p in refused("{a: 1, a: 2, b: .inf, c: [}")] == [
        "duplicate-key",
        "bad-number",
        "yaml-syntax",
    ]


def test_expressions_read_as_text() -> None:
    assert read("a: $(loops)\nb: ${45 * slow}m\nc: {d: $(item.x), e: '${x}'}", "f").value == {
        "a": "$(loops)",
        "b": "${45 * slow}m",
        "c": {"d": "$(item.x)", "e": "${x}"},
    }


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n", "---\n", "---\n...\n", "~"])
def test_nothing(text: str) -> None:
    tree = read(text, "f")
    assert tree.value is None
    assert tree.place().line >= 1


# --- files -----------------------------------------------------------------------------------


def file_problem(path: str | os.PathLike[str]) -> Problem:
    with pytest.raises(Problems) as caught:
        read_file(path)
    (problem,) = caught.value.problems
    return problem


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("é: [1]\r\nb: 2\r\n".encode())
    tree = read_file(path)
    assert tree.value == {"é": [1], "b": 2}
    assert tree.place(("é", 0)) == Place(str(path), 1, 5)


@pytest.mark.parametrize(
    ("data", "code", "line", "column"),
    [
        (b"a: 1\nb: \xe9\n", "bad-encoding", 2, 4),
        (b"\xff\xfea\0:\0 \x001\0", "bad-encoding", 1, 1),  # UTF-16
        (b"\xef\xbb\xbfa: 1", "bad-encoding", 1, 1),
        (b"\x7fELF\x02\x01\x01\0\0", "bad-character", 1, 1),
        (b"a: \xc3", "bad-encoding", 1, 4),
        (b"#" * (1024 * 1024 + 1), "file-too-large", 1, 1),
    ],
)
def test_files_that_are_no_text(
    tmp_path: Path, data: bytes, code: str, line: int, column: int
) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(data)
    problem = file_problem(path)
    assert (problem.code, problem.place) == (code, Place(str(path), line, column))


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert file_problem(tmp_path / "none.yaml").code == "file-missing"
    assert file_problem(tmp_path).code == "file-unreadable"
    assert file_problem(tmp_path).place == Place(str(tmp_path), 1, 1)
    assert file_problem(os.devnull).code == "file-unreadable"
    assert file_problem("a\0b").code == "file-unreadable"
    assert file_problem("x" * 5000).code == "file-unreadable"
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert file_problem(loop).code == "file-unreadable"
    (tmp_path / "file").write_text("a: 1")
    assert file_problem(tmp_path / "file" / "b").code == "file-unreadable"
    os.mkfifo(tmp_path / "pipe")  # nobody writes into it: opening it would wait for ever
    assert file_problem(tmp_path / "pipe").code == "file-unreadable"

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    problem = file_problem(tmp_path / "file")
    assert problem.code == "file-unreadable"
    assert problem.message.endswith("Permission denied")


# --- any text --------------------------------------------------------------------------------

# fmt: off
PIECES = st.sampled_from([
    "a", "b: ", "- ", "? ", ": ", "[", "]", "{", "}", ",", "\n", "  ", "\t", "&x ", "*x ", "!t ",
    "!!int ", '"', "'", "|\n", ">", "#", "%", "---\n", "...\n", "<<", "${", "$(", ")", "~",
    "\\", "1", ".inf", "0x", "\r", "\x85", "\u2028", "\ufeff", "\0", "é", "@", "`", "\ud800",
])
# fmt: on
TEXTS = st.text(max_size=60) | st.lists(PIECES, max_size=40).map("".join)


@pytest.mark.parametrize("loader", ["C", "Python"])
@settings(max_examples=600)
@given(text=TEXTS)
def test_any_text_is_read_or_refused(loader: str, text: str) -> None:
    loaders = {"C": getattr(yaml, "CSafeLoader", yaml.SafeLoader), "Python": yaml.SafeLoader}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_Loader", loaders[loader])
        problems: tuple[Problem, ...] = ()
        try:
            tree = read(text, "f")
        except Problems as fault:
            problems = fault.problems
        else:
            assert_places(tree.value, tree, ())
    for problem in problems:
        assert problem.code in explanations()
        assert problem.place is not None
        assert min(problem.place.line, problem.place.column) >= 1


def assert_places(value: Any, tree: Any, path: tuple[Any, ...]) -> None:
    """Every place lies in the text, and a key's place at a key."""
    place = tree.place(path)
    assert 1 <= place.line <= len(tree.lines) + 1
    if isinstance(value, dict):
        for key, part in value.items():
            place, key_place = tree.place((*path, key)), tree.key_place((*path, key))
            assert (place.line, place.column) >= (key_place.line, key_place.column)
            assert_places(part, tree, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            assert_places(part, tree, (*path, index))


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(["yes", "010", "1e3", "0o17", "1:30", "~", "2026-01-01", "<<", "=", "1_0"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | st.integers(-99, 99), inner, max_size=4)
    ),
    max_leaves=12,
)


def agrees(value: Any) -> bool:
    """Whether what PyYAML leaves unquoted means the same in YAML 1.1 and 1.2.

    The dumper quotes what 1.1 would take for something else; `1e3` and `0o17` are text in 1.1
    only, so they come out unquoted.
    """
    if isinstance(value, dict):
        return all(agrees(key) and agrees(part) for key, part in value.items())
    if isinstance(value, list):
        return all(map(agrees, value))
    if not isinstance(value, str):
        return True
    return yaml.safe_load(yaml.safe_dump(value)) == value and not looks_like_a_number(value)


def looks_like_a_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return text.startswith("0o")


@settings(max_examples=300)
@given(value=PLAIN.filter(agrees), flow=st.booleans())
def test_what_is_dumped_reads_back(value: Any, flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, sort_keys=False)
    tree = read(text, "f")
    assert tree.value == value
    assert_places(tree.value, tree, ())
