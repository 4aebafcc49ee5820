"""The simulator in this process: a context manager for tests and short jobs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread

from include.source.simulator.http import SiteServer
from include.source.simulator.site import Request, Site
from include.source.simulator.store import RowStore


@dataclass(frozen=True)
class SimulatorHandle:
    """A running simulator: where it is, what it serves, what it was asked."""

    url: str
    port: int
    identity: str
    site: Site

    @property
    def domain(self) -> str:
        """Host and port, as sodapy wants them."""
        return self.url.removeprefix("http://")

    @property
    def requests(self) -> list[Request]:
        """The requests for rows and aggregates so far."""
        return self.site.requests

    def advance(self, weeks: int = 1) -> None:
        """Let weeks pass at the source."""
        with self.site.lock:
            self.site.store.advance(weeks)


@contextmanager
def serve(
    rows: RowStore,
    *,
    port: int = 0,
    faults: Sequence[str] = (),
    app_token: str | None = None,
    anonymous_per_minute: int | None = None,
    page_delay: float = 0,
) -> Iterator[SimulatorHandle]:
    """Serve rows on the loopback interface until the block ends; `page_delay` in seconds.

    Raises:
        UsageError: the port is in use, or an unknown fault.
    """
    site = Site(
        rows, faults=faults, app_token=app_token, anonymous_per_minute=anonymous_per_minute, page_delay=page_delay
    )
    server = SiteServer(site, port=port)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="simulator", daemon=True)
    thread.start()
    try:
        yield SimulatorHandle(f"http://127.0.0.1:{server.port}", server.port, rows.identity, site)
    finally:
        server.hang_seconds = 0
        server.shutdown()
        server.server_close()
        thread.join()
