"""The commands on a real snapshot: their documents, exit codes, and what a person sees."""

import pytest

from include.ingest import run_build
from include.settings import PROJECT_ROOT
from tests.unit.interfaces.conftest import clean_environment, crime  # noqa: F401 - fixtures

pytestmark = pytest.mark.postgres

SNAPSHOT = "snap_20200101t000000"
RAW_ROWS = PROJECT_ROOT / "tests" / "fixtures" / "agent" / "raw_rows.sql"
ASKED = {
    "question", "relevance", "outcome", "answer", "understood", "sql", "columns", "rows", "row_count", "truncated",
    "snapshot_id", "strategy", "stage", "model", "attempts", "unsupported_numbers", "ms", "tokens", "cost", "error",
}  # fmt: skip


@pytest.fixture(scope="module")
def published(warehouse):
    with warehouse.owner() as conn:
        conn.execute(RAW_ROWS.read_text())
        built = run_build(conn, schema=SNAPSHOT)
        conn.execute(
            "INSERT INTO ops.snapshot (snapshot_id, state, row_count, newest_incident, fingerprint, published_at)"
            " VALUES (%s, 'published', %s, %s, %s, now())",
            (SNAPSHOT, built.row_count, built.newest_incident, built.fingerprint),
        )
        thefts = "SELECT count(*) FROM raw.crime WHERE primary_type = 'THEFT' AND year = 2017"
        return conn.execute(thefts).fetchone()[0]


@pytest.fixture
def run(crime, warehouse, published):  # noqa: F811 - the imported fixture
    variables = {
        "CRIME_OWNER_URL": warehouse.owner_url,
        "CRIME_READER_URL": warehouse.reader_url,
        "CRIME_ANALYST_URL": warehouse.analyst_url,
    }
    return lambda *arguments, **more: crime(*arguments, **variables, **more)


def test_ask_has_the_promised_fields_and_the_exact_count(run, published):
    ended = run("ask", "How many thefts were there in 2017?", "--json")
    assert ended.code == 0
    document = ended.document
    assert set(document) >= ASKED
    assert (document["outcome"], document["rows"], document["row_count"]) == ("answered", [[published]], 1)
    assert (document["snapshot_id"], document["strategy"], document["unsupported_numbers"]) == (
        SNAPSHOT,
        "semantic",
        [],
    )
    spoken = run("ask", "How many thefts were there in 2017?")
    assert f"{published:,}" in spoken.out
    assert SNAPSHOT in spoken.out


def test_ask_out_of_scope_says_so_and_runs_nothing(run):
    document = run("ask", "What is the weather like in Paris?", "--json").document
    assert (document["outcome"], document["sql"], document["rows"]) == ("no_query", None, [])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT count(*) FROM crime_incidents", 0),
        ("DELETE FROM crime_incidents", 3),
        ("SELECT 1; DROP TABLE crime_incidents", 3),
        ("SELECT usename FROM pg_user", 3),
        ("SELECT pg_sleep(100)", 3),
        ('SELECT "NOPE" FROM crime_incidents', 1),
        ("SELECT FROM WHERE", 1),
    ],
)
def test_sql_goes_through_the_guard(run, text, code):
    ended = run("sql", text, "--json")
    assert ended.code == code, ended.out
    assert ("error" in ended.document) is (code != 0)
    if code == 0:
        assert set(ended.document) >= {"columns", "rows", "row_count", "truncated", "ms"}
        assert ended.document["rows"] == [[4000]]


def test_a_cut_result_says_so(run):
    ended = run("sql", 'SELECT "ID" FROM crime_incidents', "--json", CRIME_ASK_MAX_ROWS="10")
    assert (ended.document["truncated"], len(ended.document["rows"])) == (True, 10)
    spoken = run("sql", 'SELECT "ID" FROM crime_incidents', CRIME_ASK_MAX_ROWS="10")
    assert "cut" in spoken.out


def test_snapshots_are_listed_and_shown(run):
    (listed,) = run("snapshots", "list", "--json").document
    assert (listed["snapshot_id"], listed["state"], listed["row_count"]) == (SNAPSHOT, "published", 4000)
    assert "4,000" in run("snapshots", "list").out
    assert run("snapshots", "show", SNAPSHOT, "--json").document["snapshot"]["snapshot_id"] == SNAPSHOT


@pytest.mark.parametrize(
    "arguments",
    [
        ["snapshots", "show", "snap_none"],
        ["snapshots", "publish", "snap_none"],
        ["sql", "SELECT count(*) FROM crime_incidents", "--snapshot", "snap_none"],
        ["ask", "How many thefts?", "--snapshot", "snap_none"],
        ["ask", "How many thefts?", "--strategy", "agent_2"],
        ["bench", "--strategy", "agent_1"],
    ],
    ids=" ".join,
)
def test_what_does_not_exist_exits_2(run, arguments):
    ended = run(*arguments, "--json")
    assert ended.code == 2, ended.out
    assert ended.document["error"]["kind"].endswith("Error")


def test_rollback_without_an_earlier_snapshot_is_refused(run):
    assert run("snapshots", "rollback", "--json").code == 3


def test_a_snapshot_is_exported_once(run, tmp_path):
    ended = run("snapshots", "export", SNAPSHOT, "--out", str(tmp_path / "out"), "--json")
    assert (ended.code, ended.document["row_count"]) == (0, 4000)
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert run("snapshots", "export", "--out", str(tmp_path / "out")).code == 2


def test_two_snapshots_are_compared(run, warehouse):
    newer = "snap_20200102t000000"
    with warehouse.owner() as conn:
        conn.execute("UPDATE raw.crime SET primary_type = 'ARSON' WHERE id = (SELECT min(id) FROM raw.crime)")
        run_build(conn, schema=newer)
        conn.execute(
            "INSERT INTO ops.snapshot (snapshot_id, state, row_count) VALUES (%s, 'candidate', 4000)", (newer,)
        )
    try:
        document = run("snapshots", "diff", SNAPSHOT, newer, "--json").document
        assert document["total"] == {"added": 0, "changed": 1, "removed": 0, "imputed": 0, "restamped": 0}
        assert document["by_type"] == {"ARSON": document["total"]}
        assert "ARSON" in run("snapshots", "diff", SNAPSHOT, newer).out
        assert run("snapshots", "diff", SNAPSHOT, "snap_none").code == 2
    finally:
        with warehouse.owner() as conn:
            conn.execute("DELETE FROM ops.snapshot WHERE snapshot_id = %s", (newer,))
