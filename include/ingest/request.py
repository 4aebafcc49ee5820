"""What is asked of an ingestion, and what came of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from include.errors import UsageError
from include.settings import Settings
from include.source import SourceSpec, source_from_url

Mode = Literal["full", "incremental", "from_landing"]


@dataclass(frozen=True)
class IngestRequest:
    """One ingestion.

    Attributes:
        source: where the rows come from.
        mode: what is pulled; None = everything when `raw` is empty or replaced, else the increment.
        replace_source: empty `raw` when it holds another source.
        force: build although nothing changed, and publish although the data set shrank.
        since: start of the increment instead of the stored watermark; never lowers the stored one.
        until: end of the increment; needs `since`.
        year: pull all rows whose date lies in this year, instead of an increment.
        publish: False ends the run once `raw` holds the rows: the next one builds and publishes what was merged.
        landing_run: the run whose landed pages are loaded again, for mode `from_landing`.
        orchestrator: who runs it, `cli` or for example `airflow:<run>`; what stands before the colon never has two
            runs at a time by itself.
    """

    source: SourceSpec
    mode: Mode | None = None
    replace_source: bool = False
    force: bool = False
    since: datetime | None = None
    until: datetime | None = None
    year: int | None = None
    publish: bool = True
    landing_run: str | None = None
    orchestrator: str = "cli"

    @property
    def is_window(self) -> bool:
        """Whether only a part of the source is pulled again, which needs a load before it."""
        return self.until is not None or self.year is not None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serialisable form, without the application token."""
        return asdict(self) | {
            "source": self.source.to_dict(),
            "since": self.since.isoformat() if self.since else None,
            "until": self.until.isoformat() if self.until else None,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "IngestRequest":
        """Return the request of `to_dict`.

        Raises:
            UsageError: when a field is unknown or a value makes no sense.
        """
        unknown = set(values) - set(cls.__dataclass_fields__)
        if unknown or "source" not in values:
            raise UsageError(
                f"an ingestion request with fields {sorted(values)}", expected=f"{sorted(cls.__dataclass_fields__)}"
            )
        request = cls(
            **dict(values)
            | {
                "source": SourceSpec.from_dict(values["source"]),
                "since": _moment(values.get("since"), name="since"),
                "until": _moment(values.get("until"), name="until"),
            }
        )
        if request.mode is not None and request.mode not in get_args(Mode):
            raise UsageError(f"mode {request.mode}", expected=f"one of {', '.join(get_args(Mode))}")
        if request.mode == "from_landing" and not request.landing_run:
            raise UsageError("mode from_landing without a run", action="name the run whose landed pages to load")
        _check_window(request)
        return request


@dataclass(frozen=True)
class IngestResult:
    """What an ingestion did. Counts are rows; `ledger` is cells filled per column by the null rules.

    Attributes:
        status: `published`, or `unchanged` when the source brought nothing new.
        snapshot_id: the snapshot that is published now; None when there is none.
        row_count: rows of that snapshot.
        seconds: from the start of the run to its end.
    """

    run_id: str
    status: str
    snapshot_id: str | None
    rows_received: int
    inserted: int
    updated: int
    restamped: int
    unchanged: int
    rejected: int
    deleted: int
    row_count: int
    ledger: dict[str, int]
    warnings: tuple[str, ...]
    seconds: float


def request_from_params(params: Mapping[str, Any], *, settings: Settings, orchestrator: str) -> dict[str, Any]:
    """Return the request of a DAG run's params: `mode` (`auto` = None) and the fields of `IngestRequest` by name.

    The source is `settings.source_url`; it is asked who it is.

    Raises:
        UsageError: when a param makes no sense.
        TransientError: when the source cannot be reached.
    """
    mode = params.get("mode")
    source = source_from_url(settings.source_url, settings)
    return IngestRequest.from_dict(
        {
            "source": source.to_dict(),
            "mode": None if mode in (None, "", "auto") else mode,
            "replace_source": bool(params.get("replace_source", False)),
            "force": bool(params.get("force", False)),
            "since": params.get("since"),
            "until": params.get("until"),
            "year": params.get("year"),
            "publish": bool(params.get("publish", True)),
            "orchestrator": orchestrator,
        }
    ).to_dict()


def _check_window(request: IngestRequest) -> None:
    """Raise UsageError when the parts of a window do not fit together."""
    if request.year is not None and (request.since or request.until):
        raise UsageError("a year and a window", expected="one of the two", action="leave out year, or since and until")
    if request.is_window and request.mode in ("full", "from_landing"):
        raise UsageError(f"mode {request.mode} with a part of the source", action="leave out the mode, or the part")
    if request.until is not None and (request.since is None or request.since >= request.until):
        raise UsageError(
            f"a window from {request.since} until {request.until}", expected="since and until, in this order"
        )


def _moment(value: str | datetime | None, *, name: str) -> datetime | None:
    if value is None or value == "":
        return None
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except ValueError as error:
        raise UsageError(f"{name} {value!r}", expected="an ISO date or time, e.g. 2026-11-01T00:00:00Z") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
