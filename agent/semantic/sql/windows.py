"""Measures along the rows of a grouped query, in SQL."""

from collections.abc import Sequence

from sqlglot import exp

from agent.semantic.algebra import Binary, Dimension, Measure, Window
from agent.semantic.sql.aggregates import ordered
from agent.semantic.sql.conditions import alias_of


def over(
    function: exp.Expr,
    within: Sequence[Dimension],
    order: Sequence[tuple[exp.Expr, bool]],
    *,
    preceding: int | None = None,
) -> exp.Window:
    """Return a window function over the rows of the grouped query."""
    window = exp.Window(this=function)
    if within:
        window.set("partition_by", [exp.column(alias_of(value)) for value in within])
    if order:
        window.set("order", exp.Order(expressions=ordered(order)))
    if preceding is not None:
        frame = exp.WindowSpec(kind="ROWS", start=str(preceding), start_side="PRECEDING", end="CURRENT ROW")
        window.set("spec", frame)
    return window


def hundred(value: exp.Expr) -> exp.Expr:
    """Return an expression times 100.0."""
    return exp.Mul(this=exp.Literal.number("100.0"), expression=value)


def times(value: exp.Expr, factor: float) -> exp.Expr:
    """Return an expression times a factor."""
    return value if factor == 1 else exp.Mul(this=exp.convert(factor), expression=value)


def is_windowed(measure: Measure) -> bool:
    """Whether a measure sets two windows against each other."""
    return isinstance(measure, Binary) and isinstance(measure.left, Window)
