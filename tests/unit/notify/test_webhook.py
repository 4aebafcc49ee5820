import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import ClassVar

import pytest

from include.notify import DeliveryError, DeliveryRefusedError, post_webhook
from include.settings import Settings


@pytest.fixture
def hook():
    class Hook(BaseHTTPRequestHandler):
        status = 200
        bodies: ClassVar[list] = []

        def do_POST(self):
            Hook.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(Hook.status)
            self.end_headers()

        def log_message(self, *_):
            pass

    Hook.bodies = []
    server = HTTPServer(("127.0.0.1", 0), Hook)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    Hook.url = f"http://127.0.0.1:{server.server_port}/secret-path"
    yield Hook
    server.shutdown()
    server.server_close()
    thread.join()


def test_text_and_details_are_posted(hook):
    post_webhook(Settings(webhook_url=hook.url), text="held", details={"snapshot_id": "snap_1"})
    assert hook.bodies == [{"text": "held", "snapshot_id": "snap_1"}]


@pytest.mark.parametrize(
    ("status", "kind"),
    [(404, DeliveryRefusedError), (429, DeliveryError), (500, DeliveryError), (403, DeliveryRefusedError)],
)
def test_a_refusal_is_said_without_the_secret_address(hook, status, kind):
    hook.status = status
    with pytest.raises(kind, match=str(status)) as caught:
        post_webhook(Settings(webhook_url=hook.url), text="t")
    assert "secret-path" not in str(caught.value)


def test_a_dead_webhook_may_be_tried_again():
    with pytest.raises(DeliveryError) as caught:
        post_webhook(Settings(webhook_url="http://127.0.0.1:9/secret-path"), text="t")
    assert "secret-path" not in str(caught.value)


def test_without_a_webhook_nothing_is_sent():
    with pytest.raises(DeliveryRefusedError):
        post_webhook(Settings(webhook_url=None), text="t")
