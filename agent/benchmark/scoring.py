"""The verdicts on one answer: EM, strict JSON match, and the three readings, against every accepted gold."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from agent.benchmark.comparator import READINGS, Table, reading_rules, tables_equal
from agent.benchmark.exact_match import exact_match, json_match
from agent.benchmark.gold import Gold

Outcome = Literal["correct", "wrong", "undetermined", "invalid", "no_query", "refused", "infrastructure"]


@dataclass(frozen=True)
class Verdicts:
    """Whether one result equals a gold, by each measure.

    Attributes:
        robust: the default reading also holds on the variant snapshots; None when there is none.
        empty_gold: the gold is empty on this snapshot, so that an empty result proves little.
    """

    em: bool
    json_match: bool
    ex_strict: bool
    ex_default: bool
    ex_lenient: bool
    ex_robust: bool | None
    empty_gold: bool

    def to_json(self) -> dict[str, bool | None]:
        """Return the verdicts as JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Marking:
    """How a question is marked: the fields of the question the comparator needs."""

    ordered: bool
    extra_columns: tuple[str, ...]
    scale: bool


def judge_result(
    got: Table, golds: Sequence[Gold], *, marking: Marking, truncated: bool, robust: bool | None
) -> Verdicts:
    """Return the verdicts on a result. A cut result is never correct.

    Args:
        got: the result the agent's SQL gave.
        golds: the accepted golds; matching any of them counts.
        marking: the question's own rules.
        truncated: whether the result was cut at a limit.
        robust: whether the default reading also held on the variant snapshots.
    """
    empty = all(not gold.table.rows for gold in golds)
    if truncated:
        return Verdicts(False, False, False, False, False, False, empty)
    readings = {name: any(_equal(gold, got, reading=name, marking=marking) for gold in golds) for name in READINGS}
    return Verdicts(
        em=any(exact_match(right.table, got) for gold in golds for right in gold.exact),
        json_match=any(json_match(right.table, got) for gold in golds for right in gold.exact),
        ex_strict=readings["strict"],
        ex_default=readings["default"],
        ex_lenient=readings["lenient"],
        ex_robust=None if robust is None else readings["default"] and robust,
        empty_gold=empty,
    )


def equal_by_default(got: Table, golds: Sequence[Gold], *, marking: Marking) -> bool:
    """Whether the default reading accepts the result."""
    return any(_equal(gold, got, reading="default", marking=marking) for gold in golds)


def _equal(gold: Gold, got: Table, *, reading: Literal["strict", "default", "lenient"], marking: Marking) -> bool:
    names = {name.casefold() for name in gold.table.columns}
    unseen = tuple(name for name in marking.extra_columns if name.casefold() not in names)
    return any(
        tables_equal(
            right.table,
            got,
            rules=reading_rules(
                reading,
                ordered=marking.ordered,
                blocks=right.blocks,
                extra_columns=unseen,
                scale=marking.scale,
            ),
        )
        for right in (gold.exact if reading == "strict" else gold.alternatives)
    )
