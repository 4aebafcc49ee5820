"""Where the numbers of an answer may come from, apart from the result's own cells: question, SQL, counts, facts."""

import re
from collections import Counter
from datetime import date, datetime
from decimal import Decimal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from agent.guard import QueryResult
from agent.nodes.answers.claims import find_claims
from agent.nodes.answers.facts import Facts
from agent.nodes.answers.payload import FIRST_ROWS

_GROUPS = 20
_NUMBERED = re.compile(r"[^\W\d]+ (\d{1,4})\Z")
# Constants of a computation, not of the question: 100.0 * x, ROUND(x, 2), NULLIF(x, 0).
_COMPUTING = (exp.Round, exp.Mul, exp.Div, exp.Nullif, exp.Coalesce, exp.DataTypeParam, exp.DataType)


def given_numbers(question: str, sql: str) -> frozenset[Decimal]:
    """Return the numbers of the question and of the SQL's literals, parts of dates included."""
    numbers = {claim.value for claim in find_claims(question)}
    numbers |= {abs(number) for number in _digits(question)}
    for number in _literals(sql):
        numbers.add(number)
    return frozenset(numbers)


def counted_numbers(result: QueryResult, facts: Facts) -> frozenset[Decimal]:
    """Return row counts: of the result, of what is shown of it, of its groups, of its columns' distinct values."""
    if facts.truncated:
        return frozenset({Decimal(facts.row_count), Decimal(min(facts.row_count, FIRST_ROWS))})
    counts = {facts.row_count, min(facts.row_count, FIRST_ROWS)}
    for index, column in enumerate(facts.columns):
        counts.add(column.nulls)
        if column.kind == "text" or column.names:
            counts.add(column.distinct)
        if column.kind in ("text", "boolean") and column.distinct <= _GROUPS:
            counts.update(Counter(row[index] for row in result.rows).values())
    return frozenset(Decimal(count) for count in counts)


def name_numbers(result: QueryResult) -> frozenset[Decimal]:
    """Return the numbers of names such as `Ward 24`, which a text may write as `wards 24 and 28`."""
    names = (found for row in result.rows for cell in row if isinstance(cell, str) and (found := _NUMBERED.match(cell)))
    return frozenset(Decimal(found[1]) for found in names)


def time_numbers(result: QueryResult) -> frozenset[Decimal]:
    """Return year, month, day and hour of every date in the result."""
    numbers: set[int] = set()
    for row in result.rows:
        for cell in row:
            if isinstance(cell, date):
                numbers.update((cell.year, cell.month, cell.day))
            if isinstance(cell, datetime):
                numbers.update((cell.hour, cell.minute))
    return frozenset(Decimal(number) for number in numbers)


def _literals(sql: str) -> set[Decimal]:
    try:
        tree = sqlglot.parse_one(sql, dialect="postgres")
    except SqlglotError:
        return _digits(sql)
    numbers: set[Decimal] = set()
    for literal in tree.find_all(exp.Literal):
        if literal.is_string:
            numbers |= _digits(literal.name)
        elif not isinstance(literal.parent, _COMPUTING):
            numbers |= {Decimal(literal.name)}
    return numbers


def _digits(text: str) -> set[Decimal]:
    found = (number.replace(",", "") for number in re.findall(r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?", text))
    return {Decimal(number) for number in found}
