"""Delivery of a built report: a local mail server, a local webhook, and what is said when neither is there."""

import email
import http.server
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from agent.reports import build_report, deliver_report
from include.dataset import DISCLAIMER
from include.errors import TransientError, UsageError
from include.notify import DeliveryRefusedError
from include.settings import Settings
from tests.postgres.reports.conftest import answer, ops

pytestmark = pytest.mark.postgres


class Inbox:
    """Keeps what the mail server was handed."""

    def __init__(self) -> None:
        self.envelopes: list[Any] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        self.envelopes.append(envelope)
        return "250 OK"


@pytest.fixture
def mail() -> Iterator[tuple[Inbox, str]]:
    inbox = Inbox()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(inbox, hostname="127.0.0.1", port=port)
    controller.start()
    yield inbox, f"smtp://127.0.0.1:{port}"
    controller.stop()


@pytest.fixture
def hook() -> Iterator[tuple[list[dict[str, Any]], str]]:
    posted: list[dict[str, Any]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield posted, f"http://127.0.0.1:{server.server_address[1]}/hook"
    server.shutdown()
    server.server_close()


@pytest.fixture
def report(store, write_run, settings, tmp_path):
    write_run("b0", [answer(4, "correct"), answer(5, "correct")], weeks_ago=1)
    write_run("b1", [answer(4, "correct"), answer(5, "wrong")])
    return build_report(store, settings=settings, out_dir=tmp_path / "reports")


def with_ways(settings: Settings, **fields: str) -> Settings:
    return settings.model_copy(update=fields)


def test_mail_carries_the_summary_and_the_page(store, settings, report, mail):
    inbox, url = mail
    ways = deliver_report(
        store, report.report_id, settings=with_ways(settings, smtp_url=url, mail_to="a@x.test, b@x.test")
    )
    assert ways == "mail to a@x.test, b@x.test"
    (envelope,) = inbox.envelopes
    assert sorted(envelope.rcpt_tos) == ["a@x.test", "b@x.test"]
    message = email.message_from_bytes(envelope.content, policy=email.policy.default)
    assert "1 lost since the run before" in message["subject"]
    assert "\n" not in message["subject"]
    body = message.get_body(preferencelist=("plain",)).get_content()
    assert "semantic: VSR 100.0%, EM 50.0%, EX 50.0%, EX robust 50.0%" in body
    assert "lost: 5" in body
    assert DISCLAIMER.split(".")[0] in body.replace("\n", " ")
    (attached,) = message.iter_attachments()
    assert attached.get_content_type() == "text/html"
    content = attached.get_payload(decode=True).decode("utf-8")
    page = Path(report.path).read_text()
    assert content.replace("\r\n", "\n").strip() == page.strip()
    assert ops(store, "SELECT delivered FROM ops.report") == [(True,)]


def test_webhook_gets_the_summary(store, settings, report, hook):
    posted, url = hook
    assert deliver_report(store, report.report_id, settings=with_ways(settings, webhook_url=url)) == "webhook"
    assert "EX 50.0%" in json.dumps(posted[0], ensure_ascii=False)
    assert report.report_id in json.dumps(posted[0])


def test_both_ways(store, settings, report, mail, hook):
    inbox, smtp_url = mail
    posted, webhook_url = hook
    both = with_ways(settings, smtp_url=smtp_url, mail_to="a@x.test", webhook_url=webhook_url)
    assert deliver_report(store, report.report_id, settings=both) == "mail to a@x.test and webhook"
    assert (len(inbox.envelopes), len(posted)) == (1, 1)


def test_without_a_way_it_is_refused_and_not_called_delivered(store, settings, report):
    with pytest.raises(DeliveryRefusedError, match="no way of delivery"):
        deliver_report(store, report.report_id, settings=settings)
    assert ops(store, "SELECT delivered FROM ops.report") == [(False,)]


def test_a_mail_server_that_is_down_is_worth_a_retry(store, settings, report):
    with pytest.raises(TransientError):
        deliver_report(
            store, report.report_id, settings=with_ways(settings, smtp_url="smtp://127.0.0.1:9", mail_to="a@x.test")
        )
    assert ops(store, "SELECT delivered FROM ops.report") == [(False,)]


def test_what_is_not_there_cannot_be_delivered(store, settings, report):
    with pytest.raises(UsageError, match="no report 'report_none'"):
        deliver_report(store, "report_none", settings=settings)
    Path(report.path).unlink()
    with pytest.raises(UsageError, match="no longer at"):
        deliver_report(store, report.report_id, settings=settings)
