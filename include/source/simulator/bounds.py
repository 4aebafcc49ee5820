"""Which values of a sorted column a condition can hold for: the interval that lets a query start in the middle."""

from dataclasses import dataclass
from math import inf

from include.source.simulator.soql import Call, Column, Literal, Node
from include.source.simulator.values import milliseconds

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


@dataclass(frozen=True)
class Interval:
    """Closed bounds; wider than the truth is allowed, narrower is not."""

    low: float = -inf
    high: float = inf


def interval_of(condition: Node | None, column: str) -> Interval:
    """Bounds of `column` (a number, or a time in milliseconds) on rows that satisfy the condition."""
    if not isinstance(condition, Call):
        return Interval()
    if condition.name in ("and", "or"):
        left, right = (interval_of(part, column) for part in condition.args)
        if condition.name == "and":
            return Interval(max(left.low, right.low), min(left.high, right.high))
        return Interval(min(left.low, right.low), max(left.high, right.high))
    if condition.name in _MIRRORED:
        return _comparison(condition, column)
    if condition.name == "in" and condition.args[0] == Column(column):
        values = [_number(item) for item in condition.args[1:]]
        if values and all(value is not None for value in values):
            known = [value for value in values if value is not None]
            return Interval(min(known), max(known))
    return Interval()


def _comparison(condition: Call, column: str) -> Interval:
    left, right = condition.args
    operator = condition.name
    if right == Column(column):
        left, right, operator = right, left, _MIRRORED[operator]
    value = _number(right)
    if left != Column(column) or value is None:
        return Interval()
    low = -inf if operator in ("<", "<=") else value
    high = inf if operator in (">", ">=") else value
    return Interval(low, high)


def _number(node: Node) -> float | None:
    if not isinstance(node, Literal) or node.value is None or isinstance(node.value, bool):
        return None
    if not isinstance(node.value, str):
        return float(node.value)
    stamp = milliseconds(node.value, "fixed_timestamp")
    if stamp is not None and not node.value.isdigit():
        return float(stamp)
    try:
        return float(node.value)
    except ValueError:
        return None
