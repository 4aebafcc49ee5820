"""Tables, keys, comments and grants of a snapshot, from the definition of the data set."""

import psycopg
from psycopg import sql

from include.dataset import FACT, Lookup, comment_statements
from include.warehouse import ANALYST, READER


def create_lookup(conn: psycopg.Connection, schema: str, lookup: Lookup) -> None:
    """Create one lookup with its rows."""
    table = sql.Identifier(schema, lookup.name)
    key, name = (sql.Identifier(column.name) for column in lookup.columns)
    create = sql.SQL("CREATE TABLE {} ({} smallint PRIMARY KEY, {} text NOT NULL)").format(table, key, name)
    conn.execute(create)
    codes, names = zip(*lookup.rows, strict=True)
    insert = sql.SQL("INSERT INTO {} SELECT * FROM unnest(%s::smallint[], %s::text[])").format(table)
    conn.execute(insert, (list(codes), list(names)))


def add_keys(conn: psycopg.Connection, schema: str) -> None:
    """Add NOT NULL, the primary key and the foreign keys to the loaded fact table."""
    table = sql.Identifier(schema, FACT.name)
    clauses: list[sql.Composable] = [
        sql.SQL("ALTER COLUMN {} SET NOT NULL").format(sql.Identifier(column.name))
        for column in FACT.columns
        if not column.nullable
    ]
    clauses.append(sql.SQL("ADD PRIMARY KEY ({})").format(sql.Identifier(FACT.key)))
    conn.execute(sql.SQL("ALTER TABLE {} {}").format(table, sql.SQL(", ").join(clauses)))
    for column in FACT.columns:
        if column.references:
            lookup = column.references.partition("(")[0]
            add = sql.SQL("ALTER TABLE {} ADD FOREIGN KEY ({}) REFERENCES {}")
            conn.execute(add.format(table, sql.Identifier(column.name), sql.Identifier(schema, lookup)))


def add_comments(conn: psycopg.Connection, schema: str) -> None:
    """Put the descriptions on the four tables and their columns."""
    conn.execute("; ".join(comment_statements(schema)).encode())


def grant_schema(conn: psycopg.Connection, schema: str) -> None:
    """Let the agent and the analysts read the snapshot."""
    roles = sql.SQL(", ").join(map(sql.Identifier, (READER, ANALYST)))
    name = sql.Identifier(schema)
    conn.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(name, roles))
    conn.execute(sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA {} TO {}").format(name, roles))


def vacuum_snapshot(conn: psycopg.Connection, schema: str) -> None:
    """Vacuum the fact table on a connection with autocommit."""
    conn.execute(sql.SQL("VACUUM (FREEZE) {}").format(sql.Identifier(schema, FACT.name)))
