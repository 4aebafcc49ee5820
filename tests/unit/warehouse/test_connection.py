import psycopg
import pytest

from include.errors import UsageError
from include.settings import Settings
from include.warehouse import Passwords, Warehouse, WarehouseDownError, WarehouseFullError, translate_error, with_login
from include.warehouse.connection import address

URL = "postgresql://a:b@h:1/d"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, URL),
        ({"database": "x y"}, "postgresql://a:b@h:1/x%20y"),
        ({"user": "o", "password": "p@:/ %"}, "postgresql://o:p%40%3A%2F%20%25@h:1/d"),
        ({"user": "o", "password": "p", "database": "z"}, "postgresql://o:p@h:1/z"),
    ],
)
def test_with_login(change, expected):
    assert with_login(URL, **change) == expected
    assert with_login(f"{URL}?sslmode=require", **change) == f"{expected}?sslmode=require"


def test_passwords_give_a_warehouse():
    made = Passwords(owner="1", reader="2", analyst="3").warehouse("postgresql://postgres:x@h:1/postgres", database="d")
    assert made.owner_url == "postgresql://crime_owner:1@h:1/d"
    assert made.reader_url == "postgresql://crime_reader:2@h:1/d"
    assert made.analyst_url == "postgresql://crime_analyst:3@h:1/d"
    assert "1" not in repr(Passwords(owner="1", reader="1", analyst="1"))


def test_address_hides_the_login():
    assert address("postgresql://u:secret@db.example:5433/crime?sslmode=require") == "db.example:5433/crime"


@pytest.mark.parametrize(
    ("error", "broken", "kind"),
    [
        (psycopg.errors.DiskFull("full"), False, WarehouseFullError),
        (psycopg.errors.AdminShutdown("bye"), False, WarehouseDownError),
        (psycopg.errors.ConnectionFailure("bye"), False, WarehouseDownError),
        (psycopg.OperationalError("server closed the connection"), True, WarehouseDownError),
        (psycopg.errors.QueryCanceled("time"), False, None),
        (psycopg.errors.LockNotAvailable("lock"), False, None),
        (psycopg.errors.SyntaxError("bad"), False, None),
        (psycopg.OperationalError("of the client"), False, None),
    ],
)
def test_translated_errors(error, broken, kind):
    translated = translate_error(URL, error, broken=broken)
    assert (type(translated) if translated else None) is kind


def test_urls_of_the_settings():
    given = {"owner_url": "postgresql://o", "reader_url": "postgresql://r", "_env_file": None}
    assert Warehouse.from_settings(Settings(**given)) == Warehouse("postgresql://o", "postgresql://r", "")
    with pytest.raises(UsageError, match="CRIME_READER_URL"):
        Warehouse.from_settings(Settings(**(given | {"reader_url": None})))
