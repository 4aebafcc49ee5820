"""The pages as an application: content, escaping, refusals, headers."""

import html
from pathlib import Path

import pytest
from fastapi import Depends, HTTPException
from fastapi.testclient import TestClient

from agent.interfaces.web import create_app
from include.dataset import DISCLAIMER
from include.errors import TransientError

pytestmark = pytest.mark.postgres

SNAPSHOT = "snap_20260101t000000"


@pytest.fixture
def client(new_warehouse):
    return TestClient(create_app(lambda: new_warehouse, dependencies=[]))


@pytest.fixture
def snapshot(new_warehouse):
    with new_warehouse.owner() as conn:
        conn.execute(
            "INSERT INTO ops.snapshot (snapshot_id, state, row_count, newest_incident, fingerprint, published_at)"
            " VALUES (%s, 'published', 98765, '2026-11-28 10:00', 'print', now())",
            (SNAPSHOT,),
        )
        conn.execute(
            "INSERT INTO ops.quality_result (snapshot_id, kind, name, severity, passed, seen, expected)"
            " VALUES (%(s)s, 'gate', 'unique ids', 'critical', true, '98,765', 'as many'),"
            " (%(s)s, 'gate', 'hours', 'warning', false, '<script>alert(1)</script>', 'fewer')",
            {"s": SNAPSHOT},
        )
        conn.execute("INSERT INTO ops.null_rule_ledger VALUES (%s, 'LATITUDE', 'block donor', 4321)", (SNAPSHOT,))
    return SNAPSHOT


def test_before_anything_ran_the_pages_say_how_to_begin(client):
    for path in ("/report", "/snapshots"):
        page = client.get(path)
        assert page.status_code == 200
        assert "ingest_chicago_crime" in page.text
        assert DISCLAIMER in html.unescape(page.text)


def test_the_newest_report_is_served_as_it_is(client, new_warehouse, tmp_path):
    for number in (1, 2):
        path = tmp_path / f"{number}.html"
        path.write_text(f"<p>report {number}</p>")
        with new_warehouse.owner() as conn:
            conn.execute("INSERT INTO ops.report (report_id, path) VALUES (%s, %s)", (f"r{number}", str(path)))
    assert client.get("/report").text == "<p>report 2</p>"
    Path(tmp_path / "2.html").unlink()
    gone = client.get("/report")
    assert gone.status_code == 404
    assert "no longer on this machine" in gone.json()["detail"]
    assert str(tmp_path) not in gone.text


def test_snapshots_link_to_their_checks(client, snapshot):
    found = client.get("/snapshots")
    assert f'href="snapshots/{snapshot}"' in found.text
    assert "98,765" in found.text
    one = client.get(f"/snapshots/{snapshot}")
    assert one.status_code == 200
    assert "4,321" in one.text
    assert "unique ids" in one.text
    assert one.text.index("hours") < one.text.index("unique ids")
    assert "<script>" not in one.text
    assert "&lt;script&gt;" in one.text
    assert DISCLAIMER in html.unescape(one.text)


@pytest.mark.parametrize("name", ["none", "..%2f..%2fetc%2fpasswd", "'; DROP TABLE ops.report; --", "snap_%00"])
def test_unknown_snapshots_are_not_found(client, snapshot, name):
    assert client.get(f"/snapshots/{name}").status_code == 404


def test_every_route_is_behind_the_callers_dependency(new_warehouse):
    def refuse() -> None:
        raise HTTPException(401, "who are you?")

    app = create_app(lambda: new_warehouse, dependencies=[Depends(refuse)])
    client = TestClient(app)
    for path in ("/report", "/snapshots", "/snapshots/x"):
        assert client.get(path).status_code == 401
    for path in ("/openapi.json", "/docs", "/redoc"):
        assert client.get(path).status_code == 404


def test_pages_forbid_scripts_and_foreign_content(client):
    headers = client.get("/snapshots").headers
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["x-content-type-options"] == "nosniff"


def test_a_warehouse_that_is_down_gives_503_in_words():
    def down():
        raise TransientError("the warehouse does not answer", action="crime up")

    page = TestClient(create_app(down, dependencies=[]), raise_server_exceptions=False).get("/snapshots")
    assert page.status_code == 503
    assert "does not answer" in page.text
