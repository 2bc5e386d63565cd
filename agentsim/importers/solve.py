"""Least squares with coefficients of 0 or more, for the few unknowns of a law."""

from __future__ import annotations

from collections.abc import Sequence

_TINY = 1e-12
_APART = 0.01  # what is left of a column of size 1 beside the others; less is noise


def least_squares(rows: Sequence[Sequence[float]], wanted: Sequence[float]) -> list[float]:
    """The x >= 0 that make `rows` times x come nearest to `wanted`, each relative to its size.

    The active set method of Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23)
    on the normal equations: with some 40 unknowns and columns scaled to 1 they are good enough.
    A column of zeros gets 0. The same rows give the same figures on every machine.
    """
    count = len(rows[0])
    sizes, gram, right = _normal(rows, wanted, range(count))
    x = [0.0] * count
    free: list[int] = []
    for _ in range(10 * count):
        pull = [right[j] - _dot(gram[j], x) for j in range(count)]
        bound = [j for j in range(count) if j not in free and pull[j] > 1e-10]
        if not bound:
            break
        free.append(max(bound, key=pull.__getitem__))
        x = _inside(gram, right, free, x)
    return [value / (size or 1.0) for value, size in zip(x, sizes, strict=True)]


def independent(
    rows: Sequence[Sequence[float]], wanted: Sequence[float], columns: Sequence[int]
) -> bool:
    """Whether the rows tell these unknowns apart: no column is nearly made of the others."""
    _, gram, _ = _normal(rows, wanted, columns)
    left = [[*row] for row in gram]
    for k in range(len(left)):  # by Cholesky: what is left of a column beside those before it
        if left[k][k] < _APART**2:
            return False
        for i in range(k + 1, len(left)):
            times = left[i][k] / left[k][k]
            left[i] = [a - times * b for a, b in zip(left[i], left[k], strict=True)]
    return True


def _normal(
    rows: Sequence[Sequence[float]], wanted: Sequence[float], columns: Sequence[int]
) -> tuple[list[float], list[list[float]], list[float]]:
    """Sizes of the columns, and the normal equations of columns of size 1. Zeros are skipped."""
    count = len(columns)
    gram = [[0.0] * count for _ in range(count)]
    right = [0.0] * count
    for row, goal in zip(rows, wanted, strict=True):
        cells = [(j, row[at] / goal) for j, at in enumerate(columns) if row[at]]
        for j, cell in cells:
            right[j] += cell
            for k, other in cells:
                gram[j][k] += cell * other
    sizes = [gram[j][j] ** 0.5 for j in range(count)]
    units = [size or 1.0 for size in sizes]
    for j in range(count):
        right[j] /= units[j]
        gram[j] = [value / (units[j] * units[k]) for k, value in enumerate(gram[j])]
    return sizes, gram, right


def _inside(
    gram: list[list[float]], right: list[float], free: list[int], x: list[float]
) -> list[float]:
    """The best x whose coefficients are free; those that would fall below 0 are taken out."""
    while free:
        best = dict(zip(free, _solve(gram, right, free), strict=True))
        if min(best.values()) > 0.0:
            return [best.get(j, 0.0) for j in range(len(x))]
        ratios = [x[j] / (x[j] - it) for j, it in best.items() if it <= 0.0 and x[j] > it]
        step = min(ratios, default=0.0)
        x = [x[j] + step * (best.get(j, 0.0) - x[j]) for j in range(len(x))]
        gone = [j for j in free if x[j] <= _TINY] or [min(best, key=best.__getitem__)]
        for j in gone:
            free.remove(j)
            x[j] = 0.0
    return x


def _solve(gram: list[list[float]], right: list[float], free: list[int]) -> list[float]:
    """By elimination with pivots; a coefficient that others give already becomes 0."""
    n = len(free)
    system = [[*(gram[i][j] for j in free), right[i]] for i in free]
    order = list(range(n))
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(system[i][k]))
        system[k], system[pivot] = system[pivot], system[k]
        if abs(system[k][k]) < _TINY:
            continue
        for i in range(k + 1, n):
            times = system[i][k] / system[k][k]
            system[i] = [a - times * b for a, b in zip(system[i], system[k], strict=True)]
    found = [0.0] * n
    for k in reversed(order):
        rest = system[k][n] - sum(system[k][j] * found[j] for j in range(k + 1, n))
        found[k] = rest / system[k][k] if abs(system[k][k]) >= _TINY else 0.0
    return found


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))
