"""The meanings composed atoms carry between rules: conditions, thresholds, orders, grouping."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agent.semantic.algebra import Dimension, Measure, Reference
from agent.semantic.predicates import Operator, Predicate, columns_of, one_of
from agent.semantic.vocabulary import Link

TIME_COLUMNS = frozenset(
    {"INCIDENT_DATE", "YEAR", "MONTH", "DAY", "HOUR", "QUARTER", "DAY_OF_WEEK", "IS_WEEKEND", "SEASON", "TIME_OF_DAY"}
)
CALENDAR_COLUMNS = frozenset({"INCIDENT_DATE", "YEAR", "MONTH", "DAY", "QUARTER"})


@dataclass(frozen=True)
class Condition:
    """A condition with what it may also mean.

    Attributes:
        predicate: the preferred reading.
        noun: whether it names incidents by itself ("thefts").
        label: the question's words for it.
        alternatives: other columns the same words are stored in.
        coordinated: whether it was joined from several by "and" or "or".
    """

    predicate: Predicate
    noun: bool = False
    label: str = ""
    alternatives: tuple[Link, ...] = ()
    coordinated: bool = False

    @classmethod
    def of_links(cls, links: Sequence[Link], label: str) -> "Condition":
        """Return the condition of linked values: the first link is preferred."""
        first = links[0]
        return cls(one_of(first.column, first.values), first.column == "CRIME_TYPE", label, tuple(links))

    @property
    def columns(self) -> frozenset[str]:
        """The columns read."""
        return columns_of(self.predicate)

    @property
    def is_time(self) -> bool:
        """Whether it is only about when incidents happened."""
        return self.columns <= TIME_COLUMNS

    @property
    def is_calendar(self) -> bool:
        """Whether it names a span of dates."""
        return self.columns <= CALENDAR_COLUMNS

    def read_as(self, column: str) -> "Condition | None":
        """Return the reading in a column; None when the words are not stored there."""
        for link in self.alternatives:
            if link.column == column:
                return replace(self, predicate=one_of(column, link.values))
        return self if self.columns == {column} else None


@dataclass(frozen=True)
class Threshold:
    """A comparison with a number; `percent` when the number was a percentage."""

    operator: Operator
    value: float | Reference
    upper: float | None = None
    percent: bool = False


@dataclass(frozen=True)
class Ranking:
    """A wish to sort: by a measure (None = the one being measured), one row or several."""

    descending: bool
    measure: Measure | None = None


@dataclass(frozen=True)
class Grouping:
    """A dimension that rows are grouped by, and how it was asked for."""

    dimension: Dimension
    role: Literal["each", "which", "by", "bare", "period"]


@dataclass(frozen=True)
class Trend:
    """A measure against the row before it or against a second span."""

    kind: Literal["change", "change_percent", "previous"]
    direction: Literal["both", "up", "down"] = "both"
