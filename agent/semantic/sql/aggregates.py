"""Measures in SQL."""

from collections.abc import Sequence

from sqlglot import exp

from agent.semantic.algebra import Aggregate, Binary, Count, CountDistinct, Dimension, Measure, Share
from agent.semantic.predicates import (
    All,
    Predicate,
    both,
    columns_of,
)
from agent.semantic.sql.conditions import alias_of, column, condition, dimension

_FLOATING = frozenset({"LATITUDE", "LONGITUDE", "X_COORDINATE", "Y_COORDINATE"})


def name_of(measure: Measure) -> str:
    """Return the output name of a plain measure."""
    if isinstance(measure, Count):
        return {frozenset({"ARREST"}): "arrests"}.get(columns_of(measure.where), "incidents")
    if isinstance(measure, CountDistinct):
        return f"distinct_{alias_of(measure.dimension)}"
    if isinstance(measure, Share):
        part = columns_of(measure.part)
        return {frozenset({"ARREST"}): "arrest_rate", frozenset({"DOMESTIC"}): "domestic_rate"}.get(part, "share")
    if isinstance(measure, Aggregate):
        return f"{measure.function}_{measure.column.lower()}"
    if isinstance(measure, Binary):
        return {"-": "difference", "/": "ratio", "%": "percent_change", "%-": "percent_loss"}[measure.operator]
    return "value"


def plain(measure: Measure, common: Predicate) -> exp.Expr:
    """Return an aggregate in SQL; conditions already in the WHERE clause (`common`) are not repeated."""
    if isinstance(measure, Count):
        return count(measure.where, common)
    if isinstance(measure, CountDistinct):
        distinct = exp.Count(this=exp.Distinct(expressions=[_distinct_key(measure.dimension)]))
        return _filtered(distinct, measure.where, common)
    if isinstance(measure, Share):
        part = count(both([measure.whole, measure.part]), common)
        whole = nullif(count(measure.whole, common))
        if measure.percent:
            return round_(
                exp.Div(typed=True, this=exp.Mul(this=exp.Literal.number("100.0"), expression=part), expression=whole),
                2,
            )
        return round_(
            exp.Div(typed=True, this=exp.Mul(this=exp.Literal.number("1.0"), expression=part), expression=whole), 4
        )
    if isinstance(measure, Aggregate):
        return _aggregate(measure, common)
    assert isinstance(measure, Binary)
    return binary(measure.operator, plain(measure.left, common), plain(measure.right, common))


def _distinct_key(value: Dimension) -> exp.Expr:
    return column(value.column) if value.lookup is not None else dimension(value)


def binary(operator: str, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Return a difference, a ratio or a percent change of two expressions."""
    if operator == "-":
        return _rounded_once(left, right)
    if operator == "/":
        return round_(
            exp.Div(
                typed=True, this=exp.Mul(this=exp.Literal.number("1.0"), expression=left), expression=nullif(right)
            ),
            2,
        )
    pair = (left, right) if operator == "%" else (right, left)
    change = exp.paren(exp.Sub(this=pair[0].copy(), expression=pair[1].copy()))
    hundred = exp.Mul(this=exp.Literal.number("100.0"), expression=change)
    return round_(exp.Div(typed=True, this=hundred, expression=nullif(right.copy())), 2)


def _rounded_once(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Return a difference; that of two rounded values is rounded after it is taken, not before."""
    if isinstance(left, exp.Round) and isinstance(right, exp.Round):
        return round_(exp.Sub(this=left.this, expression=right.this), int(left.args["decimals"].name))
    return exp.Sub(this=left, expression=right)


def statistic(function: str, value: exp.Expr, *, digits: int | None = 2) -> exp.Expr:
    """Return an aggregate function of an expression, rounded where it may be fractional."""
    if function == "median":
        order = exp.Order(expressions=[exp.Ordered(this=value)])
        return exp.WithinGroup(this=exp.PercentileCont(this=exp.Literal.number("0.5")), expression=order)
    made: exp.Expr = {
        "avg": exp.Avg, "max": exp.Max, "min": exp.Min, "sum": exp.Sum, "stddev": exp.StddevSamp,
    }[function](this=value)  # fmt: skip
    if function in {"avg", "stddev"} and digits is not None:
        return round_(made, digits)
    return made


def _aggregate(measure: Aggregate, common: Predicate) -> exp.Expr:
    digits = None if measure.column in _FLOATING else 2
    value = column(measure.column)
    own = _remaining(measure.where, common)
    if own.parts and measure.function in {"avg", "stddev"}:
        bare = statistic(measure.function, value, digits=None)
        filtered = exp.Filter(this=bare, expression=exp.Where(this=condition(own)))
        return filtered if digits is None else round_(filtered, digits)
    return _filtered(statistic(measure.function, value, digits=digits), measure.where, common)


def count(where: Predicate, common: Predicate) -> exp.Expr:
    """Return the number of incidents that meet a condition."""
    return _filtered(exp.Count(this=exp.Star()), where, common)


def _filtered(aggregate: exp.Expr, where: Predicate, common: Predicate) -> exp.Expr:
    own = _remaining(where, common)
    if not own.parts:
        return aggregate
    return exp.Filter(this=aggregate, expression=exp.Where(this=condition(own)))


def _remaining(where: Predicate, common: Predicate) -> All:
    known = both([common]).parts
    return All(tuple(part for part in both([where]).parts if part not in known))


def nullif(value: exp.Expr) -> exp.Expr:
    """Return an expression that is NULL instead of a division by zero."""
    return exp.func("NULLIF", value, exp.Literal.number("0"))


def round_(value: exp.Expr, digits: int) -> exp.Expr:
    """Return an expression rounded to decimal places."""
    return exp.func("ROUND", value, exp.Literal.number(str(digits)))


def ordered(keys: Sequence[tuple[exp.Expr, bool]]) -> list[exp.Ordered]:
    """Return sort keys; missing values come last."""
    return [exp.Ordered(this=key, desc=descending, nulls_first=False) for key, descending in keys]
