"""Expressions: what is filled in, what waits, what is refused; nothing runs away."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.errors import Place, Problem, Problems
from agentsim.spec.explained import explanations
from agentsim.spec.expressions import Waiting, fill, uses
from agentsim.spec.reader import read
from agentsim.spec.templates import is_name
from agentsim.spec.tree import Spot, Tree
from tests.unit.spec.conftest import Refused

NAMES: dict[str, Any] = {
    "loops": 4,
    "slow": 0.1,
    "name": "coder",
    "fast": True,
    "nothing": None,
    "items": [1, {"a": 2}],
    "item": {"lines": 200, "keys": 3, "deep": {"x": "y"}},
}


def holding(text: Any) -> Tree:
    """A tree of one text, as it is."""
    return Tree(text, "f", str(text), Spot(0, 0))


def filled(text: str, **names: Any) -> Any:
    return fill(holding(text), names or NAMES).value


def problem(text: str, **names: Any) -> Problem:
    with pytest.raises(Problems) as caught:
        fill(holding(text), names or NAMES)
    (found,) = caught.value.problems
    assert found.code in explanations()
    assert found.place == Place("f", 1, 1)
    return found


def test_what_uses_a_failed_param_is_not_told_again(refused: Refused) -> None:
    """One fault, one error: `m`, the turns and the items only pass it on; other faults stay."""
    text = """
params: {n: "$(1 / 0)", m: $(n + 1), whole: {a: $(m)}}
steps:
  - {agent: coder, turns: $(m), prompt: $(whole.a)}
  - {each: $(n), do: [{tool: shell}]}
  - {tool: shell, time: 3 furlongs}
