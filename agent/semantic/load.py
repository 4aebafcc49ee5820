"""Read a snapshot's vocabulary from the database, once; later questions read it from the cache."""

from pathlib import Path
from typing import LiteralString, Protocol

import psycopg
from psycopg import sql

from agent.semantic.vocabulary import COLUMNS, LOOKUPS, Vocabulary, read_cache, write_cache

_VALUES: LiteralString = "SELECT {column}, count(*) FROM {schema}.crime_incidents WHERE {column} IS NOT NULL GROUP BY 1"
_NAMES: LiteralString = "SELECT {key}, {name} FROM {schema}.{table}"
_YEARS: LiteralString = 'SELECT min("YEAR"), max("YEAR") FROM {schema}.crime_incidents'


class SnapshotName(Protocol):
    """Anything with a snapshot's name, which is also its schema."""

    @property
    def snapshot_id(self) -> str:
        """Schema of the snapshot."""
        ...


def load_vocabulary(connection: psycopg.Connection, snapshot: SnapshotName, *, cache_dir: Path) -> Vocabulary:
    """Return the stored values of a snapshot.

    Args:
        connection: a role that can read the snapshot.
        snapshot: its `snapshot_id` names the schema.
        cache_dir: a file per snapshot is kept in its folder `vocabulary`.

    Raises:
        psycopg.Error: when the snapshot's tables cannot be read.
    """
    schema = snapshot.snapshot_id
    cached = cache_dir / "vocabulary" / f"{schema}.json"
    if schema != "public" and (known := read_cache(cached)) is not None and known.snapshot_id == schema:
        return known
    vocabulary = read_vocabulary(connection, schema)
    write_cache(cached, vocabulary)
    return vocabulary


def read_vocabulary(connection: psycopg.Connection, schema: str) -> Vocabulary:
    """Return the stored values of a schema, read from its tables."""
    where = sql.Identifier(schema)
    counts: dict[str, dict[str, int]] = {}
    for column in COLUMNS:
        query = sql.SQL(_VALUES).format(column=sql.Identifier(column), schema=where)
        counts[column] = {str(value): int(number) for value, number in connection.execute(query)}
    names: dict[str, dict[int, str]] = {}
    for column, (table, key, name) in LOOKUPS.items():
        query = sql.SQL(_NAMES).format(
            key=sql.Identifier(key), name=sql.Identifier(name), schema=where, table=sql.Identifier(table)
        )
        names[column] = {int(number): str(text) for number, text in connection.execute(query)}
    years = connection.execute(sql.SQL(_YEARS).format(schema=where)).fetchone()
    first, last = years if years and years[0] is not None else (0, 0)
    return Vocabulary(schema, counts, names, int(first), int(last))
