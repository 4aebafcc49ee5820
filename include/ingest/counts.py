"""Counts of the source and of `raw` by month, and where they differ."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import psycopg
from psycopg import sql

from include.source import MonthCount
from include.warehouse import load_sql


def expected_months(conn: psycopg.Connection) -> dict[str, MonthCount]:
    """Return count and sum of ids by month of the rows the source should have.

    These are the living rows of `raw`, and the rejected ones that never came into it.
    """
    return add_months(raw_months(conn), outstanding_months(conn))


def raw_months(conn: psycopg.Connection) -> dict[str, MonthCount]:
    """Return count and sum of ids by month of the living rows of `raw`."""
    return _months(conn.execute(load_sql("ingest/raw_months.sql")))


def outstanding_months(conn: psycopg.Connection) -> dict[str, MonthCount]:
    """Return count and sum of ids by month of the rejected rows that are not in `raw`."""
    outstanding = sql.SQL(load_sql("ingest/outstanding.sql"))
    return _months(conn.execute(sql.SQL(load_sql("ingest/outstanding_months.sql")).format(outstanding=outstanding)))


def add_months(left: Mapping[str, MonthCount], right: Mapping[str, MonthCount]) -> dict[str, MonthCount]:
    """Return the sums of two sets of counts."""
    none = MonthCount(0, 0)
    pairs = {month: (left.get(month, none), right.get(month, none)) for month in left.keys() | right.keys()}
    return {month: MonthCount(a.rows + b.rows, a.id_sum + b.id_sum) for month, (a, b) in pairs.items()}


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


def _months(rows: Iterable[tuple[str, int, int]]) -> dict[str, MonthCount]:
    return {month: MonthCount(int(count), int(id_sum)) for month, count, id_sum in rows}
