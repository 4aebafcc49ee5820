"""What the demo reports, read from `ops`: nothing is computed here that a query on `ops` does not give."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from psycopg.rows import dict_row

from include.errors import TerminalError
from include.warehouse import Warehouse, load_sql


@dataclass(frozen=True)
class DemoSummary:
    """Figures of one demo: the ingestion, the benchmark per arm, the report, and where to look on."""

    snapshot_id: str
    mode: str
    rows_received: int
    rows_inserted: int
    rows_updated: int
    rows_deleted: int
    rows_published: int
    newest_incident: str
    cells_imputed: Mapping[str, int]
    arms: tuple[Mapping[str, Any], ...]
    report_path: str
    dag_runs: Mapping[str, str]
    airflow_url: str
    passwords_file: str
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain JSON values."""
        return asdict(self)


def collect_summary(
    warehouse: Warehouse, *, dag_runs: Mapping[str, str], airflow_url: str, passwords_file: str, seconds: float
) -> DemoSummary:
    """Read the newest ingestion, benchmark batch and report from `ops`.

    Raises:
        TerminalError: one of them is missing.
    """
    with warehouse.owner() as conn, conn.cursor(row_factory=dict_row) as cursor:
        ingest = cursor.execute(load_sql("ops/demo_ingest.sql")).fetchone()
        arms = cursor.execute(load_sql("ops/demo_arms.sql")).fetchall()
        report = cursor.execute("SELECT path FROM ops.report ORDER BY built_at DESC LIMIT 1").fetchone()
    if ingest is None or not arms or report is None:
        raise TerminalError("the chain ran but left no ingestion, benchmark or report in ops")
    return DemoSummary(
        **ingest,
        arms=tuple(arms),
        report_path=report["path"],
        dag_runs=dag_runs,
        airflow_url=airflow_url,
        passwords_file=passwords_file,
        seconds=round(seconds, 1),
    )
