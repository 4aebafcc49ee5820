from psycopg.conninfo import conninfo_to_dict

from include.warehouse import Warehouse, run_bootstrap
from tests.conftest import TEST_PASSWORDS


def test_bootstrap_twice_changes_nothing(warehouse: Warehouse, pg_admin_url: str):
    database = conninfo_to_dict(warehouse.owner_url)["dbname"]
    again = run_bootstrap(pg_admin_url, database=database, passwords=TEST_PASSWORDS)
    assert again == warehouse
    with warehouse.owner() as conn:
        versions = [row[0] for row in conn.execute("SELECT version FROM ops.schema_version ORDER BY version")]
        assert versions[0] == 1
        assert len(versions) == len(set(versions))
