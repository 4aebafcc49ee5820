"""Compare a gold's rows with those of the second computation: whole rows, numbers to the two decimals golds give."""

from decimal import Decimal
from typing import Any

import pandas as pd

from agent.benchmark.questions import Question

HALF_CENT = 0.0051


def asked_columns(question: Question, columns: list[str], rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Drop the columns the question does not ask for."""
    kept = [n for n, name in enumerate(columns) if name not in question.extra_columns]
    return [tuple(row[n] for n in kept) for row in rows]


def assert_same_rows(question: Question, gold: list[tuple[Any, ...]], second: list[tuple[Any, ...]]) -> None:
    """Fail with the first rows that differ."""
    left, right = [_plain(row) for row in gold], [_plain(row) for row in second]
    if not question.ordered:
        left, right = sorted(left, key=_sort_key), sorted(right, key=_sort_key)
    assert len(left) == len(right), f"{len(left)} rows in SQL, {len(right)} in pandas"
    different = [(a, b) for a, b in zip(left, right, strict=True) if not _same(a, b)]
    assert different[:5] == []


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_cell(value) for value in row)


def _cell(value: Any) -> Any:
    if value is None or (not isinstance(value, str) and pd.isna(value)):
        return None
    if isinstance(value, str):
        return value
    if hasattr(value, "year"):
        return pd.Timestamp(value)
    if isinstance(value, Decimal):
        return float(value)
    return value.item() if hasattr(value, "item") else value


def _sort_key(row: tuple[Any, ...]) -> tuple[str, ...]:
    # Exact cells first: rounding must not change the order of rows.
    exact = [str(cell) for cell in row if not isinstance(cell, float)]
    return (*exact, *(f"{cell:020.1f}" for cell in row if isinstance(cell, float)))


def _same(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return len(left) == len(right) and all(_same_cell(a, b) for a, b in zip(left, right, strict=True))


def _same_cell(left: Any, right: Any) -> bool:
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    return abs(left - right) <= HALF_CENT if numbers and float in (type(left), type(right)) else left == right
