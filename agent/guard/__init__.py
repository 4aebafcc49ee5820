from agent.guard.check import DEFAULT_TABLES, CheckedQuery, check_sql
from agent.guard.dialect import GuardPostgres
from agent.guard.errors import (
    AuditError,
    GuardBusyError,
    GuardRefusal,
    QueryFailed,
    QueryTimeout,
    RoleRefusedError,
)
from agent.guard.guard import Guard
from agent.guard.results import Caller, Explanation, Limits, QueryResult
from agent.guard.role import READABLE_SCHEMAS, RoleVerdict, verify_role

__all__ = [
    "DEFAULT_TABLES",
    "READABLE_SCHEMAS",
    "AuditError",
    "Caller",
    "CheckedQuery",
    "Explanation",
    "Guard",
    "GuardBusyError",
    "GuardPostgres",
    "GuardRefusal",
    "Limits",
    "QueryFailed",
    "QueryResult",
    "QueryTimeout",
    "RoleRefusedError",
    "RoleVerdict",
    "check_sql",
    "verify_role",
]