"""
    assert [it.code for it in refused(text)] == ["expression-failed", "bad-value"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$(loops)", 4),
        ("${loops}", 4),
        ("$(loops - 1)", 3),
        ("$(max(1, loops - 5))", 1),
        ("$( ((loops)) )", 4),
        ("$(loops / 2)", 2.0),
        ("$(7 // 2)", 3),
        ("$(7 % 4)", 3),
        ("$(2 ** 10)", 1024),
        ("$(2 ** -1)", 0.5),
        ("$(-loops)", -4),
        ("$(loops > 3)", True),
        ("$(1 < loops <= 4)", True),
        ("$(not fast)", False),
        ("$(fast and loops)", 4),
        ("$(10 if fast else 20)", 10),
        ("$(fast == true)", True),
        ("$(name)", "coder"),
        ("$(name + '-2')", "coder-2"),
        ("$(name == 'coder')", True),
        ("$(nothing)", None),
        ("$(items)", [1, {"a": 2}]),
        ("$(item.lines * 2)", 400),
        ("$(item.keys)", 3),  # a field, not the method of that name
        ("$(item.deep.x)", "y"),
        ("$(min(3, 1, 2))", 1),
        ("$(round(2.675, 1))", 2.7),
        ("$(round(2.4))", 2),
        ("$(abs(-3))", 3),
        ("$(floor(2.7))", 2),
        ("$(ceil(2.1))", 3),
        ("$(sqrt(9))", 3.0),
        ("$(int(2.9))", 2),
        ("$(float(2))", 2.0),
        ("$(int('12'))", 12),
        ("$(0x10)", 16),
        ("$('a)b')", "a)b"),
        ("$('it\\'s')", "it's"),
        ("${'a}b'}", "a}b"),
        ("$(loops\n + 1)", 5),
    ],
)
def test_a_whole_expression_keeps_its_type(text: str, value: object) -> None:
    found = filled(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("${45 * slow}m", "4.5m"),
        ("$(loops)m", "4m"),
        ("a $(loops) b ${loops + 1}", "a 4 b 5"),
        ("$(loops)$(loops)", "44"),
        (" $(loops)", " 4"),
        ("$(2 / 2)m", "1m"),
        ("$(10 ** 15 / 1)m", "1000000000000000m"),
        ("$(10.0 ** 20)m", "100000000000000000000m"),
        ("$(1 / 10 ** 7)m", "0.0000001m"),
        ("$(0.0 * -1)m", "0m"),
        ("$(fast)!", "true!"),
        ("$(name)-$(item.lines)", "coder-200"),
        ("$$(loops)", "$(loops)"),
        ("$${loops}", "${loops}"),
        ("$$$(loops)", "$$(loops)"),
        ("cost $5, $, $$ and $x", "cost $5, $, $$ and $x"),
        ("$(loops) $$(loops)", "4 $(loops)"),
        ("$(loops) $", "4 $"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_an_expression_in_a_text(text: str, wanted: str) -> None:
    assert filled(text) == wanted
    assert type(filled(text)) is str


def test_scaled_times_read_as_people_write_them() -> None:
    assert [filled("${45 * slow}m", slow=slow) for slow in (0.1, 1, 1.0, 2)] == [
        "4.5m",
        "45m",
        "45m",
        "90m",
    ]


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("$(loop)", "unknown-name", "`loop`"),
        ("$(index)", "unknown-name", "only inside an `each`"),
        ("$(max)", "unknown-name", "`max`"),
        ("$(maximum(1))", "bad-expression", "unknown function `maximum`"),
        ("$(str(1))", "bad-expression", "unknown function"),
        ("$(__import__('os'))", "bad-expression", "unknown function"),
        ("$(loops / 0)", "expression-failed", "division by zero"),
        ("$(loops // 0.0)", "expression-failed", "division by zero"),
        ("$(loops % 0)", "expression-failed", "division by zero"),
        ("$(0 ** -1)", "expression-failed", "division by zero"),
        ("$(1e308 * 10)", "expression-failed", "infinite"),
        ("$(1e999)", "bad-expression", "infinite"),
        ("$(float('inf'))", "expression-failed", "infinite"),
        ("$(float('nan'))", "expression-failed", "not a number"),
        ("$((-8) ** 0.5)", "expression-failed", "real"),
        ("$(1j)", "bad-expression", "neither"),
        ("$(2 ** 1024)", "expression-failed", "too large"),
        ("$(9 ** 9 ** 9 ** 9)", "expression-failed", "too large"),
        ("$((-9) ** 99999999)", "expression-failed", "too large"),
        ("$(9.5 ** 99999)", "expression-failed", "too large"),
        ("$(10 ** 308 * 10 ** 308)", "expression-failed", "too large"),
        ("$(" + "9" * 400 + ")", "bad-expression", "too large"),
        ("$(round(7, -99999999))", "expression-failed", "30 digits"),
        ("$('a' * 99999999)", "expression-failed", "numbers"),
        ("$('%99999999d' % 1)", "expression-failed", "numbers"),
        ("$(items * 9)", "expression-failed", "a list"),
        ("$(name + 1)", "expression-failed", "a text"),
        ("$(-name)", "expression-failed", "a sign needs a number"),
        ("$(nothing + 1)", "expression-failed", "nothing"),
        ("$(name < 1)", "expression-failed", "cannot compare"),
        ("$(sqrt(-1))", "expression-failed", "sqrt takes one number of 0 or more"),
        ("$(int('x'))", "expression-failed", "int takes one number, or"),
        ("$(max())", "expression-failed", "max takes two or more numbers"),
        ("$(item.line)", "expression-failed", "no field `line`"),
        ("$(item.pop)", "expression-failed", "no field `pop`"),
        ("$(loops.real)", "expression-failed", "no fields"),
        ("$(name.upper())", "bad-expression", "only functions"),
        ("$((1).real)", "bad-expression", "only `item.field`"),
        ("$(items[0])", "bad-expression", "subscript"),
        ("$([1, 2])", "bad-expression", "list"),
        ("$({'a': 1})", "bad-expression", "dict"),
        ("$([x for x in items])", "bad-expression", "list comp"),
        ("$(lambda: 1)", "bad-expression", "lambda"),
        ("$((x := 1))", "bad-expression", "named expr"),
        ("$(f'{loops:99999999}')", "bad-expression", "joined str"),
        ("$(loops << 99999)", "bad-expression", "shift"),
        ("$(2 ^ 3)", "bad-expression", "bit xor"),
        ("$(b'x')", "bad-expression", "neither"),
        ("$(...)", "bad-expression", "neither"),
        ("$(max(*items))", "bad-expression", "plain values"),
        ("$(round(1, ndigits=2))", "bad-expression", "plain values"),
        ("$()", "bad-expression", "empty"),
        ("${ }", "bad-expression", "empty"),
        ("$(1 +)", "bad-expression", "not an expression"),
        ("$(1; 2)", "bad-expression", "not an expression"),
        ("$(x = 1)", "bad-expression", "not an expression"),
        ("$(\0)", "bad-expression", "not an expression"),
        ("$(loops", "bad-expression", "not closed"),
        ("a $(max(1, 2)", "bad-expression", "not closed"),
        ("$(max(1, 2]", "bad-expression", "not closed"),
        ("$('a)", "bad-expression", "not closed"),
        ("$(" + "1+" * 600 + "1)", "bad-expression", "1,201 letters"),
        ("$(" + "-" * 900 + "1)", "bad-expression", "too deep"),
        ("$(" + "(" * 450 + "1" + ")" * 450 + ")", "bad-expression", "parenthes"),
        ("$(items)!", "expression-failed", "part of a text"),
        ("$(nothing)!", "expression-failed", "part of a text"),
    ],
)
def test_what_has_no_answer(text: str, code: str, part: str) -> None:
    found = problem(text)
    assert found.code == code
    assert part in found.message


def test_hints() -> None:
    assert problem("$(loop)").hint == "did you mean `loops`?; for a plain text write $$( or $${"
    assert problem("$(item.line)").hint == "did you mean `lines`?"
    assert problem("$(maxi(1, 2))").hint == "did you mean `max`?"
    assert "at most 1,000 letters" in problem("$(" + "1+" * 600 + "1)").hint
    assert "quote the whole value" in problem("$(max(1").hint


def test_a_comma_in_braces_is_explained_where_it_stands() -> None:
    with pytest.raises(Problems) as caught:
        fill(read("a: 1\nb: {loop: $(max(1, loops - 1))}", "f"), NAMES)
    (found,) = caught.value.problems
    assert found.place == Place("f", 2, 11)
    assert "quote the whole value" in found.hint


def test_all_problems_at_once_in_their_places() -> None:
    text = "a: $(x)\nb: {c: $(1/0), d: [1, '$(y) $(z)']}\n$(k): 1\ne: $(loops)"
    with pytest.raises(Problems) as caught:
        fill(read(text, "f"), NAMES)
    assert [(p.code, p.place) for p in caught.value.problems] == [
        ("unknown-name", Place("f", 1, 4)),
        ("expression-failed", Place("f", 2, 8)),
        ("unknown-name", Place("f", 2, 23)),
        ("unknown-name", Place("f", 2, 23)),
        ("expression-in-key", Place("f", 3, 1)),
    ]


def test_the_tree_keeps_its_places_and_the_first_one_its_texts() -> None:
    first = read("a: [1, $(items)]\nb: {c: $(loops)}", "f")
    second = fill(first, NAMES)
    assert first.value == {"a": [1, "$(items)"], "b": {"c": "$(loops)"}}
    assert second.value == {"a": [1, [1, {"a": 2}]], "b": {"c": 4}}
    assert second.place(("b", "c")) == Place("f", 2, 8)
    assert second.place(("a", 1, 1, "a")) == Place("f", 1, 8)  # nearest: it is not in the file
    assert second.sub(("a", 1)).place((1,)) == Place("f", 1, 8)


def test_answers_are_not_shared() -> None:
    tree: Any = fill(read("[$(items), $(items)]", "f"), NAMES).value
    tree[0][1]["a"] = 9
    assert tree[1] == NAMES["items"] == [1, {"a": 2}]


# --- filling in two steps --------------------------------------------------------------------


def test_names_that_come_later_leave_their_text_whole() -> None:
    raw = read("a: $(loops)\nb: $(item * loops)\nc: $(loops) $(index)\nd: $$(item)", "f")
    first = fill(raw, {"loops": 4}, later={"item", "index"})
    assert first.value == {
        "a": 4,
        "b": "$(item * loops)",
        "c": "$(loops) $(index)",
        "d": "$(item)",
    }
    assert uses(first) == {"item", "index", "loops"}
    second = fill(first, {"loops": 4, "item": 3, "index": 0})
    assert second.value == {"a": 4, "b": 12, "c": "4 0", "d": "$(item)"}
    assert uses(second) == set()


def test_what_was_filled_in_is_never_read_again() -> None:
    first = fill(read("[$(evil), '$$(1/0)', $(item)]", "f"), {"evil": "$(1/0)"}, later={"item"})
    second = fill(first, {"item": "$(2/0)"})
    assert second.value == ["$(1/0)", "$(1/0)", "$(2/0)"]
    assert fill(second, {}).value == second.value


def test_unknown_names_are_found_beside_later_ones() -> None:
    with pytest.raises(Problems) as caught:
        fill(holding("$(item * lops)"), {"loops": 1}, later={"item"})
    assert caught.value.problems[0].hint.startswith("did you mean `loops`?")


def test_a_later_name_hides_a_param() -> None:
    assert fill(holding("$(item)"), {"item": 1}, later={"item"}).value == "$(item)"


def test_a_part_may_be_left_for_later() -> None:
    raw = read("each: $(item.parts)\ndo: [$(item), $$(x), [$(loops)]]", "f")
    first = fill(raw, {"item": {"parts": [7]}}, leave={("do",)})
    assert first.value == {"each": [7], "do": ["$(item)", "$$(x)", ["$(loops)"]]}
    body = fill(first.sub(("do",)), {"item": 7, "loops": 2})
    assert body.value == [7, "$(x)", [2]]
    again = fill(first, {"item": 0, "loops": 0}, leave={("do", 0), ("do", 2)})
    assert again.value == {"each": [7], "do": ["$(item)", "$(x)", ["$(loops)"]]}


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("$(item)", {"item"}),
        ("a ${item.x + index} $(b)", {"item", "index", "b"}),
        ({"a": ["$(max(x, y))", {"b": "$(z if w else 1)"}]}, {"x", "y", "z", "w"}),
        ({"$(key)": 1}, set()),
        ("$$(item)", set()),
        ("$('item')", set()),
        ("$(true)", set()),
        ("$(1 +) $(x", set()),
        (["item", 1, None, True, 2.5], set()),
    ],
)
def test_uses(value: Any, names: set[str]) -> None:
    assert uses(value) == names
    assert uses(holding(value)) == names


def test_waiting_is_a_text() -> None:
    first = fill(holding("$(item)"), {}, later={"item"})
    assert isinstance(first.value, Waiting)
    assert first.value == "$(item)"


# --- limits ----------------------------------------------------------------------------------


def test_one_text_stays_small() -> None:
    half = "x" * 32_768
    assert filled("$(a)$(a)", a=half) == half * 2
    assert "64 KiB" in problem("$(a)$(a)!", a=half).message
    assert "64 KiB" in problem("$(a + a + '!')", a=half).message
    assert "64 KiB" in problem("$(a)" * 16_000, a=half).message


def test_all_texts_and_values_stay_few() -> None:
    with pytest.raises(Problems) as caught:
        fill(holding(["$(a)"] * 400), {"a": "x" * 65_536})
    assert [p.code for p in caught.value.problems] == ["expression-failed"]
    with pytest.raises(Problems) as caught:
        fill(holding(["$(a)"] * 400), {"a": [1] * 1000})
    assert "200,000 values" in caught.value.problems[0].message


def test_problems_are_not_collected_without_end() -> None:
    with pytest.raises(Problems) as caught:
        fill(read("- $(y)\n" * 3000, "f"), {})
    # all stand in different lines
    assert len(caught.value.problems) == 1000


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("loops", True),
        ("max_loops2", True),
        ("max-loops", False),
        ("2x", False),
        ("if", False),
        ("True", False),
        ("true", False),
        ("max", False),
        ("item", False),
        ("index", False),
        ("größe", False),
        ("", False),
    ],
)
def test_names_of_params(name: str, good: bool) -> None:
    assert is_name(name) is good


# fmt: off
PIECES = st.sampled_from([
    "$(", "${", ")", "}", "$$", "loops", "slow", "item", "item.lines", "name", " + ", "*", "**",
    "/", "//", "%", "-", "(", "[", "]", "{", ",", "max(", "round(", "int(", "'a'", '"', "'",
    "0", "1", "99999", "1e308", " if ", " else ", " not ", "==", "<", " and ", "=", ":", "\\",
    "\n", "lambda ", " for x in ", ".", "\0", "é", "await ", "yield ", "#", "f'", "_",
])
# fmt: on


@settings(max_examples=1500)
@given(text=st.lists(PIECES, max_size=14).map("".join), wrap=st.booleans())
def test_any_text_is_filled_or_refused(text: str, wrap: bool) -> None:
    tree = holding(f"$({text})" if wrap else text)
    uses(tree)
    problems: tuple[Problem, ...] = ()
    value: Any = None
    try:
        value = fill(tree, NAMES).value
    except Problems as fault:
        problems = fault.problems
    assert all(p.code in explanations() and p.place and p.message for p in problems)
    assert isinstance(value, str | int | float | list | dict | None)
    assert not isinstance(value, float) or math.isfinite(value)


@given(value=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**15), 10**15))
def test_a_number_in_a_text_is_plain_and_exact(value: float) -> None:
    text = filled("$(x)s", x=value)
    assert set(text) <= set("-0123456789.s")
    assert float(text[:-1]) == value
    assert not text.endswith(".0s")
