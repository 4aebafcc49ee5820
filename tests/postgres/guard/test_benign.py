"""No false alarm: legal SQL passes and gives the rows, columns and types of the text run directly."""

import psycopg
import pytest
import yaml

from agent.guard import Guard, QueryFailed
from include.settings import PROJECT_ROOT

from .conftest import CALLER, LIMITS

pytestmark = pytest.mark.postgres
FIXTURES = PROJECT_ROOT / "tests" / "fixtures" / "guard"
QUESTIONS = yaml.safe_load((PROJECT_ROOT / "agent" / "benchmark" / "questions.yaml").read_text())
GOLDS = [" ".join(gold.split()) for item in QUESTIONS["questions"] for gold in item["gold"]]
BENIGN = (FIXTURES / "benign.sql").read_text().splitlines()
OTHER_DIALECTS = (FIXTURES / "other_dialects.sql").read_text().splitlines()


def test_fixture_is_large_enough() -> None:
    assert len(BENIGN) >= 250
    assert len(OTHER_DIALECTS) >= 80


@pytest.mark.parametrize("sql", BENIGN + GOLDS)
def test_same_rows_and_types_as_run_directly(guard: Guard, direct: psycopg.Connection, snapshot: str, sql: str) -> None:
    cursor = direct.execute(sql.replace('"public".', "").replace("public.", "").encode())
    expected = cursor.fetchall()
    described = cursor.description or []

    result = guard.execute(sql, schema=snapshot, caller=CALLER, limits=LIMITS)

    assert result.columns == tuple(column.name for column in described)
    assert result.types == tuple(_type_name(direct, column.type_code) for column in described)
    assert repr(list(result.rows)) == repr(expected)
    assert not result.truncated


@pytest.mark.parametrize("sql", OTHER_DIALECTS)
def test_other_dialect_fails_as_in_postgres(guard: Guard, direct: psycopg.Connection, snapshot: str, sql: str) -> None:
    with pytest.raises(psycopg.Error) as expected:
        direct.execute(sql.encode())

    with pytest.raises(QueryFailed) as failure:
        guard.execute(sql, schema=snapshot, caller=CALLER, limits=LIMITS)

    assert failure.value.sqlstate == expected.value.sqlstate
    assert failure.value.message == expected.value.diag.message_primary


def _type_name(conn: psycopg.Connection, oid: int) -> str:
    row = conn.execute("SELECT typname FROM pg_type WHERE oid = %s", (oid,)).fetchone()
    assert row is not None
    return str(row[0])
