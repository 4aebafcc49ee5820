"""The result of comparing two snapshots. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class DiffCounts:
    """Rows by how they differ; each row is counted once. For a column: its differing cells by the kind of their row.

    Attributes:
        added: only in the newer snapshot.
        changed: with another value of their own.
        removed: only in the older one.
        imputed: differing only in cells that null rules take from other rows.
        restamped: differing only in UPDATED_ON, and so in DAYS_TO_UPDATE.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    imputed: int = 0
    restamped: int = 0

    def __str__(self) -> str:
        return ", ".join(f"{getattr(self, kind):,} {kind}" for kind in KINDS)


KINDS = tuple(one.name for one in fields(DiffCounts))


@dataclass(frozen=True)
class SnapshotDiff:
    """How a snapshot differs from an older one.

    Attributes:
        snapshot_id: the newer one.
        predecessor_id: the older one.
        total: of all rows.
        by_type: by CRIME_TYPE: the newer value of a row that has both.
        by_year: by YEAR, likewise.
        by_column: cells of rows that are in both.
    """

    snapshot_id: str
    predecessor_id: str
    total: DiffCounts
    by_type: Mapping[str, DiffCounts] = field(default_factory=dict)
    by_year: Mapping[str, DiffCounts] = field(default_factory=dict)
    by_column: Mapping[str, DiffCounts] = field(default_factory=dict)

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat dict a dimension and value: `dimension`, `value` and the counts."""
        parts = {"total": {"": self.total}, "type": self.by_type, "year": self.by_year, "column": self.by_column}
        return [
            {"dimension": dimension, "value": value, **asdict(counts)}
            for dimension, values in parts.items()
            for value, counts in sorted(values.items())
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON types."""
        return asdict(self)


def fold_groups(
    groups: Iterable[Sequence[Any]], columns: Sequence[str], *, snapshot_id: str, predecessor_id: str
) -> SnapshotDiff:
    """Sum up groups of rows.

    Args:
        groups: each kind, crime type, year, number of rows, and number of differing cells of each column.
        columns: their names.
        snapshot_id: the newer snapshot.
        predecessor_id: the older one.
    """
    counts: dict[tuple[str, str], dict[str, int]] = {("total", ""): {}}
    for kind, crime_type, year, rows, *cells in groups:
        shares = {("total", ""): rows, ("type", crime_type): rows, ("year", str(year)): rows}
        if kind not in ("added", "removed"):
            shares |= {("column", name): number for name, number in zip(columns, cells, strict=True) if number}
        for key, number in shares.items():
            sums = counts.setdefault(key, {})
            sums[kind] = sums.get(kind, 0) + number

    def part(dimension: str) -> dict[str, DiffCounts]:
        return {value: DiffCounts(**sums) for (name, value), sums in sorted(counts.items()) if name == dimension}

    return SnapshotDiff(
        snapshot_id=snapshot_id,
        predecessor_id=predecessor_id,
        total=part("total")[""],
        by_type=part("type"),
        by_year=part("year"),
        by_column=part("column"),
    )
