"""The development questions on a generated snapshot: the parser's rows against those of a query written by hand."""

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import permutations
from pathlib import Path

import psycopg
import pytest

from agent.semantic import Vocabulary, interpret, load_vocabulary
from include.ingest.variant import ensure_variants
from include.warehouse import Snapshot, Warehouse
from tests.unit.semantic.conftest import load_cases

CASES = [
    (str(case["q"]), str(case["sql"]))
    for name in ("questions.yaml", "more_questions.yaml")
    for case in load_cases(name)
    if "sql" in case
]
REFUSED_HERE = {
    "Which crime type takes the longest on average to be updated?",
    "Tell me how many people were arrested for prostitution in 2006.",
    "How many people were murdered in 2015 in the Austin district?",
}
"""Not understood, or about people, of whom an incident may have several."""
Row = tuple[object, ...]


@pytest.fixture(scope="module")
def snapshot(warehouse: Warehouse) -> Snapshot:
    return ensure_variants(warehouse)[0]


@pytest.fixture(scope="module")
def connection(warehouse: Warehouse, snapshot: Snapshot) -> Iterator[psycopg.Connection]:
    with warehouse.reader() as conn:
        conn.execute(f'SET search_path TO "{snapshot.snapshot_id}"')  # type: ignore[call-overload]  # a name of our own
        yield conn


@pytest.fixture(scope="module")
def stored(connection: psycopg.Connection, snapshot: Snapshot, tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    return load_vocabulary(connection, snapshot, cache_dir=tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize(("question", "gold"), CASES)
def test_same_rows_as_by_hand(question: str, gold: str, connection: psycopg.Connection, stored: Vocabulary) -> None:
    read = interpret(question, vocabulary=stored)
    if question in REFUSED_HERE:
        assert read.refusal is not None
        return
    assert read.sql is not None, read.refusal
    expected = _rows(connection, gold.replace("FROM C", "FROM crime_incidents"))
    got = _rows(connection, read.sql)
    assert _same(got, expected, cut="LIMIT" in gold), (read.sql, got[:3], expected[:3])


def _rows(connection: psycopg.Connection, sql: str) -> list[Row]:
    rows = connection.execute(sql.encode()).fetchall()
    return [tuple(_plain(cell) for cell in row) for row in rows]


def _plain(cell: object) -> object:
    if isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
        return round(Decimal(str(cell)), 2)
    return cell


def _same(got: Sequence[Row], expected: Sequence[Row], *, cut: bool) -> bool:
    """Whether both hold the same rows, whatever the order of rows and columns; in a cut result tied rows may differ."""
    if not expected or not got:
        return not got and not expected
    width = len(expected[0])
    if len(got) != len(expected) or len(got[0]) != width:
        return False
    wanted = Counter(expected)
    orders = list(permutations(range(width)))
    if any(Counter(tuple(row[n] for n in order) for row in got) == wanted for order in orders):
        return True
    return cut and any(
        Counter(row[order[-1]] for row in got) == Counter(row[-1] for row in expected) for order in orders
    )


def test_vocabulary_is_read_from_its_cache(
    connection: psycopg.Connection, snapshot: Snapshot, stored: Vocabulary, tmp_path: Path
) -> None:
    first = load_vocabulary(connection, snapshot, cache_dir=tmp_path)
    assert (tmp_path / "vocabulary" / f"{snapshot.snapshot_id}.json").is_file()
    with psycopg.connect(connection.info.dsn, password=connection.info.password) as other:
        other.execute("SET search_path TO pg_catalog")
        again = load_vocabulary(other, snapshot, cache_dir=tmp_path)
    assert first == again == stored
    assert first.last_year >= 2025
    assert sum(first.counts["CRIME_TYPE"].values()) == snapshot.row_count


def test_groups_sum_to_the_total(connection: psycopg.Connection, stored: Vocabulary) -> None:
    total = _rows(connection, interpret("How many thefts were there?", vocabulary=stored).sql or "")[0][0]
    for group in ("season", "year", "location category", "time of day", "crime type"):
        rows = _rows(connection, interpret(f"How many thefts per {group}?", vocabulary=stored).sql or "")
        assert sum(Decimal(str(row[-1])) for row in rows) == total, group


def test_an_added_filter_never_raises_a_count(connection: psycopg.Connection, stored: Vocabulary) -> None:
    for noun in ("thefts", "robberies", "batteries", "incidents"):
        plain = _rows(connection, interpret(f"How many {noun} were there in 2012?", vocabulary=stored).sql or "")
        for more in ("at night", "with an arrest", "on weekends", "in Austin", "on the street"):
            text = f"How many {noun} were there in 2012 {more}?"
            fewer = _rows(connection, interpret(text, vocabulary=stored).sql or "")
            assert Decimal(str(fewer[0][0])) <= Decimal(str(plain[0][0])), text
