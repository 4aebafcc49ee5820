"""What differs between two snapshots: rows in total, by crime type and by year, and cells by column."""

import logging
from collections.abc import Mapping

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from include.dataset import COORDINATES, FACT
from include.errors import UsageError
from include.quality.diff_result import KINDS, DiffCounts, SnapshotDiff, fold_groups
from include.warehouse import get_snapshot, load_sql, require_snapshot

log = logging.getLogger(__name__)
_WORK_MEMORY = "64MB"
_WORTH_INDEXES = 0.2
"""Share of rows that changed beyond which both tables are read whole: it is the faster way then."""
_PLACES = (*COORDINATES, "LOCATION")
_DATES = ("INCIDENT_DATE", "MONTH", "DAY", "HOUR", "QUARTER", "DAY_OF_WEEK", "IS_WEEKEND", "SEASON", "TIME_OF_DAY")
_STAMPS = ("UPDATED_ON", "DAYS_TO_UPDATE")


def run_diff(conn: psycopg.Connection, snapshot_id: str) -> SnapshotDiff | None:
    """Compare a snapshot with its predecessor, store the result in `ops.snapshot_diff` and return it.

    Only rows that changed in `raw` since the predecessor's run, and those with cells that a null rule takes from other
    rows, are compared, unless these are not all that can differ: then every row is.

    Returns:
        None without a predecessor: for a first snapshot and for a replaced source.

    Raises:
        UsageError: when there is no such snapshot.
        RefusedError: when the tables of one of the two are gone.
    """
    new = require_snapshot(conn, snapshot_id)
    if new.predecessor_id is None:
        return None
    old = require_snapshot(conn, new.predecessor_id)
    with conn.transaction():
        reason = _why_whole(conn, snapshot_id, old.snapshot_id)
        if reason is None:
            candidates = _find_candidates(conn, str(old.run_id))
            if candidates > _WORTH_INDEXES * (new.row_count or 0):
                reason = f"{candidates:,} rows can differ"
        diff = _compare(conn, old.snapshot_id, snapshot_id, whole=reason is not None)
        _store(conn, diff)
    log.info("%s: %s since %s, by %s", snapshot_id, diff.total, old.snapshot_id, reason or f"{candidates:,} rows")
    return diff


def compare_snapshots(conn: psycopg.Connection, old_id: str, new_id: str) -> SnapshotDiff:
    """Compare all rows of any two snapshots whose tables exist; nothing is stored.

    Raises:
        UsageError: when there is no such snapshot.
        RefusedError: when the tables of one of the two are gone.
    """
    for snapshot_id in (old_id, new_id):
        require_snapshot(conn, snapshot_id)
    if old_id == new_id:
        raise UsageError(f"{old_id} is named twice", expected="two snapshots", action="see `crime snapshots list`")
    with conn.transaction():
        return _compare(conn, old_id, new_id, whole=True)


def read_diff(conn: psycopg.Connection, snapshot_id: str) -> SnapshotDiff | None:
    """Return the stored comparison of a snapshot with its predecessor; None when there is none.

    Raises:
        UsageError: when there is no such snapshot.
    """
    get_snapshot(conn, snapshot_id)
    with conn.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(load_sql("quality/diff_of_snapshot.sql"), (snapshot_id,)).fetchall()
    counts: dict[str, dict[str, DiffCounts]] = {"total": {}, "type": {}, "year": {}, "column": {}}
    for row in rows:
        counts[row["dimension"]][row["value"]] = DiffCounts(**{kind: row[kind] for kind in KINDS})
    if not counts["total"]:
        return None
    return SnapshotDiff(
        snapshot_id=snapshot_id,
        predecessor_id=rows[0]["predecessor_id"],
        total=counts["total"][""],
        by_type=counts["type"],
        by_year=counts["year"],
        by_column=counts["column"],
    )


def _why_whole(conn: psycopg.Connection, new_id: str, old_id: str) -> str | None:
    row = conn.execute(load_sql("quality/diff_scope.sql"), {"new": new_id, "old": old_id}).fetchone()
    assert row is not None
    return str(row[0]) if row[0] else None


def _find_candidates(conn: psycopg.Connection, run_id: str) -> int:
    query = sql.SQL(load_sql("quality/diff_candidates.sql")).format(run_id=sql.Literal(run_id))
    cursor = conn.execute(query)
    conn.execute("ANALYZE diff_candidate")
    return cursor.rowcount


def _compare(conn: psycopg.Connection, old_id: str, new_id: str, *, whole: bool) -> SnapshotDiff:
    # Columns are only ever appended: those of the older snapshot are in both.
    columns = _columns(conn, old_id) & _columns(conn, new_id)
    names = [column.name for column in FACT.columns if column.name in columns]
    filled = {*_PLACES, *_DATES, *_STAMPS, "IMPUTED_FIELDS"}
    query = sql.SQL(load_sql("quality/diff.sql")).format(
        new=_rows(new_id, whole=whole),
        old=_rows(old_id, whole=whole),
        cells=sql.SQL(", ").join(sql.SQL("count(*) FILTER (WHERE {})").format(_differ([name])) for name in names),
        new_open=_open("n"),
        old_open=_open("p"),
        own_differ=_differ([name for name in names if name not in filled]),
        dates_differ=_differ(_DATES),
        places_differ=_differ(_PLACES),
        place_names=sql.Literal(f",({'|'.join(COORDINATES)})"),
        differs=_differ(names),
    )
    conn.execute("SELECT set_config('work_mem', %s, true)", (_WORK_MEMORY,))
    groups = conn.execute(query).fetchall()
    return fold_groups(groups, names, snapshot_id=new_id, predecessor_id=old_id)


def _columns(conn: psycopg.Connection, schema: str) -> set[str]:
    values: Mapping[str, str] = {"schema": schema, "relation": FACT.name}
    return {row[0] for row in conn.execute(load_sql("ops/relation_columns.sql"), values)}


def _rows(schema: str, *, whole: bool) -> sql.Composable:
    table = sql.Identifier(schema, FACT.name)
    if whole:
        return table
    return sql.SQL('(SELECT * FROM {} WHERE "ID" IN (SELECT id FROM diff_candidate))').format(table)


def _differ(names: list[str] | tuple[str, ...]) -> sql.Composable:
    new, old = (
        sql.SQL(", ").join(sql.SQL("{}.{}").format(sql.SQL(side), sql.Identifier(name)) for name in names)
        for side in ("n", "p")
    )
    return sql.SQL("(ROW({}) IS DISTINCT FROM ROW({}))").format(new, old)


def _open(side: str) -> sql.Composable:
    """Whether a coordinate is missing: then a later snapshot may fill all four."""
    return sql.SQL(" OR ").join(
        sql.SQL("{}.{} IS NULL").format(sql.SQL(side), sql.Identifier(name)) for name in COORDINATES
    )


def _store(conn: psycopg.Connection, diff: SnapshotDiff) -> None:
    conn.execute("DELETE FROM ops.snapshot_diff WHERE snapshot_id = %s", (diff.snapshot_id,))
    rows = [row | {"snapshot_id": diff.snapshot_id, "predecessor_id": diff.predecessor_id} for row in diff.rows()]
    with conn.cursor() as cursor:
        cursor.executemany(load_sql("quality/store_diff.sql"), rows)
