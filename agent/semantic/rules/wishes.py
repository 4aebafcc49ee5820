"""What some composed atoms ask for: contrasts of groups, changes, the newest incidents."""

from dataclasses import dataclass

from agent.semantic.algebra import Measure
from agent.semantic.meanings import Threshold
from agent.semantic.predicates import Predicate


@dataclass(frozen=True)
class Contrast:
    """Groups that have the one kind of incidents and (`both`) or but not (`without`) the other."""

    has: Predicate
    other: Predicate
    kind: str


@dataclass(frozen=True)
class Change:
    """A wish for a change between two spans or along a grain."""

    percent: bool
    direction: str
    measure: Measure | None
    ranked: bool | None = None
    threshold: Threshold | None = None


@dataclass(frozen=True)
class Recent:
    """The newest or oldest incidents."""

    newest: bool
    limit: int | None
