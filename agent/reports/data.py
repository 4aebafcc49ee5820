"""What the report is made of: every figure is a query on `ops` or a plain difference of two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import dict_row

from include.warehouse import Warehouse, load_sql

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ArmRuns:
    """One arm of the batch: its runs by repeat, their answers, and the run before to compare with."""

    arm: str
    runs: tuple[Row, ...]
    answers: tuple[tuple[Row, ...], ...]
    baseline: Row | None
    baseline_answers: tuple[Row, ...]

    @property
    def finished(self) -> tuple[Row, ...]:
        """The runs that have figures."""
        return tuple(run for run in self.runs if run["status"] == "finished")

    def figure(self, name: str) -> float | None:
        """Return the mean of a figure over the finished repeats."""
        values = [run["metrics"][name] for run in self.finished if run["metrics"].get(name) is not None]
        return sum(values) / len(values) if values else None


@dataclass(frozen=True)
class ReportData:
    """The newest batch with all that the page shows; without a batch only the snapshot is known."""

    batch: Row | None
    arms: tuple[ArmRuns, ...]
    trend: tuple[Row, ...]
    snapshot: Row | None
    ledger: tuple[Row, ...]
    diff: tuple[Row, ...]
    moved_golds: tuple[int, ...]

    @property
    def headline(self) -> ArmRuns | None:
        """The arm the verdict speaks of: the best by the default reading."""
        measured = [arm for arm in self.arms if arm.figure("ex_default") is not None]
        return max(measured, key=lambda arm: arm.figure("ex_default") or 0.0, default=None)


def read_report_data(warehouse: Warehouse) -> ReportData:
    """Read everything in one transaction, so that the figures belong together."""
    with warehouse.owner() as conn:
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        batch = _one(conn, "batch", {})
        snapshot_id = batch["snapshot_id"] if batch else _published(conn)
        arms = _arms(conn, batch) if batch else ()
        return ReportData(
            batch=batch,
            arms=arms,
            trend=_all(conn, "trend", {"question_set": batch["question_set"], "until": _until(arms, batch)})
            if batch
            else (),
            snapshot=_one(conn, "data_changes", {"snapshot_id": snapshot_id}),
            ledger=_table(conn, "null_rule_ledger", snapshot_id),
            diff=_table(conn, "snapshot_diff", snapshot_id),
            moved_golds=_moved(conn, batch, arms) if batch else (),
        )


def _until(arms: Sequence[ArmRuns], batch: Row) -> datetime:
    started = [run["started_at"] for arm in arms for run in arm.runs]
    latest: datetime = max(started, default=batch["started_at"])
    return latest


def _arms(conn: psycopg.Connection, batch: Row) -> tuple[ArmRuns, ...]:
    runs = _all(conn, "runs", {"batch_id": batch["batch_id"]})
    return tuple(
        _arm(conn, arm, tuple(run for run in runs if run["arm"] == arm), batch)
        for arm in sorted({run["arm"] for run in runs})
    )


def _arm(conn: psycopg.Connection, arm: str, runs: tuple[Row, ...], batch: Row) -> ArmRuns:
    baseline = _one(conn, "baseline", {"arm": arm, **batch})
    return ArmRuns(
        arm=arm,
        runs=runs,
        answers=tuple(_all(conn, "answers", {"bench_id": run["bench_id"]}) for run in runs),
        baseline=baseline,
        baseline_answers=_all(conn, "answers", {"bench_id": baseline["bench_id"]}) if baseline else (),
    )


def _moved(conn: psycopg.Connection, batch: Row, arms: Sequence[ArmRuns]) -> tuple[int, ...]:
    earlier = next((arm.baseline["snapshot_id"] for arm in arms if arm.baseline), None)
    if earlier is None or earlier == batch["snapshot_id"]:
        return ()
    rows = _all(conn, "moved_golds", {**batch, "earlier": earlier})
    return tuple(row["question_id"] for row in rows)


def _published(conn: psycopg.Connection) -> str | None:
    row = conn.execute("SELECT snapshot_id FROM ops.snapshot WHERE state = 'published'").fetchone()
    return row[0] if row else None


def _table(conn: psycopg.Connection, table: str, snapshot_id: str | None) -> tuple[Row, ...]:
    with conn.cursor(row_factory=dict_row) as cursor:
        text = psycopg.sql.SQL("SELECT * FROM ops.{} WHERE snapshot_id = %s ORDER BY 2, 3, 4")
        return tuple(cursor.execute(text.format(psycopg.sql.Identifier(table)), (snapshot_id,)).fetchall())


def _all(conn: psycopg.Connection, name: str, values: Mapping[str, Any]) -> tuple[Row, ...]:
    with conn.cursor(row_factory=dict_row) as cursor:
        return tuple(cursor.execute(load_sql(f"reports/{name}.sql"), values).fetchall())


def _one(conn: psycopg.Connection, name: str, values: Mapping[str, Any]) -> Row | None:
    rows = _all(conn, name, values)
    return rows[0] if rows else None
