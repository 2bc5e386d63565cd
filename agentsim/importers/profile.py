"""A fitted profile as a file: figures with their units, where they come from, what is missing.

The errors that are shown are those of the file: it is read back, and its laws, rounded as they
stand there, are held against every row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from agentsim.analysis.fitted import Fitted, FittedRow
from agentsim.errors import Problem, Problems
from agentsim.importers import fit as fitting
from agentsim.importers.fit import Laws
from agentsim.importers.machine import Machine, gather
from agentsim.importers.rows import Row
from agentsim.laws.decode import Decode
from agentsim.laws.prefill import Prefill

_DIGITS = 5
_TOGETHER, _ENOUGH = 0.1, 3  # mean error, and rows of a file, that tell of two machines
_GOOD_DEPTH, _GOOD_BATCH = 0.02, 0.05  # mean errors up to which a law is said to hold


def fitted(
    files: Sequence[str],
    only: Sequence[tuple[str, str]] = (),
    ignore: Sequence[str] = (),
    name: str = "",
    model: str = "",
) -> Fitted:
    """The profile of what some files measured; raises `Problems`."""
    machine = gather(files, only, ignore)
    laws, left_out = fitting.fit(machine.rows)
    _one_machine(machine, laws, left_out)
    text = _text(machine, laws, left_out, name, model)
    told = _read_back(text, laws, machine.rows[0])
    rows = tuple(_row(row, told, left_out) for row in machine.rows)
    found = Fitted(name, text, rows, (), machine.tools)
    warnings = (
        *_left_out(found),
        *_beyond(machine, laws),
        *_poorly_told(machine, found),
        *_missing(laws),
    )
    return Fitted(name, text, rows, warnings, machine.tools)


def _one_machine(machine: Machine, laws: Laws, left_out: Sequence[Row]) -> None:
    """Raises `Problems` where each file fits well alone, and all of them do not together."""
    kept = [row for row in machine.rows if row not in left_out]
    for kind in ("decode", "prefill"):
        rows = [row for row in kept if row.kind == kind]
        if not rows or fitting.mean(laws, rows) <= _TOGETHER:
            continue
        files = [[row for row in rows if row.place.file == file] for file in machine.files]
        files = [own for own in files if len(own) >= _ENOUGH]
        apart = [fitting.mean(fitting.alone(own), own) for own in files]
        if len(files) > 1 and max(apart) < _TOGETHER / 2.0:
            message = (
                f"{kind}: each file fits to {100 * max(apart):.1f} % alone, and together they are "
                f"off by {100 * fitting.mean(laws, rows):.0f} %: are they of two machines or "
                "models?"
            )
            hint = "fit them apart, each with the files that are of one machine and model"
            raise Problems([Problem("two-machines", message, files[1][0].place, hint)])


def _read_back(text: str, laws: Laws, first: Row) -> Laws:
    """The laws of the written file; `Problems` where what was fitted is no possible profile."""
    from agentsim.spec.hardware import profile_of
    from agentsim.spec.reader import read

    try:
        plan = profile_of(read(text, "fitted"), "fitted").plan
    except Problems as fault:
        why = fault.problems[0].message
        hint = "are all rows of one machine, and none of them a typing error?"
        told = Problem(
            "bad-value", f"these rows give no possible profile: {why}", first.place, hint
        )
        raise Problems([told]) from None
    prefill = plan.prefill if isinstance(plan.prefill, Prefill) else None
    return replace(laws, decode=plan.decode, prefill=prefill if laws.prefill else None)


def _row(row: Row, laws: Laws, left_out: Sequence[Row]) -> FittedRow:
    seconds = laws.seconds(row)
    if seconds is None or seconds <= 0.0:
        message = f"a {row.kind} row, and no law for it"
        hint = "leave the row out with `--ignore`, or add a run that measures it alone"
        raise Problems([Problem("bad-value", message, row.place, hint)])
    reason = "first row" if any(row is it for it in left_out) else ""
    predicted = row.rate * row.seconds / seconds
    return FittedRow(
        row.place.file, row.place.line, row.kind, row.streams, row.depth, row.prompt, row.output,
        row.rate, predicted, predicted / row.rate - 1.0, reason,
    )  # fmt: skip


def _text(machine: Machine, laws: Laws, left_out: Sequence[Row], name: str, model: str) -> str:
    assert laws.decode is not None
    _check_steps(machine, laws.decode)
    setup = machine.setup
    model = _plain(model or setup.get("model", ""), 200)
    parts = [setup.get("gpu") or setup.get("cpu", ""), setup.get("backend", "")]
    title = _plain(name or ", ".join(dict.fromkeys(it for it in (model, *parts) if it)), 200)
    most = _most(machine.rows)
    kept = len(machine.rows) - len(left_out)
    head = (
        f"# Made by `agentsim hw fit` from {kept} rows of {', '.join(machine.tools)}:\n"
        f"# {_plain(', '.join(machine.files), 400)}\n"
    )
    gone = ", ".join(f"{it.place.file}:{it.place.line} ({it.kind})" for it in left_out)
    setup_ = ", ".join(f"{key} {value}" for key, value in setup.items() if key in _SETTINGS)
    lines = [
        head
        + (f"# Left out: {_plain(gone, 400)}\n" if left_out else "")
        + (f"# {_plain(setup_, 400)}\n" if setup_ else "")
        + "agentsim: 1",
        *([f"name: {_quoted(title)}"] if title else []),
        *([f"model: {_quoted(model)}"] if model else []),
        f"source: {{grade: A, measured_to: {_deepest(machine.rows)}}}",
        "decode:",
        f"  {_speed(laws.decode)}",
        *([f"  per_context_token: {_time(laws.decode.slope)}"] if laws.decode.slope else []),
        *_reading(laws.prefill),
        f"slots: {most}  # as many streams as were measured; more would be a guess",
        "assumed:",
        f'  - "At most {most} {"call" if most == 1 else "calls"} at once: no more were measured."',
        *([f'  - "{told}"'] if (told := _guessed(laws)) else []),
        "# Not measured, so not in it: latency, cache, context, kv, price, limits.",
    ]
    return "\n".join(lines) + "\n"


def _check_steps(machine: Machine, law: Decode) -> None:
    """Raises `Problems` where a round leaves no time to make anything in."""
    for row in machine.rows:
        if row.kind == "round" and fitting.step(law, row.streams, 0.0) <= 0.0:
            message = (
                f"{row.streams} requests took no longer than their prompts one after another: "
                "this server reads several at once, which no law here tells"
            )
            hint = "fit the others alone: --only streams=1, or leave out such files"
            raise Problems([Problem("bad-value", message, row.place, hint)])


def _guessed(laws: Laws) -> str:
    """Which numbers of streams of the table were not measured, as a sentence; "" for none."""
    if not laws.guessed:
        return ""
    listed = ", ".join(f"{streams:g}" for streams in laws.guessed)
    return f"Steps of {listed} streams at once are not measured but drawn between the others."


_SETTINGS = ("gpu", "cpu", "backend", "build", "ngl", "n_batch", "n_ubatch", "fa", "threads")


def _speed(law: Decode) -> str:
    if law.fit is not None:
        a, b, d = (_time(it) for it in law.fit)
        return f"fit: {{a: {a}, b: {b}, d: {d}}}  # a step of B streams: a + b*B + d*sqrt(B)"
    rows = ", ".join(f"{streams:g}: {_time(step)}" for streams, step in law.knots or ())
    return f"step: {{{rows}}}  # seconds of a step by number of streams"


def _reading(law: Prefill | None) -> list[str]:
    if law is None:
        return []
    lines = ["prefill:", f"  rate: {_short(1.0 / law.per_token)} tok/s"]
    if law.slope:
        lines.append(f"  per_context_token: {_time(law.slope)}")
    if law.fixed:
        lines.append(f"  fixed: {_time(law.fixed)}")
    return lines


def _time(seconds: float) -> str:
    unit, size = ("ms", 1e-3) if seconds >= 1e-4 else ("ns", 1e-9)
    return f"{_short(seconds / size)}{unit}"


def _short(number: float) -> str:
    """In five digits, without an exponent."""
    text = f"{number:.{_DIGITS}g}"
    if "e" in text:
        text = f"{float(text):.15f}"
        text = text.rstrip("0").rstrip(".")
    return text


def _quoted(text: str) -> str:
    """As a text in YAML."""
    return json.dumps(text, ensure_ascii=False)


def _plain(text: str, most: int) -> str:
    """Somebody else's text on one line; what would be an expression is none."""
    text = text.replace("$", "")
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(shown.split())[:most]


