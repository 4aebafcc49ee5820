"""The views of `public` and the privileges on what they show."""

import psycopg
from psycopg import sql

from include.errors import RefusedError
from include.warehouse.roles import ANALYST, READER
from include.warehouse.snapshots import TABLE_NAMES
from include.warehouse.sqlfiles import load_sql


def point_views(conn: psycopg.Connection, snapshot_id: str) -> None:
    """Make the four views show a snapshot, comments included, and let readers and analysts read both.

    Raises:
        RefusedError: when a view would lose or change a column.
    """
    for table in TABLE_NAMES:
        _replace_view(conn, snapshot_id, table)
    for statement in _grants(snapshot_id):
        conn.execute(statement)


def _replace_view(conn: psycopg.Connection, snapshot_id: str, table: str) -> None:
    columns = conn.execute(load_sql("ops/relation_columns.sql"), {"schema": snapshot_id, "relation": table}).fetchall()
    view = sql.Identifier("public", table)
    source = sql.Identifier(snapshot_id, table)
    names = sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns)
    try:
        conn.execute(sql.SQL("CREATE OR REPLACE VIEW {} AS SELECT {} FROM {}").format(view, names, source))
    except psycopg.errors.InvalidTableDefinition as error:
        raise RefusedError(
            f"public.{table} cannot be pointed at {snapshot_id}: {error.diag.message_primary}",
            expected="the columns it has, in their order, with new ones at the end only",
            action="write a migration that drops and recreates the view and what is built on it",
        ) from error
    described = conn.execute("SELECT obj_description(to_regclass(%s))", (source.as_string(conn),)).fetchone()
    if described is not None:
        conn.execute(sql.SQL("COMMENT ON VIEW {} IS {}").format(view, sql.Literal(described[0])))
    for name, comment in columns:
        target = sql.SQL("{}.{}").format(view, sql.Identifier(name))
        conn.execute(sql.SQL("COMMENT ON COLUMN {} IS {}").format(target, sql.Literal(comment)))


def _grants(snapshot_id: str) -> list[sql.Composed]:
    roles = sql.SQL(", ").join([sql.Identifier(READER), sql.Identifier(ANALYST)])
    views = sql.SQL(", ").join(sql.Identifier("public", table) for table in TABLE_NAMES)
    schema = sql.Identifier(snapshot_id)
    return [
        sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, roles),
        sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA {} TO {}").format(schema, roles),
        sql.SQL("GRANT SELECT ON {} TO {}").format(views, roles),
    ]
