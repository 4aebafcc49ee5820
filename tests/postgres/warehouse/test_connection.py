import pickle

import psycopg
import pytest

from include.errors import TerminalError, UsageError
from include.warehouse import Warehouse, WarehouseDownError, with_login
from include.warehouse.ports import find_free_port


def test_commit_and_rollback(warehouse):
    with warehouse.owner() as conn:
        conn.execute("CREATE TABLE staging.t (n integer)")
    with pytest.raises(psycopg.errors.DivisionByZero), warehouse.owner() as conn:
        conn.execute("INSERT INTO staging.t VALUES (1); SELECT 1 / 0")
    with warehouse.owner() as conn:
        assert conn.execute("SELECT count(*) FROM staging.t").fetchone() == (0,)
    assert conn.closed


def test_autocommit(warehouse):
    with warehouse.owner(autocommit=True) as conn, warehouse.owner() as other:
        conn.execute("CREATE TABLE staging.seen (n integer)")
        assert other.execute("SELECT to_regclass('staging.seen')").fetchone() == ("staging.seen",)


def test_a_dead_server_is_one_transient_error():
    port = find_free_port()
    url = f"postgresql://crime_owner:secret@127.0.0.1:{port}/chicago_crime"
    with pytest.raises(WarehouseDownError) as down, Warehouse(url, url).owner():
        pass
    text = str(down.value)
    assert f"127.0.0.1:{port}/chicago_crime cannot be reached" in text
    assert "Connection refused" in text
    assert "crime up" in text
    assert "secret" not in text
    assert str(pickle.loads(pickle.dumps(down.value))) == text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"user": "crime_owner", "password": "wrong"}, "password authentication failed"),
        ({"database": "crime_absent"}, 'database "crime_absent" does not exist'),
    ],
)
def test_a_refused_login_is_terminal(warehouse, change, words):
    url = with_login(warehouse.owner_url, **change)
    with pytest.raises(TerminalError, match=words), Warehouse(url, url).owner():
        pass


def test_a_lost_connection_is_transient(warehouse, pg_admin_url):
    def lose() -> None:
        with warehouse.owner() as conn, psycopg.connect(pg_admin_url) as admin:
            admin.execute("SELECT pg_terminate_backend(%s, 5000)", (conn.info.backend_pid,))
            conn.execute("SELECT 1")

    with pytest.raises(WarehouseDownError, match="was lost: terminating connection"):
        lose()


def test_other_database_errors_stay_what_they_are(warehouse):
    with pytest.raises(psycopg.errors.QueryCanceled), warehouse.owner() as conn:
        conn.execute("SET LOCAL statement_timeout = '10ms'; SELECT pg_sleep(5)")
    with pytest.raises(psycopg.errors.UndefinedTable), warehouse.reader() as conn:
        conn.execute("SELECT * FROM nothing")


def test_no_url_of_the_analyst(warehouse):
    with pytest.raises(UsageError, match="CRIME_ANALYST_URL"), Warehouse(warehouse.owner_url, "").analyst():
        pass


def test_secrets_are_not_printed(warehouse):
    assert "of-tests" not in repr(warehouse)