def _most(rows: Sequence[Row]) -> int:
    return max(row.streams for row in rows if row.kind != "prefill")


def _deepest(rows: Sequence[Row]) -> int:
    """The longest context at which decoding was measured."""
    made = [row.depth + row.prompt + row.output for row in rows if row.kind != "prefill"]
    return max(1, int(max(made)))


def _left_out(found: Fitted) -> list[str]:
    return [
        f"left out: {row.file}:{row.line}, the first {row.what} row of its table: "
        f"{row.measured:.4g} tok/s, {row.predicted:.4g} by the others (a cold start, or another "
        "way of computing short contexts)"
        for row in found.rows
        if row.left_out
    ]


def _beyond(machine: Machine, laws: Laws) -> list[str]:
    deepest, most = _deepest(machine.rows), _most(machine.rows)
    streams = "1 stream" if most == 1 else f"{most} streams"
    told = [
        f"measured to {deepest:,} tokens of context and {streams}: what lies beyond is a straight "
        "line on, which erred by up to 40 % where it could be checked"
    ]
    fewest = min(row.streams for row in machine.rows if row.kind != "prefill")
    if fewest > 1:
        told.append(f"fewer than {fewest} streams were not measured: one alone is a guess")
    if guessed := _guessed(laws):
        told.append(guessed[0].lower() + guessed[1:-1])
    if not laws.sloped:
        told.append(
            "decoding was measured at about one context: longer ones take longer in fact, and "
            "here they do not"
        )
    if laws.prefill is not None and not laws.read_sloped:
        told.append(
            "reading was measured at about one depth: deeper ones take longer in fact, and here "
            "they do not"
        )
    return told


def _poorly_told(machine: Machine, found: Fitted) -> list[str]:
    """Results of a tool that the laws do not tell well."""
    groups: dict[tuple[str, str], list[FittedRow]] = {}
    for row, told in zip(machine.rows, found.rows, strict=True):
        if not told.left_out:
            groups.setdefault((told.what, row.setup.get("tool", "")), []).append(told)
    warnings = []
    for (what, tool), rows in groups.items():
        mean = sum(abs(row.error) for row in rows) / len(rows)
        bar = _GOOD_BATCH if any(row.streams > 1 for row in rows) else _GOOD_DEPTH
        if mean > bar:
            text = f"{what} as {tool} measured it is off by {100 * mean:.2g} % on average"
            others = {name for _, name in groups} - {tool}
            if others:
                text += f"; --only tool={tool} fits it alone"
            warnings.append(text)
    return warnings


def _missing(laws: Laws) -> list[str]:
    return [] if laws.prefill else ["no row measures reading: prompts cost no time in this profile"]
