import socket

import pytest
from aiosmtpd.controller import Controller

from include.notify import Attachment, DeliveryError, DeliveryRefusedError, send_alert, send_mail
from include.notify.mail import compose_mail
from include.settings import Settings


class Mailbox:
    """Keeps what was sent; refuses recipients at `nowhere`."""

    def __init__(self):
        self.messages = []

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802 - aiosmtpd's name
        if address.endswith("@nowhere"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - aiosmtpd's name
        self.messages.append((envelope.rcpt_tos, envelope.content.decode()))
        return "250 OK"


@pytest.fixture
def smtp():
    mailbox = Mailbox()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    controller = Controller(mailbox, hostname="127.0.0.1", port=port)
    controller.start()
    yield mailbox, port
    controller.stop()


def test_a_message_arrives_at_every_recipient(smtp):
    mailbox, port = smtp
    settings = Settings(smtp_url=f"smtp://127.0.0.1:{port}", mail_to="a@example.org, b@example.org")
    sent = send_mail(settings, subject="Report\nBcc: x", text="plain", html="<p>rich</p>")
    assert sent == ("a@example.org", "b@example.org")
    ((recipients, content),) = mailbox.messages
    assert recipients == ["a@example.org", "b@example.org"]
    assert "Subject: Report Bcc: x" in content
    assert "plain" in content
    assert "<p>rich</p>" in content


def test_a_refused_recipient_is_said(smtp):
    settings = Settings(smtp_url=f"smtp://127.0.0.1:{smtp[1]}", mail_to="x@nowhere")
    with pytest.raises(DeliveryRefusedError, match="x@nowhere"):
        send_mail(settings, subject="s", text="t")


def test_a_password_is_never_sent_in_the_clear(smtp):
    settings = Settings(smtp_url=f"smtp://user:secret@127.0.0.1:{smtp[1]}", mail_to="a@example.org")
    with pytest.raises(DeliveryRefusedError, match="no encryption") as caught:
        send_mail(settings, subject="s", text="t")
    assert "secret" not in str(caught.value)
    assert smtp[0].messages == []


def test_a_dead_server_may_be_tried_again():
    with pytest.raises(DeliveryError):
        send_mail(Settings(smtp_url="smtp://127.0.0.1:9", mail_to="a@example.org"), subject="s", text="t")


@pytest.mark.parametrize("values", [{"smtp_url": None, "mail_to": "a@b"}, {"smtp_url": "smtp://h", "mail_to": " , "}])
def test_without_server_or_recipient_nothing_is_sent(values):
    with pytest.raises(DeliveryRefusedError, match="CRIME_SMTP_URL"):
        send_mail(Settings(**values), subject="s", text="t")


def test_pictures_go_with_the_html_and_files_beside_it():
    picture = Attachment("trend.svg", b"<svg/>", "image/svg+xml", content_id="trend")
    file = Attachment("report.html", b"<html/>", "text/html")
    message = compose_mail(
        "a@b", ["c@d"], subject="s", text="t", html="<img src='cid:trend'>", attachments=[picture, file]
    )
    kinds = [part.get_content_type() for part in message.walk()]
    assert kinds == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/svg+xml",
        "text/html",
    ]


def test_an_alert_that_cannot_be_delivered_raises_nothing():
    found = send_alert(Settings(smtp_url="smtp://127.0.0.1:9", mail_to="a@b"), subject="s", text="t")
    assert found.ways == ()
    assert "mail" in found.failures


def test_without_any_way_an_alert_goes_nowhere():
    found = send_alert(Settings(smtp_url=None, mail_to="", webhook_url=None), subject="s", text="t")
    assert (found.ways, found.failures) == ((), {})
