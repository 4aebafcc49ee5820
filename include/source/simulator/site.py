"""The simulated site: one data set, its faults and its request log, apart from the HTTP around it."""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import RLock
from typing import Any

from include.source.simulator.changes import apply_change
from include.source.simulator.drift import drifted
from include.source.simulator.errors import missing_dataset, query_error
from include.source.simulator.faults import FaultPlan, parse_faults
from include.source.simulator.fields import DATASET_ID, HEADER_TYPES
from include.source.simulator.metadata import view_document
from include.source.simulator.query import Answer, run_query
from include.source.simulator.render import render_csv, render_json
from include.source.simulator.request import parse_query
from include.source.simulator.scope import fields_of
from include.source.simulator.store import RowStore
from include.source.simulator.throttle import Throttle

CONTENT_TYPES = {"json": "application/json;charset=utf-8", "csv": "text/csv;charset=utf-8"}


@dataclass(frozen=True)
class Request:
    """A request as the log keeps it; `page` is the number of the data page, 0 for everything else."""

    path: str
    parameters: Mapping[str, str]
    token: str | None
    page: int
    at: float


@dataclass(frozen=True)
class Page:
    """An answer: headers, the blocks of the body, its rows, and the faults of kind answer that strike it."""

    headers: dict[str, str]
    body: Iterator[bytes]
    rows: int
    number: int
    faults: set[str] = field(default_factory=set)


class Site:
    """Answers requests to one data set. Callers hold `lock` while they ask; what they get stays as it was then."""

    def __init__(
        self,
        store: RowStore,
        *,
        faults: Sequence[str] = (),
        app_token: str | None = None,
        anonymous_per_minute: int | None = None,
        page_delay: float = 0,
        dataset_id: str = DATASET_ID,
    ) -> None:
        self.store = store
        self.dataset_id = dataset_id
        self.throttle = Throttle(app_token, anonymous_per_minute=anonymous_per_minute)
        self.requests: list[Request] = []
        self.lock = RLock()
        self._plan = FaultPlan(parse_faults(faults))
        self._delay = page_delay

    def view(self, dataset_id: str) -> dict[str, Any]:
        """The metadata document.

        Raises:
            RequestError: 404 for another data set.
        """
        if dataset_id != self.dataset_id:
            raise missing_dataset(dataset_id)
        store = drifted(self.store.snapshot(), self._plan.holding())
        return view_document(store.fields, identity=store.identity, rows=len(store), updated_at=store.last_touched) | {
            "id": self.dataset_id
        }

    def resource(self, name: str, parameters: Mapping[str, str], *, token: str | None) -> Page:
        """An answer of `/resource/<id>.<form>`; `name` is the last part of the path.

        Raises:
            RequestError: 400 or 404 with the body of the real server.
        """
        dataset_id, _, form = name.partition(".")
        form = form or "json"
        if dataset_id != self.dataset_id:
            raise missing_dataset(dataset_id)
        if form not in CONTENT_TYPES:
            raise query_error("invalid-parameter", f"Unsupported output format {form}")
        store = drifted(self.store.snapshot(), self._plan.holding())
        query = parse_query(parameters, fields_of(store))
        answer = run_query(store, query, with_regions=form == "json")
        number = 0 if answer.grouped else self._plan.next_page()
        self.requests.append(Request(f"/resource/{name}", dict(parameters), token, number, time.time()))
        if number and self._delay:
            time.sleep(self._delay)
        body = render_csv(answer) if form == "csv" else render_json(answer)
        faults = self._plan.striking(number, "answer") if number else set()
        headers = self._headers(store, answer, parameters) | {"Content-Type": CONTENT_TYPES[form]}
        return Page(headers, body, answer.row_count, number, faults)

    def after_page(self, number: int) -> None:
        """Apply the faults that change the rows once a data page was answered."""
        if number:
            for name in sorted(self._plan.striking(number, "change")):
                apply_change(self.store, name)

    def _headers(self, store: RowStore, answer: Answer, parameters: Mapping[str, str]) -> dict[str, str]:
        modified = datetime.fromtimestamp(store.last_touched, UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
        seed = json.dumps([store.identity, store.last_touched, len(store), sorted(parameters.items())])
        digest = hashlib.blake2b(seed.encode(), digest_size=16).hexdigest()
        return {
            "X-SODA2-Fields": json.dumps(answer.names, separators=(",", ":")),
            "X-SODA2-Types": json.dumps([_header_type(kind) for kind in answer.types], separators=(",", ":")),
            "X-SODA2-Data-Out-Of-Date": "false",
            "X-SODA2-Truth-Last-Modified": modified,
            "Last-Modified": modified,
            "X-Socrata-RequestId": digest[:32],
            "ETag": f'W/"{digest}"',
        }


def _header_type(kind: str) -> str:
    for known, text in HEADER_TYPES.items():
        if known == kind:
            return text
    return kind
