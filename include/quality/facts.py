"""What the gates look at: facts of a snapshot, and of the run that made it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from include.dataset import LOOKUPS
from include.warehouse import load_sql

_FILLED = {
    "null_incident_date": "INCIDENT_DATE",
    "null_year": "YEAR",
    "null_crime_type": "CRIME_TYPE",
    "null_description": "DESCRIPTION",
    "null_location_description": "LOCATION_DESCRIPTION",
    "null_arrest_status": "ARREST_STATUS",
    "null_domestic_status": "DOMESTIC_STATUS",
}


@dataclass(frozen=True)
class SnapshotFacts:
    """Facts of the tables of one snapshot; counts are rows.

    Attributes:
        row_count: rows of the fact table.
        duplicate_ids: rows beyond the first of their id.
        unfilled: nulls left where a null rule fills, by column.
        newest_incident: Chicago local time without a zone; None when there are no rows.
        hours: rows by hour of day, those with a filled date left out.
        unresolved: codes without a row in their lookup, by column.
    """

    row_count: int
    duplicate_ids: int
    unfilled: Mapping[str, int]
    newest_incident: datetime | None
    hours: Mapping[int, int]
    unresolved: Mapping[str, int]


@dataclass(frozen=True)
class RunFacts:
    """Facts of the run that made a snapshot; counts are rows.

    Attributes:
        rows_received: records counted in the answers.
        rows_landed: rows the server took from the landed pages.
        distinct_ids: landed rows without surplus versions of the same id.
        inserted: as `updated`, `restamped`, `unchanged` and `rejected`: what became of them.
        raw_rows: rows in `raw` that the source has.
        left_out: of these, the ones no null rule could date.
        raw_by_year: rows of `raw` by year of `date`, '' for none, rejected rows included.
        source_before: the source's rows by year before the first page; empty when it was not asked.
        source_after: the same after the last page.
        predecessor_rows: rows of the published snapshot; None when there is none of this source.
        forced: whether a shrunken data set may be published.
    """

    rows_received: int = 0
    rows_landed: int = 0
    distinct_ids: int = 0
    inserted: int = 0
    updated: int = 0
    restamped: int = 0
    unchanged: int = 0
    rejected: int = 0
    raw_rows: int = 0
    left_out: int = 0
    raw_by_year: Mapping[str, int] = field(default_factory=dict)
    source_before: Mapping[str, int] = field(default_factory=dict)
    source_after: Mapping[str, int] = field(default_factory=dict)
    predecessor_rows: int | None = None
    forced: bool = False


def read_snapshot_facts(conn: psycopg.Connection, schema: str) -> SnapshotFacts:
    """Read the facts from the tables of a snapshot."""
    name = sql.Identifier(schema)
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(_query("fact_facts", schema=name)).fetchone()
    assert row is not None
    unfilled = {column: row[key] for key, column in _FILLED.items()}
    unfilled["coordinates"] = _count(conn, _query("unfilled_coordinates", schema=name)) if row["unlocated"] else 0
    hours = conn.execute(_query("hours", schema=name)).fetchall()
    return SnapshotFacts(
        row_count=row["row_count"],
        duplicate_ids=_count(conn, _query("duplicate_ids", schema=name), schema=schema),
        unfilled=unfilled,
        newest_incident=row["newest_incident"],
        hours={hour: rows for hour, rows in hours if hour is not None},
        unresolved={
            lookup.fact_column: _count(
                conn,
                _query(
                    "unresolved",
                    schema=name,
                    lookup=sql.Identifier(lookup.name),
                    key=sql.Identifier(lookup.key),
                    fact_column=sql.Identifier(lookup.fact_column),
                ),
            )
            for lookup in LOOKUPS
        },
    )


def _query(name: str, **parts: sql.Composable) -> sql.Composed:
    return sql.SQL(load_sql(f"checks/{name}.sql")).format(**parts)


def _count(conn: psycopg.Connection, query: sql.Composed, **values: str) -> int:
    row = conn.execute(query, values or None).fetchone()
    assert row is not None
    return int(row[0])
