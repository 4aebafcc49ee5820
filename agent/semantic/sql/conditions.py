"""Conditions and dimensions in SQL."""

from collections.abc import Sequence
from functools import reduce

from sqlglot import exp

from agent.semantic.algebra import Dimension
from agent.semantic.predicates import All, Compare, Contains, Extreme, Missing, Not, OneOf, Predicate, SameAs

FACTS = "crime_incidents"


_COMPARISONS: dict[str, type[exp.Binary]] = {
    "=": exp.EQ, "<>": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE,
}  # fmt: skip


def column(name: str) -> exp.Column:
    """Return a column of the fact table, quoted as its upper-case name needs; lookup columns stay as they are."""
    return exp.column(exp.to_identifier(name, quoted=name.isupper()))


def condition(predicate: Predicate) -> exp.Expr:
    """Return a condition in SQL."""
    if isinstance(predicate, Compare):
        return compare(column(predicate.column), predicate.operator, exp.convert(predicate.value))
    if isinstance(predicate, OneOf):
        return exp.In(this=column(predicate.column), expressions=[exp.convert(value) for value in predicate.values])
    if isinstance(predicate, Missing):
        return exp.Is(this=column(predicate.column), expression=exp.Null())
    if isinstance(predicate, Contains):
        return exp.Like(this=column(predicate.column), expression=exp.convert(f"%{predicate.text}%"))
    if isinstance(predicate, SameAs):
        return compare(column(predicate.column), predicate.operator, column(predicate.other))
    if isinstance(predicate, Extreme):
        return _extreme(predicate)
    if isinstance(predicate, Not):
        return _negated(predicate.part)
    joined = [condition(part) for part in predicate.parts]
    if isinstance(predicate, All):
        return every(joined)
    return exp.paren(exp.or_(*joined))


def every(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Return the conjunction of conditions, without brackets that nobody needs."""
    first, *others = conditions
    return reduce(lambda left, right: exp.And(this=left, expression=right), others, first)


def _negated(part: Predicate) -> exp.Expr:
    if isinstance(part, All):
        return exp.not_(exp.paren(condition(part)))
    if isinstance(part, Missing):
        return exp.Is(this=column(part.column), expression=exp.not_(exp.Null()))
    return exp.not_(condition(part))


def _extreme(predicate: Extreme) -> exp.Expr:
    function = exp.Max if predicate.which == "max" else exp.Min
    newest = exp.select(function(this=column(predicate.column))).from_(FACTS).subquery()
    if not predicate.back:
        return exp.EQ(this=column(predicate.column), expression=newest)
    shift, operator = (exp.Sub, exp.GTE) if predicate.which == "max" else (exp.Add, exp.LTE)
    bound = shift(this=newest, expression=exp.convert(predicate.back))
    return operator(this=column(predicate.column), expression=bound)


def compare(left: exp.Expr, operator: str, right: exp.Expr) -> exp.Expr:
    """Return a comparison of two expressions; a boolean is compared by `= TRUE`."""
    return _COMPARISONS[operator](this=left, expression=right)


def dimension(value: Dimension) -> exp.Expr:
    """Return what rows are grouped by for a dimension."""
    if value.lookup is not None and value.named:
        return exp.column(value.lookup.name)
    if value.expression == "date":
        return exp.cast(column(value.column), "date")
    if value.expression == "week":
        return exp.cast(exp.func("DATE_TRUNC", exp.convert("week"), column(value.column)), "date")
    return column(value.column)


def alias_of(value: Dimension) -> str:
    """Return the output name of a dimension."""
    if value.lookup is not None and value.named:
        return value.lookup.name
    return {"date": "incident_day", "week": "week_start"}.get(value.expression or "", value.column.lower())


def labelled(value: Dimension) -> exp.Expr:
    """Return a dimension under its output name."""
    made, name = dimension(value), alias_of(value)
    return made if isinstance(made, exp.Column) and made.name == name else exp.alias_(made, name)
