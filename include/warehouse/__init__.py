from include.warehouse.bootstrap import (
    ANALYST,
    OWNER,
    READER,
    Passwords,
    ensure_database,
    prepare_warehouse,
    run_bootstrap,
    run_bootstrap_role,
    with_login,
)
from include.warehouse.connection import Warehouse, address, connect, translate_error
from include.warehouse.embedded import EmbeddedServer, ServerInfo
from include.warehouse.errors import ServerSetupError, SnapshotHeldError, WarehouseDownError, WarehouseFullError
from include.warehouse.migrations import run_migrations
from include.warehouse.snapshots import (
    TABLE_NAMES,
    Snapshot,
    get_snapshot,
    list_snapshots,
    published_snapshot,
    require_snapshot,
)
from include.warehouse.sqlfiles import load_sql

__all__ = [
    "ANALYST",
    "OWNER",
    "READER",
    "TABLE_NAMES",
    "EmbeddedServer",
    "Passwords",
    "ServerInfo",
    "ServerSetupError",
    "Snapshot",
    "SnapshotHeldError",
    "Warehouse",
    "WarehouseDownError",
    "WarehouseFullError",
    "address",
    "connect",
    "ensure_database",
    "get_snapshot",
    "list_snapshots",
    "load_sql",
    "prepare_warehouse",
    "published_snapshot",
    "require_snapshot",
    "run_bootstrap",
    "run_bootstrap_role",
    "run_migrations",
    "translate_error",
    "with_login",
]
