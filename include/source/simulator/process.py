"""The simulator as a process of its own, detached from the one that starts it."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from include.errors import TerminalError, UsageError
from include.settings import PROJECT_ROOT

_ERROR_MARK = "error: "


@dataclass(frozen=True)
class SimulatorProcess:
    """A simulator running on its own."""

    url: str
    port: int
    pid: int
    identity: str
    rows: int
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def domain(self) -> str:
        """Host and port, as sodapy wants them."""
        return self.url.removeprefix("http://")

    def stop(self, *, patience: float = 10) -> None:
        """End it; no error when it is gone already. `patience` in seconds before it is killed."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
        _signal(self.pid, signal.SIGTERM)
        ending = time.monotonic() + patience
        while self.is_alive():
            if time.monotonic() > ending:
                _signal(self.pid, signal.SIGKILL)
            time.sleep(0.02)

    def is_alive(self) -> bool:
        """Whether it still runs."""
        if self.process is not None:
            return self.process.poll() is None
        return _signal(self.pid, 0)

    def advance(self, weeks: int = 1) -> None:
        """Let weeks pass at the source.

        Raises:
            TerminalError: it does not answer.
        """
        request = urllib.request.Request(f"{self.url}/simulator/advance?weeks={weeks}", method="POST")  # noqa: S310 - loopback http
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:  # noqa: S310 - loopback http
                answer.read()
        except OSError as error:
            raise TerminalError(f"the simulator at {self.url} does not answer: {error}") from error


def start_process(
    *,
    file: Path | None = None,
    rows: int | None = None,
    seed: int = 7,
    port: int = 0,
    weeks: int = 0,
    as_of: str | None = None,
    faults: Sequence[str] = (),
    app_token: str | None = None,
    log: Path | None = None,
    patience: float = 600,
    tied: bool = False,
) -> SimulatorProcess:
    """Start a simulator over a file or generated rows and wait until it serves; it outlives this process unless tied.

    Args:
        file: a file of crimes; None = generated rows.
        rows: how many rows to generate (as of the generator's reference day).
        seed: seed of the generator.
        port: port on the loopback interface; 0 = a free one.
        weeks: weeks to let pass before serving.
        as_of: day of the newest incident, ISO form; None = eight days before today.
        faults: fault switches, see `FAULTS`.
        app_token: the one application token it knows.
        log: where its output goes; None = nowhere.
        patience: seconds to wait until it serves.
        tied: end it with this process, however that ends.

    Raises:
        UsageError: the port is in use, or the file is not one of crimes.
        TerminalError: it ended or did not come up in time.
    """
    with tempfile.TemporaryDirectory(prefix="simulator-") as folder:
        ready = Path(folder) / "ready.json"
        arguments = ["--port", str(port), "--seed", str(seed), "--weeks", str(weeks), "--ready-file", str(ready)]
        arguments += ["--file", str(file.resolve())] if file else ["--rows", str(rows if rows is not None else 200_000)]
        arguments += ["--as-of", as_of] if as_of else []
        arguments += ["--app-token", app_token] if app_token else []
        arguments += ["--tied"] if tied else []
        for fault in faults:
            arguments += ["--fault", fault]
        output = log or Path(folder) / "log"
        output.parent.mkdir(parents=True, exist_ok=True)
        start = output.stat().st_size if output.exists() else 0
        with output.open("ab") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", "include.source.simulator", *arguments],
                cwd=PROJECT_ROOT,
                # The system closes its end of the pipe even when this process is killed.
                stdin=subprocess.PIPE if tied else subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        told = _await(process, ready, patience=patience, log=output, start=start)
    return SimulatorProcess(
        url=str(told["url"]),
        port=int(told["port"]),
        pid=int(told["pid"]),
        identity=str(told["identity"]),
        rows=int(told["rows"]),
        process=process,
    )


def _await(
    process: "subprocess.Popen[bytes]", ready: Path, *, patience: float, log: Path, start: int
) -> dict[str, "str | int"]:
    ending = time.monotonic() + patience
    while not ready.exists():
        if process.poll() is not None:
            raise _failure(process.returncode, log.read_text()[start:])
        if time.monotonic() > ending:
            process.kill()
            process.wait()
            raise TerminalError(f"the simulator did not serve within {patience:.0f} s", action=f"read {log}")
        time.sleep(0.02)
    told: dict[str, str | int] = json.loads(ready.read_text())
    return told


def _failure(code: int, text: str) -> TerminalError:
    lines = [line for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines else f"exit code {code}"
    kind = UsageError if code == UsageError.exit_code else TerminalError
    return kind(f"the simulator did not start: {last.removeprefix(_ERROR_MARK)}")


def _signal(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
