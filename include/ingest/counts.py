"""Counts of the source and of `raw` by month, and where they differ."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql

from include.source import MonthCount
from include.warehouse import load_sql


def raw_months(conn: psycopg.Connection) -> dict[str, MonthCount]:
    """Return count and sum of ids by month of the rows the source should have.

    These are the living rows of `raw`, and the rejected ones that never came into it.
    """
    query = sql.SQL(load_sql("ingest/raw_months.sql")).format(outstanding=sql.SQL(load_sql("ingest/outstanding.sql")))
    rows = conn.execute(query).fetchall()
    return {month: MonthCount(int(count), int(id_sum)) for month, count, id_sum in rows}


def raw_rows(conn: psycopg.Connection) -> int:
    """Return the number of living rows in `raw`."""
    row = conn.execute("SELECT count(*) FROM raw.crime WHERE deleted_at IS NULL").fetchone()
    assert row is not None
    return int(row[0])


def differing_months(left: Mapping[str, MonthCount], right: Mapping[str, MonthCount]) -> list[str]:
    """Return the months, '' for rows without a date, whose count or sum of ids differs."""
    return sorted(month for month in left.keys() | right.keys() if left.get(month) != right.get(month))


def by_year(months: Mapping[str, MonthCount]) -> dict[str, int]:
    """Return rows by year, '' for rows without a date."""
    years: Counter[str] = Counter()
    for month, count in months.items():
        years[month[:4]] += count.rows
    return dict(sorted(years.items()))


def counts_to_dict(months: Mapping[str, MonthCount]) -> dict[str, Any]:
    """Return the JSON form that `ops.ingest_run` keeps."""
    return {
        "rows": sum(count.rows for count in months.values()),
        "by_year": by_year(months),
        "by_month": {month: [count.rows, count.id_sum] for month, count in sorted(months.items())},
    }


def counts_from_dict(values: Mapping[str, Any]) -> dict[str, MonthCount]:
    """Return the months of `counts_to_dict`."""
    return {month: MonthCount(rows, id_sum) for month, (rows, id_sum) in values["by_month"].items()}
