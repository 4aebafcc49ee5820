"""The pages as a FastAPI application: the latest report and the snapshots.

Authentication is the caller's: the plugin passes Airflow's own as a dependency of every route. The OpenAPI and docs
routes are off, since application dependencies do not cover them.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, select_autoescape

from include.dataset import DISCLAIMER
from include.errors import PlatformError, TransientError
from include.quality import describe_snapshot
from include.warehouse import Warehouse, list_snapshots

TEMPLATES = Path(__file__).parent / "templates"
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def create_app(open_warehouse: Callable[[], Warehouse], *, dependencies: Sequence[Any]) -> FastAPI:
    """Return the application.

    Args:
        open_warehouse: called on each request, so that nothing connects at import.
        dependencies: FastAPI dependencies of every route; they refuse anonymous callers.
    """
    app = FastAPI(dependencies=list(dependencies), openapi_url=None, docs_url=None, redoc_url=None)
    pages = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=select_autoescape(default=True))

    @app.middleware("http")
    async def add_security_headers(request: Request, call_next: Any) -> Response:
        response: Response = await call_next(request)
        response.headers.update(SECURITY_HEADERS)
        return response

    @app.exception_handler(PlatformError)
    def say_what_failed(request: Request, error: PlatformError) -> HTMLResponse:
        del request
        status = 503 if isinstance(error, TransientError) else 500
        page = pages.get_template("failed.html").render(error=error, disclaimer=DISCLAIMER)
        return HTMLResponse(page, status_code=status)

    @app.get("/report", response_class=HTMLResponse)
    def latest_report() -> HTMLResponse:
        with open_warehouse().owner() as conn:
            found = conn.execute("SELECT path FROM ops.report ORDER BY built_at DESC LIMIT 1").fetchone()
        if found is None:
            return HTMLResponse(pages.get_template("empty.html").render(what="report", disclaimer=DISCLAIMER))
        page = Path(found[0])
        if not page.is_file():
            raise HTTPException(404, f"the report {page.name} is no longer on this machine; build it again")
        return HTMLResponse(page.read_text())

    @app.get("/snapshots", response_class=HTMLResponse)
    def snapshots() -> HTMLResponse:
        with open_warehouse().owner() as conn:
            found = list_snapshots(conn)
        return HTMLResponse(pages.get_template("snapshots.html").render(snapshots=found, disclaimer=DISCLAIMER))

    @app.get("/snapshots/{snapshot_id}", response_class=HTMLResponse)
    def snapshot(snapshot_id: str) -> HTMLResponse:
        with open_warehouse().owner() as conn:
            if snapshot_id not in {found.snapshot_id for found in list_snapshots(conn)}:
                raise HTTPException(404, "there is no such snapshot")
            found = describe_snapshot(conn, snapshot_id)
        return HTMLResponse(pages.get_template("snapshot.html").render(**found, disclaimer=DISCLAIMER))

    return app
