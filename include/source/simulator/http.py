"""The HTTP side of the simulated site: a threading server of the standard library."""

import json
import socket
import sys
import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from include.errors import UsageError
from include.source.simulator.errors import RequestError
from include.source.simulator.site import Page, Site

HANG_SECONDS = 600
_LARGE = 5_000


class SiteServer(ThreadingHTTPServer):
    """Serves one site on the loopback interface.

    Raises:
        UsageError: the port is in use or may not be used.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, site: Site, *, port: int = 0, host: str = "127.0.0.1") -> None:
        self.site = site
        self.hang_seconds: float = HANG_SECONDS
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            raise UsageError(
                f"port {port} cannot be used: {error}", action="choose another port, or 0 for a free one"
            ) from error

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that went away; anything else is a fault of the simulator and is shown."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SiteServer
    disable_nagle_algorithm = True
    wbufsize = 1 << 20

    def do_GET(self) -> None:
        try:
            self._route()
        except RequestError as error:
            self._json(error.status, error.body)

    def do_POST(self) -> None:
        parts = urlsplit(self.path)
        if parts.path != "/simulator/advance" or self.client_address[0] not in ("127.0.0.1", "::1"):
            self._json(404, {"code": "not_found", "error": True, "message": "Cannot find the URL."})
            return
        weeks = dict(parse_qsl(parts.query)).get("weeks", "1")
        if not weeks.isdigit():
            self._json(400, {"code": "invalid_request", "error": True, "message": f"weeks={weeks} is not a number"})
            return
        site = self.server.site
        with site.lock:
            site.store.advance(int(weeks))
            body = {"rows": len(site.store), "updated_at": site.store.last_touched, "identity": site.store.identity}
        self._json(200, body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep no access log: the site keeps the requests."""

    def _route(self) -> None:
        site = self.server.site
        parts = urlsplit(self.path)
        parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
        token = self.headers.get("X-App-Token") or parameters.get("$$app_token")
        site.throttle.admit(token)
        folder, _, name = parts.path.strip("/").rpartition("/")
        if folder == "api/views":
            with site.lock:
                document = site.view(name.removesuffix(".json"))
            self._json(200, document)
        elif folder == "resource":
            with site.lock:
                page = site.resource(name, parameters, token=token)
                blocks = list(page.body) if page.rows <= _LARGE or page.faults else page.body
            if isinstance(blocks, list):
                self._whole(page, b"".join(blocks))
            else:
                self._streamed(page, blocks)
            with site.lock:
                site.after_page(page.number)
        else:
            self._json(404, {"code": "not_found", "error": True, "message": "Cannot find the URL."})

    def _whole(self, page: Page, body: bytes) -> None:
        struck = _struck(page, body)
        if struck is None:
            self._send(200, page.headers, body)
        elif isinstance(struck, _Answer):
            self._send(struck.status, page.headers | struck.headers, struck.body)
        else:
            self._broken(page, body, hang=struck == "timeout")

    def _streamed(self, page: Page, blocks: Iterable[bytes]) -> None:
        # The rows of a page are fixed before it is sent; each block is made when the client has taken the last one.
        self._start(200, page.headers | {"Transfer-Encoding": "chunked"})
        for block in blocks:
            self.wfile.write(b"%x\r\n" % len(block) + block + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def _broken(self, page: Page, body: bytes, *, hang: bool) -> None:
        self._start(200, page.headers | {"Content-Length": str(len(body))})
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        if hang:
            ending = time.monotonic() + self.server.hang_seconds
            while time.monotonic() < ending and not _gone(self.connection):
                time.sleep(0.05)
        self.close_connection = True

    def _json(self, status: int, document: object) -> None:
        body = json.dumps(document).encode()
        self._send(status, {"Content-Type": "application/json;charset=utf-8"}, body)

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self._start(status, headers | {"Content-Length": str(len(body))})
        self.wfile.write(body)
        self.wfile.flush()

    def _start(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


class _Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


_JSON = {"Content-Type": "application/json;charset=utf-8"}
_HTML = {"Content-Type": "text/html;charset=utf-8"}
_THROTTLED = b'{"code":"rate_limit_exceeded","error":true,"message":"Too many requests","data":{}}'
_GATEWAY = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
_FAILED = b'{"code":"internal_error","error":true,"message":"Internal error","data":{}}'
_PENDING = b'{"code":"request_processing","message":"Request processing. You can retry your request."}'
_PLAIN: dict[str, _Answer] = {
    "429": _Answer(429, _JSON, _THROTTLED),
    "429-retry-after": _Answer(429, _JSON | {"Retry-After": "1"}, _THROTTLED),
    "500": _Answer(500, _JSON, _FAILED),
    "502": _Answer(502, _HTML, _GATEWAY),
    "202": _Answer(202, _JSON, _PENDING),
    "html": _Answer(200, _HTML, b"<!DOCTYPE html><html><body>Scheduled maintenance</body></html>"),
    "invalid-json": _Answer(200, _JSON, b"[{'id': 1, oops"),
}


def _struck(page: Page, body: bytes) -> _Answer | str | None:
    """What a faulty answer is: another answer, `timeout` or `disconnect`, or None for no fault."""
    for name in sorted(page.faults):
        if name in _PLAIN:
            return _PLAIN[name]
        if name in ("timeout", "disconnect"):
            return name
        if name in ("truncated-json", "truncated-csv"):
            return _Answer(200, {}, body[: max(len(body) * 2 // 3, 1)].rstrip()[:-3])
        if name == "short-page":
            return _Answer(200, {}, _shortened(page, body))
    return None


def _shortened(page: Page, body: bytes) -> bytes:
    lines = body.splitlines(keepends=True)
    kept = lines[: max(len(lines) * 2 // 3, 1)]
    return b"".join(kept) + (b"]\n" if "json" in page.headers["Content-Type"] else b"")


def _gone(connection: socket.socket) -> bool:
    """Whether the client has closed the connection."""
    try:
        connection.setblocking(False)
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        connection.setblocking(True)
