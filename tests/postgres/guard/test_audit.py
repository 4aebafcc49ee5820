import pytest

from agent.guard import AuditError, Caller, Guard, GuardRefusal, QueryFailed
from include.settings import Settings
from include.warehouse import Warehouse

from .conftest import CALLER, LIMITS

pytestmark = pytest.mark.postgres
COLUMNS = (
    "interface, caller, question, node, snapshot_id, sql_proposed, sql_run, verdict, rule, sqlstate, row_count,"
    " truncated"
)


def last_row(warehouse: Warehouse) -> dict[str, object]:
    with warehouse.owner() as conn:
        row = conn.execute(f"SELECT {COLUMNS} FROM ops.query_audit ORDER BY audit_id DESC LIMIT 1").fetchone()
    assert row is not None
    return dict(zip(COLUMNS.split(", "), row, strict=True))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT ward_id FROM public.ward_names WHERE ward_id < 4",
            {
                "verdict": "executed",
                "sql_run": 'SELECT ward_id FROM "snap_test".ward_names WHERE ward_id < 4',
                "row_count": 3,
                "truncated": False,
                "rule": None,
                "sqlstate": None,
            },
        ),
        ("DELETE FROM ward_names", {"verdict": "refused", "rule": "root", "sql_run": None, "row_count": None}),
        ("SELECT * FROM pg_user", {"verdict": "refused", "rule": "table", "sql_run": None}),
        ("SELECT nosuch FROM ward_names", {"verdict": "failed", "sqlstate": "42703", "sql_run": None}),
        ("SELECT IFNULL(1, 2)", {"verdict": "failed", "sqlstate": "42883", "rule": None}),
        ("SELECT 1 / (ward_id - ward_id) FROM ward_names", {"verdict": "failed", "sqlstate": "22012"}),
    ],
)
def test_row_of_each_verdict(guard: Guard, warehouse: Warehouse, sql: str, expected: dict[str, object]) -> None:
    caller = Caller("web", "probe", question="what?", name="ann")
    try:
        guard.execute(sql, schema="snap_test", caller=caller, limits=LIMITS)
    except (GuardRefusal, QueryFailed):
        assert expected["verdict"] != "executed"

    row = last_row(warehouse)
    assert {name: row[name] for name in expected} == expected
    assert (row["interface"], row["caller"], row["question"], row["node"]) == ("web", "ann", "what?", "probe")
    assert (row["snapshot_id"], row["sql_proposed"]) == ("snap_test", sql)


def test_explained_row(guard: Guard, warehouse: Warehouse) -> None:
    guard.explain("SELECT 1", schema="snap_test", caller=Caller("cli", "validate"), limits=LIMITS)
    row = last_row(warehouse)
    assert (row["verdict"], row["question"], row["caller"], row["row_count"]) == ("explained", None, "", None)


def test_text_that_cannot_be_stored_is_stored_without_what_cannot(guard: Guard, warehouse: Warehouse) -> None:
    with pytest.raises(GuardRefusal):
        guard.execute("SELECT '\0\ud800'", schema="snap_test", caller=Caller("cli", "run"), limits=LIMITS)
    assert last_row(warehouse)["sql_proposed"] == "SELECT '\N{REPLACEMENT CHARACTER}?'"


def test_huge_text_is_cut(guard: Guard, warehouse: Warehouse) -> None:
    with pytest.raises(GuardRefusal):
        guard.execute("x" * 1_000_000, schema="snap_test", caller=Caller("cli", "run"), limits=LIMITS)
    assert len(str(last_row(warehouse)["sql_proposed"])) == 100_000


def test_result_is_withheld_when_the_audit_fails(warehouse: Warehouse, snapshot: str) -> None:
    with warehouse.owner() as conn:
        conn.execute("ALTER TABLE ops.query_audit RENAME TO query_audit_away")
    try:
        with Guard(warehouse, settings=Settings()) as guard, pytest.raises(AuditError, match="could not be written"):
            guard.execute("SELECT 1", schema=snapshot, caller=Caller("cli", "run"), limits=LIMITS)
    finally:
        with warehouse.owner() as conn:
            conn.execute("ALTER TABLE ops.query_audit_away RENAME TO query_audit")


def test_operator_sees_what_was_refused(guard: Guard, warehouse: Warehouse, snapshot: str) -> None:
    with pytest.raises(GuardRefusal):
        guard.execute("SELECT pg_sleep(41)", schema=snapshot, caller=CALLER, limits=LIMITS)

    with warehouse.owner() as conn:
        newest = conn.execute("SELECT interface, caller, rule, sql_proposed FROM ops.refusal LIMIT 1").fetchone()

    assert newest == ("test", "tester", "dangerous_function", "SELECT pg_sleep(41)")
