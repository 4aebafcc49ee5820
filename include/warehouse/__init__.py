from include.warehouse.backup import BackupResult, run_backup, run_restore
from include.warehouse.bootstrap import ensure_database, prepare_warehouse, run_bootstrap, run_bootstrap_role
from include.warehouse.connection import Warehouse, address, connect, translate_error
from include.warehouse.doctor import Finding, check_warehouse
from include.warehouse.embedded import EmbeddedServer, ServerInfo
from include.warehouse.errors import ServerSetupError, SnapshotHeldError, WarehouseDownError, WarehouseFullError
from include.warehouse.migrations import run_migrations
from include.warehouse.ports import find_free_port, is_free
from include.warehouse.publish import run_publish, run_rollback
from include.warehouse.retention import KeptSnapshot, RetentionResult, run_retention
from include.warehouse.roles import ANALYST, OWNER, READER, Passwords, with_login
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
    "BackupResult",
    "EmbeddedServer",
    "Finding",
    "KeptSnapshot",
    "Passwords",
    "RetentionResult",
    "ServerInfo",
    "ServerSetupError",
    "Snapshot",
    "SnapshotHeldError",
    "Warehouse",
    "WarehouseDownError",
    "WarehouseFullError",
    "address",
    "check_warehouse",
    "connect",
    "ensure_database",
    "find_free_port",
    "get_snapshot",
    "is_free",
    "list_snapshots",
    "load_sql",
    "prepare_warehouse",
    "published_snapshot",
    "require_snapshot",
    "run_backup",
    "run_bootstrap",
    "run_bootstrap_role",
    "run_migrations",
    "run_publish",
    "run_restore",
    "run_retention",
    "run_rollback",
    "translate_error",
    "with_login",
]
