"""What ingestion is measured against: the least work any loader has, and the way a script would go."""

from pathlib import Path

from psycopg import sql

from include.dataset import FACT
from include.source import ROW_COLUMNS, read_landed
from include.warehouse import Warehouse

SELECTED = ", ".join(ROW_COLUMNS)
_CHUNK = 1 << 20
_BARE = "CREATE TABLE bench_copy.{table} (LIKE {schema}.{table} INCLUDING DEFAULTS)"
_KEYS = """
SELECT format('ALTER TABLE bench_copy.%%I ADD %%s', relname, pg_get_constraintdef(c.oid))
FROM pg_constraint AS c
JOIN pg_class AS t ON t.oid = c.conrelid
WHERE c.conrelid = %s::regclass AND c.contype IN ('p', 'f')
ORDER BY c.contype DESC
"""
_INDEXES = """
SELECT replace(indexdef, ' ON ' || quote_ident(schemaname) || '.', ' ON bench_copy.')
FROM pg_indexes
WHERE schemaname = %s AND tablename = %s AND indexdef NOT LIKE 'CREATE UNIQUE%%'
"""


def export(warehouse: Warehouse, snapshot_id: str, target: Path) -> None:
    """Write the finished rows of a snapshot in PostgreSQL's binary form."""
    query = sql.SQL("COPY {} TO STDOUT (FORMAT binary)").format(sql.Identifier(snapshot_id, FACT.name))
    with warehouse.owner() as conn, conn.cursor().copy(query) as copy, target.open("wb") as file:
        for block in copy:
            file.write(block)


def copy(warehouse: Warehouse, finished: Path) -> None:
    """Load the finished rows and add the keys and indexes that the published snapshot has."""
    with warehouse.owner() as conn:
        row = conn.execute("SELECT snapshot_id FROM ops.snapshot WHERE state = 'published'").fetchone()
        assert row is not None
        schema = row[0]
        table, qualified = sql.Identifier(FACT.name), f"{schema}.{FACT.name}"
        conn.execute("CREATE SCHEMA bench_copy")
        conn.execute("SET LOCAL maintenance_work_mem = '256MB'")
        conn.execute(sql.SQL(_BARE).format(table=table, schema=sql.Identifier(schema)))
        with (
            conn.cursor().copy(sql.SQL("COPY bench_copy.{} FROM STDIN (FORMAT binary)").format(table)) as target,
            finished.open("rb") as file,
        ):
            while block := file.read(_CHUNK):
                target.write(block)
        statements = conn.execute(_KEYS, (qualified,)).fetchall()
        statements += conn.execute(_INDEXES, (schema, FACT.name)).fetchall()
        for (statement,) in statements:
            conn.execute(statement)
    with warehouse.owner() as conn:
        conn.execute("DROP SCHEMA bench_copy CASCADE")


def pandas(warehouse: Warehouse, pages: Path, sample: int) -> None:
    """Load the first landed rows as a script would: `read_csv`, then `to_sql`."""
    import pandas as pd
    from sqlalchemy import create_engine

    page = pages / read_landed(pages).pages[0].file
    frame = pd.read_csv(page, nrows=sample, parse_dates=["date", "updated_on"])
    engine = create_engine(warehouse.owner_url.replace("postgresql://", "postgresql+psycopg://", 1))
    frame.to_sql("bench_pandas", engine, schema="staging", if_exists="replace", index=False, chunksize=10_000)
    engine.dispose()
    with warehouse.owner() as conn:
        conn.execute("DROP TABLE staging.bench_pandas")
