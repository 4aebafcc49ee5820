import threading
import uuid

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from include.errors import TerminalError, UsageError
from include.settings import Settings
from include.warehouse import (
    Passwords,
    Warehouse,
    check_warehouse,
    prepare_warehouse,
    run_bootstrap,
    run_bootstrap_role,
    run_migrations,
    run_publish,
    with_login,
)
from tests.conftest import TEST_PASSWORDS, fresh_warehouse

PRIVILEGES = """
SELECT 'database', datname::text, datacl::text, datdba::regrole::text FROM pg_database
    WHERE datname = current_database()
UNION ALL SELECT 'schema', nspname, nspacl::text, nspowner::regrole::text FROM pg_namespace
UNION ALL SELECT 'function', oid::regprocedure::text, proacl::text, '' FROM pg_proc
UNION ALL SELECT 'role', rolname, rolconfig::text, rolsuper::text FROM pg_roles
UNION ALL SELECT 'language', lanname, lanacl::text, '' FROM pg_language
UNION ALL SELECT 'relation', oid::regclass::text, relacl::text, relowner::regrole::text FROM pg_class
    WHERE relnamespace = 'ops'::regnamespace
ORDER BY 1, 2, 3, 4
"""


@pytest.mark.parametrize("major", [15, 18])
def test_bootstrap_and_publish_on_each_version(server_of, make_snapshot, major):
    admin_url = server_of(major)
    with fresh_warehouse(admin_url) as warehouse:
        make_snapshot(warehouse, "snap_a", rows=4)
        run_publish(warehouse, "snap_a", patience=0)
        findings = check_warehouse(warehouse)
        assert [finding for finding in findings if not finding.ok] == []
        assert {"encoding", "collation", "functions", "migrations", "login of crime_analyst"} <= {
            f.name for f in findings
        }
        with warehouse.analyst() as conn:
            assert conn.info.server_version // 10_000 == major
            assert conn.execute('SELECT count("ID") FROM crime_incidents').fetchone() == (4,)


@pytest.mark.parametrize("major", [15, 18])
def test_a_second_bootstrap_changes_nothing(server_of, major):
    admin_url = server_of(major)
    with fresh_warehouse(admin_url) as warehouse:
        database = str(conninfo_to_dict(warehouse.owner_url)["dbname"])
        with psycopg.connect(with_login(admin_url, database=database)) as conn:
            before = conn.execute(PRIVILEGES).fetchall()
        assert run_bootstrap(admin_url, database=database, passwords=TEST_PASSWORDS) == warehouse
        assert run_migrations(warehouse) == []
        with psycopg.connect(with_login(admin_url, database=database)) as conn:
            assert conn.execute(PRIVILEGES).fetchall() == before


def test_bootstraps_at_once(pg_admin_url):
    names = [f"crime_test_{uuid.uuid4().hex[:8]}" for _ in range(2)] * 2
    made: list[Warehouse] = []

    def bootstrap(name: str) -> None:
        made.append(run_bootstrap(pg_admin_url, database=name, passwords=TEST_PASSWORDS))

    threads = [threading.Thread(target=bootstrap, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    try:
        assert len(made) == 4
    finally:
        with psycopg.connect(pg_admin_url, autocommit=True) as admin:
            for name in set(names):
                admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_new_passwords_replace_the_old(pg_admin_url, warehouse):
    database = str(conninfo_to_dict(warehouse.owner_url)["dbname"])
    changed = Passwords(owner="o'x \"%", reader="r@:/", analyst="a")
    try:
        made = run_bootstrap(pg_admin_url, database=database, passwords=changed)
        with made.owner() as conn, made.reader() as reader:
            assert (conn.info.user, reader.info.user) == ("crime_owner", "crime_reader")
        with (
            pytest.raises(TerminalError, match="password authentication failed"),
            warehouse.owner(),
        ):
            pass
    finally:
        run_bootstrap(pg_admin_url, database=database, passwords=TEST_PASSWORDS)


def test_a_database_of_another_collation_is_refused(pg_admin_url):
    name = f"crime_test_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(pg_admin_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'")
        try:
            with pytest.raises(TerminalError, match=r"has encoding SQL_ASCII.*expected: UTF8, C, C"):
                run_bootstrap(pg_admin_url, database=name, passwords=TEST_PASSWORDS)
        finally:
            admin.execute(f"DROP DATABASE {name}")


@pytest.mark.parametrize("major", [15, 18])
def test_an_administrator_without_superuser_rights(server_of, make_snapshot, caplog, major):
    admin_url = server_of(major)
    admin = f"admin_{uuid.uuid4().hex[:8]}"
    database = f"crime_test_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(admin_url, autocommit=True) as conn:
        conn.execute(f"CREATE ROLE {admin} LOGIN CREATEROLE CREATEDB PASSWORD 'x'")
        for role in ("crime_owner", "crime_reader", "crime_analyst"):
            if conn.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,)).rowcount and major > 15:
                conn.execute(f"GRANT {role} TO {admin} WITH ADMIN OPTION")
        try:
            url = with_login(admin_url, user=admin, password="x")
            warehouse = run_bootstrap(url, database=database, passwords=TEST_PASSWORDS)
            make_snapshot(warehouse, "snap_a")
            assert run_publish(warehouse, "snap_a", patience=0).state == "published"
            bad = [finding.name for finding in check_warehouse(warehouse) if not finding.ok]
            assert bad == ["functions"]
            assert "no superuser" in caplog.text
        finally:
            conn.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")
            conn.execute(f"DROP OWNED BY {admin}")
            conn.execute(f"DROP ROLE {admin}")


def test_role_with_a_database_of_its_own(pg_admin_url):
    name = f"airflow_{uuid.uuid4().hex[:8]}"
    try:
        url = run_bootstrap_role(pg_admin_url, role=name, password="p w", database=name)
        assert run_bootstrap_role(pg_admin_url, role=name, password="p w", database=name) == url
        with psycopg.connect(url) as conn:
            conn.execute("CREATE TABLE public.mine (id integer)")
    finally:
        with psycopg.connect(pg_admin_url, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            admin.execute(f"DROP ROLE IF EXISTS {name}")


def test_prepare_with_urls(pg_admin_url, warehouse):
    database = str(conninfo_to_dict(warehouse.owner_url)["dbname"])
    urls = {"owner_url": warehouse.owner_url, "reader_url": warehouse.reader_url, "analyst_url": warehouse.analyst_url}
    given = {"database": database, "admin_url": pg_admin_url, "_env_file": None}
    assert prepare_warehouse(Settings(**urls, **given)) == warehouse
    assert prepare_warehouse(Settings(**urls, database=database, admin_url=None, _env_file=None)) == warehouse
    with pytest.raises(UsageError, match="names the role 'crime_owner'"):
        prepare_warehouse(Settings(**(urls | {"reader_url": warehouse.owner_url}), **given))
    with pytest.raises(UsageError, match="CRIME_READER_URL is not"):
        prepare_warehouse(Settings(**(urls | {"reader_url": None}), **given))
