"""The fault switches: how the server can be made to misbehave, by name.

A switch is `NAME`, `NAME:N` or `NAME:*`. Data pages are requests to `/resource` that give rows (not counts or other
aggregates), numbered from 1. A fault of kind *answer* strikes at the Nth data page, once (`*`: at every one); one of
kind *state* holds from the Nth data page on; one of kind *change* alters the rows right after the Nth data page was
answered. Without `:N`, N is 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Literal

from include.errors import UsageError

Kind = Literal["answer", "state", "change"]


@dataclass(frozen=True)
class Fault:
    """One way to misbehave."""

    name: str
    kind: Kind
    effect: str


FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("429", "answer", "status 429 without Retry-After, as the real server throttles"),
        Fault("429-retry-after", "answer", "status 429 with Retry-After: 1"),
        Fault("500", "answer", "status 500 with a JSON error body"),
        Fault("502", "answer", "status 502 with an HTML body, as a gateway answers"),
        Fault("timeout", "answer", "the body stops half-way and the connection hangs"),
        Fault("disconnect", "answer", "the connection closes half-way through the announced body"),
        Fault(
            "truncated-json", "answer", "status 200, the body ends in the middle of a record, length header to match"
        ),
        Fault("truncated-csv", "answer", "status 200, the body ends in the middle of a record, length header to match"),
        Fault("short-page", "answer", "status 200, a well-formed page that lacks its last third of rows"),
        Fault("invalid-json", "answer", "status 200, JSON type, a body that is not JSON"),
        Fault("202", "answer", "status 202 with a JSON body that is not data"),
        Fault("html", "answer", "status 200 with an HTML page"),
        Fault("reshuffle", "state", "rows that the order leaves tied or unordered come differently in every answer"),
        Fault("new-column", "state", "a column `district_name` appears in metadata, `*` and unselected answers"),
        Fault("missing-column", "state", "column `fbi_code` is gone: naming it is a 400"),
        Fault("retyped-column", "state", "column `ward` is text"),
        Fault("full-replace", "change", "every row gets a new :id, :created_at and :updated_at; contents stay"),
        Fault("mass-deletion", "change", "all but one row in fifty disappear"),
        Fault("clock-skew", "change", "rows of the newest day carry an :updated_at three hours ahead of the clock"),
        Fault("insert-between-pages", "change", "five rows appear with ids in the middle of the set"),
    )
}


@dataclass(frozen=True)
class Switch:
    """A fault set to strike at data page `page`; None = at every one."""

    fault: Fault
    page: int | None


def parse_faults(texts: Iterable[str]) -> tuple[Switch, ...]:
    """Read switches.

    Raises:
        UsageError: an unknown name or a page that is not a number from 1 or `*`.
    """
    switches = []
    for text in texts:
        name, _, page = text.partition(":")
        if name not in FAULTS:
            raise UsageError(f"there is no fault {name!r}", expected="one of " + ", ".join(FAULTS))
        if page not in ("", "*") and not (page.isdigit() and int(page) > 0):
            raise UsageError(f"fault {text!r} names no data page", expected=f"{name}, {name}:3 or {name}:*")
        switches.append(Switch(FAULTS[name], None if page == "*" else int(page or 1)))
    return tuple(switches)


class FaultPlan:
    """Counts data pages and says which faults each of them meets."""

    def __init__(self, switches: Iterable[Switch]) -> None:
        self._switches = tuple(switches)
        self._lock = Lock()
        self._pages = 0

    def next_page(self) -> int:
        """The number of the data page that begins now."""
        with self._lock:
            self._pages += 1
            return self._pages

    def striking(self, page: int, kind: Kind) -> set[str]:
        """Names of the faults of a kind that strike at this page."""
        return {s.fault.name for s in self._switches if s.fault.kind == kind and s.page in (None, page)}

    def holding(self) -> set[str]:
        """Names of the state faults that hold for what is asked now."""
        coming = max(self._pages, 1)
        return {s.fault.name for s in self._switches if s.fault.kind == "state" and (s.page or 1) <= coming}
