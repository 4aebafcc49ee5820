"""Bound what a query can make out of nothing: repeated text, long series, text that doubles in a recursion.

PostgreSQL computes constant calls while it plans, where few time limits reach, and one value can grow to a gigabyte.
"""

import re
from typing import NoReturn

from sqlglot import exp

from agent.guard.errors import GuardRefusal
from agent.guard.names import folded

MAX_LENGTH = 10_000
"""Characters that `repeat`, `lpad` or `rpad` may make, and elements of `array_fill`."""
MAX_SERIES = 10_000_000
"""Rows that a series of two numbers may have."""
MAX_GROWTH = 1_000_000
"""Product of all factors by which calls of one statement lengthen text."""
_COLUMN_LENGTH = 20.0
"""Guess at the length of a text that is no literal."""

_COUNT_ARGUMENT = {"repeat": 1, "lpad": 1, "rpad": 1}
_WIDE = re.compile(r"%[-$\d]*(\*|\d{4})")
_GROWING = frozenset(
    {"array_agg", "array_append", "array_cat", "array_prepend", "array_to_string", "concat", "concat_ws", "format",
     "json_agg", "jsonb_agg", "json_object_agg", "jsonb_object_agg", "lpad", "overlay", "quote_literal",
     "regexp_replace", "repeat", "replace", "row_to_json", "rpad", "string_agg", "to_json", "to_jsonb"}
)  # fmt: skip


def check_bounds(root: exp.Expr) -> None:
    """Check the sizes that a statement asks for.

    Raises:
        GuardRefusal: by the rules `bound` and `recursion`.
    """
    growth = 1.0
    for node in root.find_all(exp.Anonymous):
        growth *= _growth(node, folded(node.this))
    if growth > MAX_GROWTH:
        _refuse("bound", "calls that multiply the length of text", f"at most {MAX_GROWTH} times in all")
    for with_ in root.find_all(exp.With):
        if with_.args.get("recursive"):
            _check_recursion(with_)


def _growth(call: exp.Anonymous, name: str) -> float:
    arguments = call.expressions
    if name in _COUNT_ARGUMENT:
        count = _number(arguments[1]) if len(arguments) > 1 else 0
        if count is None or not abs(count) <= MAX_LENGTH:
            _refuse("bound", f"the length in {name}()", f"a number of at most {MAX_LENGTH}")
        return max(1.0, count)
    if name == "array_fill":
        return _array_size(arguments)
    if name in ("replace", "regexp_replace") and len(arguments) > 2:
        return _replacement(arguments[1], arguments[2])
    if name == "format" and arguments:
        _check_format(arguments[0])
    if name == "generate_series":
        _check_series(arguments)
    return 1.0


def _check_format(template: exp.Expr) -> None:
    if not isinstance(template, exp.Literal) or _WIDE.search(template.name):
        _refuse("bound", "the template of format()", "a text without widths over 999")


def _array_size(arguments: list[exp.Expr]) -> float:
    sizes = arguments[1].find_all(exp.Literal) if len(arguments) > 1 else iter(())
    product = 1.0
    for size in sizes:
        product *= max(1.0, _number(size) or MAX_LENGTH)
    if product > MAX_LENGTH or (len(arguments) > 1 and not isinstance(arguments[1], exp.Array)):
        _refuse("bound", "the size in array_fill()", f"numbers of at most {MAX_LENGTH} elements")
    return product


def _replacement(old: exp.Expr, new: exp.Expr) -> float:
    if not isinstance(new, exp.Literal):
        return _COLUMN_LENGTH
    shortest = max(1, len(old.name)) if isinstance(old, exp.Literal) else 1
    return max(1.0, len(new.name) / shortest)


def _check_series(arguments: list[exp.Expr]) -> None:
    numbers = [_number(argument) for argument in arguments[:3]]
    if len(numbers) < 2 or numbers[0] is None or numbers[1] is None:
        return
    step = numbers[2] if len(numbers) > 2 and numbers[2] else 1.0
    rows = (numbers[1] - numbers[0]) / step
    if rows > MAX_SERIES:
        _refuse("bound", f"a series of {rows:.0f} rows", f"at most {MAX_SERIES}")


def _check_recursion(with_: exp.With) -> None:
    for cte in with_.expressions:
        for node in cte.this.walk():
            if isinstance(node, exp.DPipe) or (isinstance(node, exp.Anonymous) and folded(node.this) in _GROWING):
                _refuse("recursion", "text or arrays that grow in a WITH RECURSIVE", "numbers and dates only")


def _number(node: exp.Expr) -> float | None:
    while isinstance(node, exp.Cast | exp.Paren):
        node = node.this
    if isinstance(node, exp.Neg):
        inner = _number(node.this)
        return None if inner is None else -inner
    if not isinstance(node, exp.Literal):
        return None
    try:
        return float(node.this)
    except ValueError:
        return None


def _refuse(rule: str, seen: str, expected: str = "") -> NoReturn:
    raise GuardRefusal(seen, expected=expected, rule=rule)
