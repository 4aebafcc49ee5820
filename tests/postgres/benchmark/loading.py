"""Source rows as CSV text into a table of the form of `raw.crime`."""

from collections.abc import Sequence

import psycopg


def load_raw(conn: psycopg.Connection, text: str, *, columns: Sequence[str], table: str = "raw.crime") -> None:
    """Copy CSV without a header; the columns of runs are filled in."""
    for name, value in {"content_hash": "0", "first_run": "'run'", "last_run": "'run'"}.items():
        conn.execute(f"ALTER TABLE {table} ALTER {name} SET DEFAULT {value}")
    with conn.cursor().copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN WITH (FORMAT csv)") as copy:
        copy.write(text)
