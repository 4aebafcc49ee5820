"""What a build made, and how its parts are read from the new tables."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import psycopg
from psycopg import sql

from include.dataset import COORDINATES, LOOKUPS, NULL_RULES
from include.warehouse import load_sql


@dataclass(frozen=True)
class LedgerEntry:
    """How many cells of a column one null rule filled; the names are those of `include.dataset.NULL_RULES`."""

    column: str
    rule: str
    cells: int


@dataclass(frozen=True)
class BuildResult:
    """What a build made.

    Attributes:
        schema: the schema of the snapshot.
        row_count: rows of the fact table.
        rejected: source rows left out, by reason.
        ledger: one entry a column and null rule, zeros included.
        unlocated: rows whose latitude no rule could fill.
        placeholders: names given to codes that no lookup lists.
        unseen: crime types and location descriptions that the reviewed tables do not list, with their rows.
        codes_lost: source rows with a district, ward or area that is no number of a code; the cell is null.
        fingerprint: digest of the content, the same for the same rows whatever their order and the schema's name.
        oldest_incident: Chicago local time without a zone; None when there are no rows, as the next two.
        newest_incident: likewise.
        newest_update: likewise, the largest UPDATED_ON.
        seconds: duration of the build.
    """

    schema: str
    row_count: int
    rejected: Mapping[str, int]
    ledger: tuple[LedgerEntry, ...]
    unlocated: int
    placeholders: tuple[str, ...]
    unseen: Mapping[str, Mapping[str, int]]
    codes_lost: int
    fingerprint: str
    oldest_incident: datetime | None
    newest_incident: datetime | None
    newest_update: datetime | None
    seconds: float

    @property
    def warnings(self) -> tuple[str, ...]:
        """What somebody should look at, one sentence each."""
        lines = [f"{number} rows rejected: {reason}" for reason, number in self.rejected.items()]
        lines += [f"{name}: a code that the lookup does not list got a placeholder row" for name in self.placeholders]
        for column, values in self.unseen.items():
            lines += [
                f"{column} {value!r} ({rows} rows) is in no category: counted as OTHER"
                for value, rows in values.items()
            ]
        if self.codes_lost:
            lines.append(f"{self.codes_lost} rows have a district, ward or community area that is no code: left null")
        return tuple(lines)


@dataclass(frozen=True)
class Content:
    """One pass over the fact table. `filled` counts the cells the null rules filled, by column."""

    row_count: int
    unlocated: int
    fingerprint: str
    oldest_incident: datetime | None
    newest_incident: datetime | None
    newest_update: datetime | None
    filled: Mapping[str, int] = field(default_factory=dict)


def read_content(conn: psycopg.Connection, schema: str) -> Content:
    """Count, date and digest the tables of a snapshot."""
    name = sql.Identifier(schema)
    groups = conn.execute(sql.SQL(load_sql("snapshot/content.sql")).format(schema=name)).fetchall()
    filled: dict[str, int] = {}
    for fields, rows, *_ in groups:
        for column in filter(None, fields.split(",")):
            filled[column] = filled.get(column, 0) + rows
    row_count = sum(group[1] for group in groups)
    sums = [(row_count, sum(int(group[2]) for group in groups))]
    for lookup in LOOKUPS:
        query = sql.SQL("SELECT count(*), coalesce(sum(hash_record_extended(t, 0)), 0) FROM {} AS t")
        row = conn.execute(query.format(sql.Identifier(schema, lookup.name))).fetchone()
        assert row is not None
        sums.append((row[0], int(row[1])))
    digest = hashlib.sha256("\n".join(f"{rows} {total}" for rows, total in sums).encode())
    return Content(
        row_count=row_count,
        unlocated=sum(group[6] for group in groups),
        fingerprint=digest.hexdigest()[:32],
        oldest_incident=min((group[3] for group in groups), default=None),
        newest_incident=max((group[4] for group in groups), default=None),
        newest_update=max((group[5] for group in groups if group[5] is not None), default=None),
        filled=filled,
    )


def read_ledger(conn: psycopg.Connection, schema: str, *, content: Content) -> tuple[LedgerEntry, ...]:
    """Return what each null rule filled, in the order of the rules."""
    query = sql.SQL("SELECT rule, count(*) FROM {}._fill GROUP BY rule").format(sql.Identifier(schema))
    located = {str(rule): int(rows) for rule, rows in conn.execute(query).fetchall()}
    return tuple(
        LedgerEntry(
            column, rule.rule, located.get(rule.rule, 0) if column in COORDINATES else content.filled.get(column, 0)
        )
        for rule in NULL_RULES
        for column in rule.columns
    )


def read_unseen(conn: psycopg.Connection, schema: str) -> dict[str, dict[str, int]]:
    """Return the values without a category, with their rows, by column."""
    unseen: dict[str, dict[str, int]] = {}
    for column, table in (("CRIME_TYPE", "_crime_type"), ("LOCATION_DESCRIPTION", "_location")):
        query = sql.SQL("SELECT stored, sum(cells)::bigint FROM {} WHERE unseen GROUP BY stored ORDER BY stored")
        rows = conn.execute(query.format(sql.Identifier(schema, table))).fetchall()
        if rows:
            unseen[column] = {str(value): int(cells) for value, cells in rows}
    return unseen


def store_ledger(conn: psycopg.Connection, snapshot_id: str, ledger: tuple[LedgerEntry, ...]) -> None:
    """Write the ledger of a snapshot to `ops.null_rule_ledger`, replacing what was there."""
    rows = [(snapshot_id, entry.column, entry.rule, entry.cells) for entry in ledger]
    conn.execute("DELETE FROM ops.null_rule_ledger WHERE snapshot_id = %s", (snapshot_id,))
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO ops.null_rule_ledger (snapshot_id, column_name, rule, cells) VALUES (%s, %s, %s, %s)", rows
        )
