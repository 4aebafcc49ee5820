"""The tables of the operational record, the schema `ops`, as backups see them."""

from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Literal

import psycopg
from psycopg import sql

from include.warehouse.sqlfiles import load_sql


@dataclass(frozen=True)
class RecordTable:
    """One table: its columns, and the tables it refers to."""

    name: str
    columns: tuple[str, ...]
    parents: tuple[str, ...]

    @property
    def identifier(self) -> sql.Identifier:
        """The qualified name."""
        return sql.Identifier("ops", self.name)

    def is_filled(self, conn: psycopg.Connection) -> bool:
        """Say whether the table has any row."""
        row = conn.execute(sql.SQL("SELECT EXISTS (SELECT FROM {})").format(self.identifier)).fetchone()
        return row is not None and bool(row[0])

    def copy(self, direction: Literal["TO STDOUT", "FROM STDIN"], columns: tuple[str, ...]) -> sql.Composed:
        """Return the COPY statement for some columns."""
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        return sql.SQL("COPY {} ({}) {}").format(self.identifier, names, sql.SQL(direction))


def list_record_tables(conn: psycopg.Connection) -> list[RecordTable]:
    """Return the tables, each after those it refers to."""
    found = {
        name: RecordTable(name, tuple(columns), tuple(parents))
        for name, columns, parents in conn.execute(load_sql("ops/backup_tables.sql"))
    }
    order = TopologicalSorter({name: table.parents for name, table in found.items()}).static_order()
    return [found[name] for name in order]
