"""The hard gates: what must hold before a snapshot is published. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from include.quality.facts import RunFacts, SnapshotFacts
from include.quality.results import QualityResult

HELD_BY = "counts by year"
"""The gate whose failure holds a snapshot when the source moved while it was pulled."""
HOURS_FROM_ROWS = 10_000
_AFTERNOON = range(12, 24)
_AFTERNOON_SHARE = (0.45, 0.70)
_QUIET_HOURS = (4, 5, 6)


@dataclass(frozen=True)
class GateLimits:
    """Limits from the settings: shares between 0 and 1, age in days."""

    shrink: float
    freshness_days: int


def evaluate_gates(
    facts: SnapshotFacts, run: RunFacts, *, limits: GateLimits, now: datetime
) -> tuple[QualityResult, ...]:
    """Return the verdict of every gate.

    Args:
        facts: of the snapshot.
        run: of the run that made it.
        limits: from the settings.
        now: the moment of the check, Chicago local time without a zone.
    """
    return (
        _rows_landed(run),
        _ids_accounted(run),
        _rows_built(facts, run),
        _shrink(facts, run, limits),
        _zero("unique ids", {"ID": facts.duplicate_ids}, "surplus rows", "see which ids repeat in raw.crime"),
        _zero("nulls filled", facts.unfilled, "nulls where a rule fills", "see the null rules in sql/snapshot"),
        _zero("codes resolved", facts.unresolved, "codes without a name", "see the lookups of the snapshot"),
        _freshness(facts, limits, now),
        _hours(facts),
        _counts_by_year(run),
    )


def source_moved(run: RunFacts) -> bool:
    """Whether the source's counts changed between the first and the last page."""
    return dict(run.source_before) != dict(run.source_after)


def _rows_landed(run: RunFacts) -> QualityResult:
    return _gate(
        "rows landed",
        run.rows_received == run.rows_landed,
        seen=f"{run.rows_received:,} rows received, {run.rows_landed:,} landed",
        expected="as many landed as received",
        action="the landed pages were damaged: run again",
    )


def _ids_accounted(run: RunFacts) -> QualityResult:
    parts = {name: getattr(run, name) for name in ("inserted", "updated", "restamped", "unchanged", "rejected")}
    return _gate(
        "ids accounted for",
        run.distinct_ids == sum(parts.values()),
        seen=f"{run.distinct_ids:,} ids: " + ", ".join(f"{count:,} {name}" for name, count in parts.items()),
        expected="their sum",
        action="the merge lost or doubled rows: report it",
    )


def _rows_built(facts: SnapshotFacts, run: RunFacts) -> QualityResult:
    return _gate(
        "rows built",
        facts.row_count == run.raw_rows - run.left_out and facts.row_count > 0,
        seen=f"{facts.row_count:,} rows built of {run.raw_rows:,} in raw, {run.left_out:,} left out",
        expected="every row of raw that can be dated, and at least one",
        action="see ops.rejected_row of this run",
    )


def _shrink(facts: SnapshotFacts, run: RunFacts, limits: GateLimits) -> QualityResult:
    before = run.predecessor_rows
    seen = f"{facts.row_count:,} rows" + ("" if before is None else f" after {before:,}")
    return _gate(
        "no shrink",
        before is None or run.forced or facts.row_count >= before * (1 - limits.shrink),
        seen=f"{seen}, forced" if run.forced else seen,
        expected=f"at most {limits.shrink:.1%} fewer than the published snapshot",
        action="see whether the source lost data; if it is right, run again with --force",
    )


def _freshness(facts: SnapshotFacts, limits: GateLimits, now: datetime) -> QualityResult:
    newest = facts.newest_incident
    return _gate(
        "freshness",
        newest is not None and timedelta(days=-1) <= now - newest <= timedelta(days=limits.freshness_days),
        seen="no incident" if newest is None else f"newest incident {newest:%Y-%m-%d}, {(now - newest).days} days old",
        expected=f"at most {limits.freshness_days} days, and not in the future",
        action="see whether the City has stopped publishing, or published a wrong date",
        severity="warning",
    )


def _hours(facts: SnapshotFacts) -> QualityResult:
    rows = sum(facts.hours.values())
    share = sum(facts.hours.get(hour, 0) for hour in _AFTERNOON) / rows if rows else 0.0
    quietest = min(range(24), key=lambda hour: facts.hours.get(hour, 0))
    low, high = _AFTERNOON_SHARE
    return _gate(
        "hours of day",
        low <= share <= high and quietest in _QUIET_HOURS,
        seen=f"hours 12-23 hold {share:.1%}, the fewest fall in hour {quietest}",
        expected=f"{low:.0%}-{high:.0%}, and hour 4, 5 or 6",
        action="AM and PM or time zones are mixed up: compare raw.crime.date with the source",
        severity="critical" if rows >= HOURS_FROM_ROWS else "warning",
    )


def _counts_by_year(run: RunFacts) -> QualityResult:
    if not run.source_after:
        return _gate(
            HELD_BY,
            True,
            seen="the source was not asked",
            expected="a load from landed pages",
            action="",
        )
    off = _differences(run.raw_by_year, run.source_after)
    moved = _differences(run.source_before, run.source_after)
    beyond = {year: count for year, count in off.items() if abs(count) > abs(moved.get(year, 0))}
    said = "; ".join(f"{year or 'undated'}: {count:+,}" for year, count in sorted(off.items()))
    movement = f", which moved by {sum(map(abs, moved.values())):,} meanwhile" if moved else ""
    return _gate(
        HELD_BY,
        not beyond,
        seen=f"raw differs from the source{movement} by {said}" if off else f"raw equals the source{movement}",
        expected="within the movement seen" if moved else "equal",
        action="run again when the source has settled" if moved else "rows were lost: run `crime ingest --full`",
    )


def _differences(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    years = left.keys() | right.keys()
    return {year: count for year in years if (count := left.get(year, 0) - right.get(year, 0))}


def _zero(name: str, counts: Mapping[str, int], what: str, action: str) -> QualityResult:
    bad = {key: count for key, count in counts.items() if count}
    return _gate(
        name,
        not bad,
        seen=", ".join(f"{key}: {count:,} {what}" for key, count in bad.items()) or f"no {what}",
        expected=f"no {what}",
        action=action,
    )


def _gate(
    name: str,
    passed: bool,
    *,
    seen: str,
    expected: str,
    action: str,
    severity: Literal["critical", "warning"] = "critical",
) -> QualityResult:
    return QualityResult("gate", name, severity, passed, seen, expected, "" if passed else action)
