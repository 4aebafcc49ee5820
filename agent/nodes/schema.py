"""Node: the pinned snapshot's schema as text, read from the live catalog."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from psycopg.rows import class_row

from agent.context import Context
from agent.state import State
from include.warehouse import Warehouse, load_sql

_VALUES_LENGTH = 700


def schema(state: State, context: Context) -> dict[str, Any]:  # noqa: ARG001 - every node has this signature
    """Describe tables, columns, types, keys, comments and few-valued columns of the snapshot."""
    text = describe_schema(context.warehouse, context.snapshot.snapshot_id)
    return {"schema": text, "note": f"{len(text)} characters"}


def describe_schema(warehouse: Warehouse, schema_name: str) -> str:
    """Return the schema text of a prompt. Table names stand without their schema: it is set for each query."""
    with warehouse.reader() as connection, connection.cursor(row_factory=class_row(_Column)) as cursor:
        cursor.execute(load_sql("agent/schema.sql"), {"schema": schema_name})
        rows = cursor.fetchall()
    tables = [_table(name, list(columns)) for name, columns in groupby(rows, key=lambda row: row.table_name)]
    return "\n\n".join(tables)


@dataclass(frozen=True)
class _Column:
    table_name: str
    table_comment: str | None
    column_name: str
    column_type: str
    column_comment: str | None
    is_primary: bool
    refers_to: str | None
    stored_values: list[str] | None


def _table(name: str, columns: list[_Column]) -> str:
    comment = columns[0].table_comment
    head = f"Table {name}" + (f": {comment}" if comment else "")
    return "\n".join([head, *(_column(column) for column in columns)])


def _column(column: _Column) -> str:
    parts = [f"  {column.column_name} {column.column_type}"]
    if column.is_primary:
        parts.append("primary key")
    if column.refers_to:
        parts.append(f"references {column.refers_to}")
    line = ", ".join(parts)
    if column.column_comment:
        line += f": {column.column_comment}"
    values = ", ".join(column.stored_values or ())
    if values and len(values) <= _VALUES_LENGTH:
        line += f" Values: {values}."
    return line
