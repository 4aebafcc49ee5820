"""The verdict of one gate or expectation, and its record in `ops.quality_result`."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import psycopg
from psycopg.rows import dict_row

from include.warehouse import get_snapshot, load_sql


@dataclass(frozen=True)
class QualityResult:
    """One verdict.

    Attributes:
        kind: a hard gate, or an expectation of the suite.
        name: unique within its kind.
        severity: a failed critical one stops the publication, a failed warning does not.
        passed: the verdict.
        seen: what was observed.
        expected: what should have been.
        action: what to do about it when it failed.
    """

    kind: Literal["gate", "expectation"]
    name: str
    severity: Literal["critical", "warning"]
    passed: bool
    seen: str
    expected: str
    action: str = ""

    @property
    def stops(self) -> bool:
        """Whether it stops the publication."""
        return not self.passed and self.severity == "critical"


def store_results(
    conn: psycopg.Connection, results: Sequence[QualityResult], *, snapshot_id: str, run_id: str | None
) -> None:
    """Write the verdicts on a snapshot, replacing earlier ones of the same name."""
    rows = [asdict(result) | {"snapshot_id": snapshot_id, "run_id": run_id} for result in results]
    with conn.cursor() as cursor:
        cursor.executemany(load_sql("checks/store_result.sql"), rows)


def describe_snapshot(conn: psycopg.Connection, snapshot_id: str) -> dict[str, Any]:
    """Return `snapshot`, `quality`, `ledger` and `diff` of a snapshot, as dicts with the names of the columns in `ops`.

    Raises:
        UsageError: when there is no such snapshot.
    """
    snapshot = asdict(get_snapshot(conn, snapshot_id))
    with conn.cursor(row_factory=dict_row) as cursor:
        quality = cursor.execute(load_sql("checks/results_of_snapshot.sql"), (snapshot_id,)).fetchall()
        ledger = cursor.execute(load_sql("checks/ledger_of_snapshot.sql"), (snapshot_id,)).fetchall()
        diff = cursor.execute(load_sql("quality/diff_of_snapshot.sql"), (snapshot_id,)).fetchall()
    return {"snapshot": snapshot, "quality": quality, "ledger": ledger, "diff": diff}
