from collections.abc import Callable, Iterator

import psycopg
import pytest

from agent.guard import Guard, RoleRefusedError, verify_role
from include.settings import Settings
from include.warehouse import Warehouse, WarehouseDownError

pytestmark = pytest.mark.postgres


@pytest.fixture(params=[15, 18])
def on_version(request: pytest.FixtureRequest, server_of: Callable[[int], str]) -> Iterator[Warehouse]:
    from tests.conftest import fresh_warehouse

    with fresh_warehouse(server_of(request.param)) as made:
        yield made


@pytest.fixture
def admin(pg_admin_url: str, warehouse: Warehouse) -> Iterator[psycopg.Connection]:
    database = psycopg.conninfo.conninfo_to_dict(warehouse.owner_url)["dbname"]
    with psycopg.connect(pg_admin_url, dbname=database, autocommit=True) as conn:
        yield conn


def findings(warehouse: Warehouse) -> tuple[str, ...]:
    with warehouse.reader() as conn:
        return verify_role(conn).findings


def test_reader_of_the_bootstrap_is_harmless(on_version: Warehouse) -> None:
    with on_version.reader() as conn:
        verdict = verify_role(conn)
    assert verdict.findings == ()
    assert verdict.ok
    assert verdict.role == "crime_reader"


@pytest.mark.parametrize(
    ("grant", "revoke", "finding"),
    [
        ("ALTER ROLE {r} SUPERUSER", "ALTER ROLE {r} NOSUPERUSER", "is a superuser"),
        ("ALTER ROLE {r} CREATEROLE", "ALTER ROLE {r} NOCREATEROLE", "may create roles"),
        ("ALTER ROLE {r} CREATEDB", "ALTER ROLE {r} NOCREATEDB", "may create databases"),
        ("ALTER ROLE {r} REPLICATION", "ALTER ROLE {r} NOREPLICATION", "may replicate"),
        ("ALTER ROLE {r} BYPASSRLS", "ALTER ROLE {r} NOBYPASSRLS", "passes row level security"),
        ("GRANT pg_read_all_data TO {r}", "REVOKE pg_read_all_data FROM {r}", "is a member of pg_read_all_data"),
        ("GRANT crime_owner TO {r}", "REVOKE crime_owner FROM {r}", "is a member of crime_owner"),
        (
            "GRANT USAGE, CREATE ON SCHEMA public TO {r}",
            "REVOKE CREATE ON SCHEMA public FROM {r}",
            "may create objects in the schema public",
        ),
        (
            "GRANT TEMPORARY ON DATABASE {d} TO {r}",
            "REVOKE TEMPORARY ON DATABASE {d} FROM {r}",
            "has the privilege TEMPORARY on the database",
        ),
        (
            "GRANT CREATE ON DATABASE {d} TO {r}",
            "REVOKE CREATE ON DATABASE {d} FROM {r}",
            "has the privilege CREATE on the database",
        ),
        ("GRANT INSERT ON ops.source TO {r}", "REVOKE INSERT ON ops.source FROM {r}", "may write ops.source"),
        (
            "GRANT UPDATE (kind) ON ops.source TO {r}",
            "REVOKE UPDATE (kind) ON ops.source FROM {r}",
            "may write ops.source",
        ),
        (
            "GRANT USAGE ON SCHEMA ops TO {r}; GRANT SELECT ON ops.source TO {r}",
            "REVOKE USAGE ON SCHEMA ops FROM {r}; REVOKE SELECT ON ops.source FROM {r}",
            "may read ops.source",
        ),
        (
            "GRANT EXECUTE ON FUNCTION lo_from_bytea(oid, bytea) TO {r}",
            "REVOKE EXECUTE ON FUNCTION lo_from_bytea(oid, bytea) FROM {r}",
            "may call lo_from_bytea()",
        ),
        (
            "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {r}",
            "REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM {r}",
            "may call pg_read_file()",
        ),
        (
            "CREATE SCHEMA own AUTHORIZATION {r}",
            "DROP SCHEMA own",
            "owns 1 objects",
        ),
        (
            "GRANT USAGE ON SCHEMA public TO {r}; CREATE FUNCTION public.escalate() RETURNS int LANGUAGE sql"
            " SECURITY DEFINER AS 'SELECT 1'",
            "DROP FUNCTION public.escalate()",
            "may call escalate()",
        ),
    ],
)
def test_each_power_is_found(
    warehouse: Warehouse, admin: psycopg.Connection, grant: str, revoke: str, finding: str
) -> None:
    names = {"r": "crime_reader", "d": admin.info.dbname}
    assert findings(warehouse) == ()
    admin.execute(grant.format(**names))
    try:
        assert finding in findings(warehouse)
        with pytest.raises(RoleRefusedError, match="'crime_reader'"):
            Guard(warehouse, settings=Settings())
    finally:
        admin.execute(revoke.format(**names))
    assert findings(warehouse) == ()


def test_owner_is_refused(warehouse: Warehouse) -> None:
    wrong = Warehouse(warehouse.owner_url, warehouse.owner_url)
    with pytest.raises(RoleRefusedError, match="'crime_owner'") as refusal:
        Guard(wrong, settings=Settings())
    assert refusal.value.exit_code == 3


def test_dead_server_is_named(warehouse: Warehouse) -> None:
    dead = "postgresql://crime_reader:x@127.0.0.1:1/none"
    with pytest.raises(WarehouseDownError, match=r"127\.0\.0\.1:1"):
        Guard(Warehouse(dead, dead), settings=Settings())
