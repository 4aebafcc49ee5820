"""Conditions on one incident, as a small typed algebra; how they read in SQL is in `render`, in words in `describe`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Scalar: TypeAlias = str | int | float | bool
Operator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]

NEGATED: dict[Operator, Operator] = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True)
class Compare:
    """A column against one value."""

    column: str
    operator: Operator
    value: Scalar


@dataclass(frozen=True)
class OneOf:
    """A column that holds one of the values."""

    column: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True)
class Missing:
    """A column without a value."""

    column: str


@dataclass(frozen=True)
class Contains:
    """A text column that contains a text, in any case."""

    column: str
    text: str


@dataclass(frozen=True)
class Extreme:
    """A column at its newest (max) or oldest (min) value in the data."""

    column: str
    which: Literal["max", "min"]
    back: int = 0


@dataclass(frozen=True)
class SameAs:
    """Two columns compared with each other."""

    column: str
    operator: Operator
    other: str


@dataclass(frozen=True)
class Not:
    """The opposite of a condition."""

    part: "Predicate"


@dataclass(frozen=True)
class All:
    """Every part holds; no part = every incident."""

    parts: tuple["Predicate", ...] = ()


@dataclass(frozen=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple["Predicate", ...]


Predicate: TypeAlias = Compare | OneOf | Missing | Contains | Extreme | SameAs | Not | All | AnyOf
EVERYTHING = All()


def both(parts: Iterable[Predicate]) -> All:
    """Return the conjunction of the parts, flattened and without repetitions."""
    flat: dict[Predicate, None] = {}
    for part in parts:
        for leaf in part.parts if isinstance(part, All) else (part,):
            flat[leaf] = None
    return All(tuple(flat))


def negate(part: Predicate) -> Predicate:
    """Return the opposite; a plain comparison turns its operator round."""
    if isinstance(part, Not):
        return part.part
    if isinstance(part, Compare) and isinstance(part.value, bool):
        return Compare(part.column, "=", not part.value)
    if isinstance(part, Compare):
        return Compare(part.column, NEGATED[part.operator], part.value)
    if isinstance(part, All) and len(part.parts) == 1:
        return negate(part.parts[0])
    return Not(part)


def columns_of(part: Predicate) -> frozenset[str]:
    """Return the columns a condition reads."""
    if isinstance(part, All | AnyOf):
        return frozenset().union(*(columns_of(inner) for inner in part.parts)) if part.parts else frozenset()
    if isinstance(part, Not):
        return columns_of(part.part)
    if isinstance(part, SameAs):
        return frozenset({part.column, part.other})
    return frozenset({part.column})


def values_of(part: Predicate) -> tuple[Scalar, ...] | None:
    """Return the values of a plain equality or membership; None for any other condition."""
    if isinstance(part, OneOf):
        return part.values
    if isinstance(part, Compare) and part.operator == "=":
        return (part.value,)
    return None


def one_of(column: str, values: Iterable[Scalar]) -> Predicate:
    """Return an equality for one value, a membership for several."""
    kept = tuple(dict.fromkeys(values))
    return Compare(column, "=", kept[0]) if len(kept) == 1 else OneOf(column, kept)
