"""A local model server for tests: speaks OpenAI's chat completions (Groq's path too) and Anthropic's messages.

What it says is scripted: a list of replies in order, or a function of the request. Every request is recorded.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Request:
    """A request as it came: path, headers (lower case) and JSON body."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, object]

    @property
    def system(self) -> str:
        """The system message, in the form of either protocol."""
        if "system" in self.body:
            return _text(self.body["system"])
        return self._message("system")

    @property
    def user(self) -> str:
        """The user message."""
        return self._message("user")

    def _message(self, role: str) -> str:
        messages = self.body["messages"]
        assert isinstance(messages, list)
        return "".join(_text(message["content"]) for message in messages if message["role"] == role)


@dataclass(frozen=True)
class Said:
    """A reply: a text, or with another status an error body."""

    text: str = ""
    finish_reason: str = "stop"
    tokens_in: int = 100
    tokens_out: int = 20
    status: int = 200
    error: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    delay: float = 0.0


Script = Callable[[Request], Said | str] | Sequence[Said | str]


class ScriptedServer:
    """The running server: `url`, the two base URLs and what it was asked."""

    def __init__(self, script: Script, port: int) -> None:
        self.requests: list[Request] = []
        self._script = script
        self._lock = threading.Lock()
        self._given = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.path, headers, body)
                said = server._answer(request)
                payload = said.raw if said.raw is not None else _payload(request, said)
                self.send_response(said.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(payload)))
                for name, value in said.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, format: str, *args: object) -> None:
                """Stay silent: the requests are recorded."""

        self._http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.openai_url = f"{self.url}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close the port."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _answer(self, request: Request) -> Said:
        with self._lock:
            self.requests.append(request)
            number = self._given
            self._given += 1
        if callable(self._script):
            said = self._script(request)
        elif number < len(self._script):
            said = self._script[number]
        else:
            said = Said(status=400, error=f"the script has only {len(self._script)} replies")
        said = Said(text=said) if isinstance(said, str) else said
        if said.delay:
            threading.Event().wait(said.delay)
        return said


@contextmanager
def serve_model(script: Script, *, port: int = 0) -> Iterator[ScriptedServer]:
    """Run a scripted server while the block runs."""
    server = ScriptedServer(script, port)
    try:
        yield server
    finally:
        server.stop()


def _payload(request: Request, said: Said) -> bytes:
    document: dict[str, object]
    if said.status != 200:
        document = {"error": {"message": said.error, "type": "error", "code": None}}
    elif request.path.endswith("/messages"):
        reason = {"stop": "end_turn", "length": "max_tokens"}[said.finish_reason]
        document = {
            "id": "msg_test",
            "type": "message",
            "role": "assistant",
            "model": request.body["model"],
            "content": [{"type": "text", "text": said.text}],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": said.tokens_in, "output_tokens": said.tokens_out},
        }
    else:
        message = {"role": "assistant", "content": said.text}
        total = said.tokens_in + said.tokens_out
        document = {
            "id": "chatcmpl-test",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": request.body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": said.finish_reason}],
            "usage": {
                "prompt_tokens": said.tokens_in,
                "completion_tokens": said.tokens_out,
                "total_tokens": total,
            },
        }
    return json.dumps(document).encode()


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    assert isinstance(content, list)
    return "".join(part["text"] for part in content)
