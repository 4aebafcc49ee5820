"""Build one snapshot from `raw`: null rules, derived columns, keys, indexes, comments, statistics, grants."""

import time

import psycopg
from psycopg import sql

from include.dataset import (
    CRIME_CATEGORY_BY_TYPE,
    INDEX_CRIME_CODES,
    LOCATION_CATEGORY_BY_DESCRIPTION,
    LOCATION_RISK_BY_CATEGORY,
    LOOKUPS,
    Lookup,
)
from include.errors import UsageError
from include.ingest.build_result import BuildResult, read_content, read_ledger, read_unseen
from include.ingest.build_tables import add_comments, add_keys, create_lookup, grant_schema, vacuum_snapshot
from include.warehouse import load_sql

WORK_MEMORY = "128MB"
INDEX_MEMORY = "256MB"


def run_build(
    conn: psycopg.Connection, *, schema: str, raw: str = "raw.crime", run_id: str | None = None
) -> BuildResult:
    """Build the four tables of a snapshot in a new schema, in one transaction.

    Args:
        conn: a connection of the owner. With autocommit the tables are also vacuumed, which makes index-only scans
            possible at once; without it the caller commits (and may call `vacuum_snapshot` then).
        schema: name of the schema to make.
        raw: the table of source rows, of the form of `raw.crime`; rows with `deleted_at` are left out.
        run_id: the run that rejected rows are stored under; without one they are only counted.

    Raises:
        UsageError: when the schema exists already.
    """
    started = time.monotonic()
    build = _Build(conn, schema=schema, raw=raw)
    with conn.transaction():
        build.prepare()
        for name in ("source_view", "values", "gaps", "coordinates", "incidents", "rejected"):
            build.run(name)
        rejected = build.reject(run_id)
        placeholders = build.add_placeholders()
        add_keys(conn, schema)
        build.run("indexes")
        add_comments(conn, schema)
        build.run("analyze")
        content = read_content(conn, schema)
        result = BuildResult(
            schema=schema,
            row_count=content.row_count,
            rejected=rejected,
            ledger=read_ledger(conn, schema, content=content),
            unlocated=content.unlocated,
            placeholders=placeholders,
            unseen=read_unseen(conn, schema),
            codes_lost=build.count_codes_lost(),
            fingerprint=content.fingerprint,
            oldest_incident=content.oldest_incident,
            newest_incident=content.newest_incident,
            newest_update=content.newest_update,
            seconds=time.monotonic() - started,
        )
        build.run("clean_up")
        grant_schema(conn, schema)
    if conn.autocommit:
        vacuum_snapshot(conn, schema)
    return result


class _Build:
    """The SQL files of `sql/snapshot`, filled in for one schema."""

    def __init__(self, conn: psycopg.Connection, *, schema: str, raw: str) -> None:
        self._conn = conn
        self._schema = sql.Identifier(schema)
        self._name = schema
        self._raw = sql.Identifier(*raw.split("."))

    def prepare(self) -> None:
        if self._conn.execute("SELECT FROM pg_namespace WHERE nspname = %s", (self._name,)).rowcount:
            raise UsageError(
                f"the schema {self._name} exists already", expected="a new one", action="build under another name"
            )
        for setting, value in (("work_mem", WORK_MEMORY), ("maintenance_work_mem", INDEX_MEMORY)):
            self._conn.execute("SELECT set_config(%s, %s, true)", (setting, value))
        self._conn.execute(sql.SQL("CREATE SCHEMA {}").format(self._schema))
        for lookup in LOOKUPS:
            create_lookup(self._conn, self._name, lookup)

    def run(self, name: str, **parts: sql.Composable) -> psycopg.Cursor[tuple[object, ...]]:
        text = sql.SQL(load_sql(f"snapshot/{name}.sql"))
        return self._conn.execute(text.format(schema=self._schema, raw=self._raw, **_CONSTANTS, **parts))

    def reject(self, run_id: str | None) -> dict[str, int]:
        """Store the rejected rows under the run and return their number by reason."""
        counts = self._conn.execute(
            sql.SQL("SELECT reason, count(*) FROM {}._rejected GROUP BY reason ORDER BY reason").format(self._schema)
        ).fetchall()
        if run_id is not None:
            self.run("store_rejected", run_id=sql.Literal(run_id))
        return {str(reason): int(number) for reason, number in counts}

    def add_placeholders(self) -> tuple[str, ...]:
        """Give every code without a name a placeholder row in its lookup, and return the names made."""
        rows = self._conn.execute(
            sql.SQL('SELECT DISTINCT "DISTRICT", "WARD", "COMMUNITY_AREA" FROM {}.crime_incidents').format(self._schema)
        ).fetchall()
        by_column = dict(zip(("DISTRICT", "WARD", "COMMUNITY_AREA"), map(set, zip(*rows, strict=True)), strict=False))
        return tuple(
            name for lookup in LOOKUPS for name in self._add(lookup, codes=by_column.get(lookup.fact_column, set()))
        )

    def count_codes_lost(self) -> int:
        row = self._conn.execute(
            sql.SQL("SELECT count(*) FROM {}._gap WHERE code_lost").format(self._schema)
        ).fetchone()
        assert row is not None
        return int(row[0])

    def _add(self, lookup: Lookup, *, codes: set[int | None]) -> list[str]:
        unlisted = sorted({code for code in codes if code is not None} - {code for code, _ in lookup.rows})
        rows = [(code, lookup.placeholder(code)) for code in unlisted]
        insert = sql.SQL("INSERT INTO {}.{} VALUES (%s, %s)").format(self._schema, sql.Identifier(lookup.name))
        with self._conn.cursor() as cursor:
            cursor.executemany(insert, rows)
        return [name for _, name in rows]


_CONSTANTS: dict[str, sql.Composable] = {
    "undated": sql.Literal("neither date nor year"),
    "no_year": sql.Literal("no date, and no dated row of its year to take one from"),
    "crime_types": sql.Literal(list(CRIME_CATEGORY_BY_TYPE)),
    "crime_categories": sql.Literal(list(CRIME_CATEGORY_BY_TYPE.values())),
    "locations": sql.Literal(list(LOCATION_CATEGORY_BY_DESCRIPTION)),
    "location_categories": sql.Literal(list(LOCATION_CATEGORY_BY_DESCRIPTION.values())),
    "categories": sql.Literal(list(LOCATION_RISK_BY_CATEGORY)),
    "risks": sql.Literal(list(LOCATION_RISK_BY_CATEGORY.values())),
    "other_risk": sql.Literal(LOCATION_RISK_BY_CATEGORY["OTHER"]),
    "index_codes": sql.Literal(list(INDEX_CRIME_CODES)),
}
