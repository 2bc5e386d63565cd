"""Fitted profiles against every table of measured speeds that the design's data holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance import fits


@pytest.fixture(scope="module")
def data(design_data: Path) -> Path:
    return design_data


@pytest.fixture(scope="module")
def tables(data: Path) -> list[fits.Table]:
    return fits.tables(data)


def test_each_table_of_the_data_is_fitted(tables: list[fits.Table]) -> None:
    # six models with a depth and a batch table each, two machines with a depth table; two kinds
    assert len(tables) == (6 * 2 + 2) * 2
    assert sum(len(table.rows) for table in tables) == 6 * (2 * 18 + 10) + 2 * 64


def test_mean_errors_are_small(tables: list[fits.Table]) -> None:
    for table in tables:
        errors = [fits.off(table.laws, row) for row in table.kept]
        bar = 0.05 if table.is_batch else 0.02
        assert fits.mean(errors) <= bar, (table.name, table.tool, table.kind)


def test_only_a_first_row_is_left_out(tables: list[fits.Table]) -> None:
    for table in tables:
        assert table.left_out in ([], table.rows[:1])


def test_half_of_the_rows_tell_the_other_half(tables: list[fits.Table]) -> None:
    for table in tables:
        errors = [error for _, error in fits.predicted(table)]
        bar = 0.08 if table.is_batch else 0.03
        assert fits.mean(errors) <= bar, (table.name, table.tool, table.kind)


def test_three_numbers_of_streams_tell_two_others() -> None:
    for streams, total in fits.spark().items():
        assert total == pytest.approx(fits.SPARK[streams], rel=0.08)


def test_other_contexts_tell_32k(data: Path) -> None:
    found = fits.at_32k(data)
    assert {name: measured for name, (measured, _) in found.items()} == {
        "M2 Ultra": 21.92, "M4 Max": 24.52,
    }  # fmt: skip
    for measured, made in found.values():
        assert made == pytest.approx(measured, rel=0.02)


def test_the_paper_tells_what_comes_out(data: Path) -> None:
    assert fits.DOCUMENT.read_text("utf-8") == fits.document(data)
