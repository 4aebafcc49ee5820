"""What a local SMTP server and a local webhook received."""

import email
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from aiosmtpd.controller import Controller


@dataclass
class Inbox:
    """The mails and the bodies of the posts, in their order."""

    smtp_url: str = ""
    webhook_url: str = ""
    mails: list[EmailMessage] = field(default_factory=list)
    posts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def subjects(self) -> list[str]:
        """The subjects of the mails."""
        return [str(mail["Subject"]) for mail in self.mails]

    async def handle_DATA(self, server: object, session: object, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        """Keep a mail."""
        self.mails.append(email.message_from_bytes(envelope.content, policy=default))
        return "250 OK"


@contextmanager
def open_inbox() -> Iterator[Inbox]:
    """Receive mails and posts on the loopback interface while the block lasts."""
    inbox = Inbox()

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            inbox.posts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    mail = Controller(inbox, hostname="127.0.0.1", port=port)
    hook = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    Thread(target=hook.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    mail.start()
    inbox.smtp_url = f"smtp://127.0.0.1:{port}"
    inbox.webhook_url = f"http://127.0.0.1:{hook.server_port}/hook"
    try:
        yield inbox
    finally:
        mail.stop()
        hook.shutdown()
        hook.server_close()
