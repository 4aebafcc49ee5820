"""Variant snapshots: small generated ones, beside the real line, on which an answer that was right by accident shows.

They are built by the same rules as every snapshot, kept under an id that names the rules they were built by, and never
published.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import date

import psycopg
from psycopg import sql

from include.ingest.build import run_build
from include.ingest.rules import rules_digest
from include.settings import PROJECT_ROOT
from include.warehouse import Snapshot, Warehouse, get_snapshot, load_sql

VARIANT_ROWS = 12_000
VARIANT_SEEDS = (101, 202)
AS_OF = date(2026, 10, 31)
_LOCK = 7_403_201


def ensure_variants(warehouse: Warehouse, *, rows: int = VARIANT_ROWS) -> tuple[Snapshot, ...]:
    """Return the variant snapshots of the present rules, building those that lack."""
    return tuple(_ensure(warehouse, seed=seed, rows=rows) for seed in VARIANT_SEEDS)


def _ensure(warehouse: Warehouse, *, seed: int, rows: int) -> Snapshot:
    snapshot_id = f"variant_{seed}_{rows}_{_rules_digest()}"
    with warehouse.owner() as conn:
        # Two runs of a batch start together: the second waits and finds what the first built.
        conn.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        known = conn.execute("SELECT FROM ops.snapshot WHERE snapshot_id = %s", (snapshot_id,)).rowcount
        if not known:
            _drop_outdated(conn, prefix=f"variant_{seed}_{rows}_")
            _build(conn, snapshot_id, seed=seed, rows=rows)
        return get_snapshot(conn, snapshot_id)


def _drop_outdated(conn: psycopg.Connection, *, prefix: str) -> None:
    """Drop the variants of the same rows that earlier rules built: nothing reads them any more."""
    query = "SELECT snapshot_id FROM ops.snapshot WHERE state = 'variant' AND starts_with(snapshot_id, %s)"
    for (outdated,) in conn.execute(query, (prefix,)).fetchall():
        conn.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(outdated)))
        conn.execute("DELETE FROM ops.gold_result WHERE snapshot_id = %s", (outdated,))
        conn.execute("UPDATE ops.snapshot SET state = 'dropped' WHERE snapshot_id = %s", (outdated,))


def _build(conn: psycopg.Connection, snapshot_id: str, *, seed: int, rows: int) -> None:
    raw = sql.Identifier("staging", f"{snapshot_id}_raw")
    conn.execute(sql.SQL(load_sql("ingest/variant_raw.sql")).format(raw=raw))
    header, lines = _generated(seed=seed, rows=rows)
    known = {column for (column,) in conn.execute(load_sql("ingest/raw_columns.sql")).fetchall()}
    kept = [n for n, name in enumerate(header) if _raw_name(name) in known]
    columns = sql.SQL(", ").join(sql.Identifier(_raw_name(header[n])) for n in kept)
    with conn.cursor().copy(sql.SQL("COPY {} ({}) FROM STDIN").format(raw, columns)) as copy:
        for line in lines:
            copy.write_row([line[n] or None for n in kept])
    built = run_build(conn, schema=snapshot_id, raw=f"staging.{snapshot_id}_raw")
    conn.execute(sql.SQL("DROP TABLE {}").format(raw))
    conn.execute(
        "INSERT INTO ops.snapshot (snapshot_id, state, row_count, newest_incident, oldest_incident, fingerprint, note)"
        " VALUES (%s, 'variant', %s, %s, %s, %s, %s)",
        (
            snapshot_id,
            built.row_count,
            built.newest_incident,
            built.oldest_incident,
            built.fingerprint,
            f"generated, seed {seed}",
        ),
    )


def _generated(*, seed: int, rows: int) -> tuple[list[str], Iterator[Sequence[str]]]:
    from include.source.simulator import write_generated

    target = io.BytesIO()
    write_generated(target, rows=rows, seed=seed, as_of=AS_OF)
    reader = csv.reader(io.StringIO(target.getvalue().decode("utf-8"), newline=""))
    return next(reader), reader


def _raw_name(field: str) -> str:
    return "source_updated_at" if field == ":updated_at" else field


def _rules_digest() -> str:
    """Return a digest of everything a variant is built by: the rules, and the generator."""
    return rules_digest(PROJECT_ROOT / "include" / "source" / "simulator")
