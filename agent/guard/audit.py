"""One row in `ops.query_audit` for every statement that was executed, explained, refused or failed.

Written as the owner, on connections of its own, in a transaction of its own. A result whose row cannot be written is
withheld. The commit does not wait for the disk: a crash of the server loses the last fraction of a second.
"""

from dataclasses import asdict, dataclass
from typing import Literal

import psycopg

from agent.guard.errors import AuditError
from agent.guard.pool import Connections
from agent.guard.results import Caller
from include.errors import PlatformError
from include.warehouse import Warehouse, load_sql

_PATIENCE = 10.0
"""Seconds to wait for a connection."""
MAX_STORED = 100_000
"""Characters stored of one text; a longer one is cut."""


@dataclass(frozen=True)
class AuditRow:
    """What became of one statement; columns of `ops.query_audit`."""

    snapshot_id: str
    sql_proposed: str
    verdict: Literal["executed", "explained", "refused", "failed"]
    sql_run: str | None = None
    rule: str | None = None
    sqlstate: str | None = None
    message: str | None = None
    row_count: int | None = None
    truncated: bool | None = None
    ms: float | None = None


class Audit:
    """The writer of audit rows, for several threads."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._sql = load_sql("guard/audit.sql")
        self._connections = Connections(
            warehouse.owner_url, size=2, name="crime audit", options="-c synchronous_commit=off"
        )

    def write(self, row: AuditRow, caller: Caller) -> None:
        """Write one row.

        Raises:
            AuditError: when it cannot be written.
        """
        values: dict[str, object] = {
            **asdict(row),
            "interface": caller.interface,
            "caller": caller.name,
            "question": caller.question,
            "node": caller.node,
        }
        stored = {name: _storable(value) if isinstance(value, str) else value for name, value in values.items()}
        try:
            with self._connections.connection(patience=_PATIENCE) as conn:
                conn.execute(self._sql, stored)
        except (psycopg.Error, PlatformError) as error:
            raise AuditError(
                f"the audit row of a statement could not be written: {error}",
                expected="a row in ops.query_audit for every statement",
                action="look at the warehouse with `crime doctor`; nothing is answered unaudited",
            ) from error

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()


def _storable(text: str) -> str:
    whole = text[:MAX_STORED].replace("\0", "\N{REPLACEMENT CHARACTER}")
    return whole.encode("utf-8", "replace").decode("utf-8")
