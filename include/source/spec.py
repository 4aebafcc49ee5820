"""The identity of a source."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from include.errors import UsageError

SourceKind = Literal["socrata", "file", "generator"]


@dataclass(frozen=True)
class SourceSpec:
    """A SODA end point and what stands behind it.

    Attributes:
        kind: a real Socrata site, or a simulator that serves a file or generated rows.
        url: scheme and host, e.g. `https://data.cityofchicago.org`.
        dataset_id: the data set, e.g. `ijzp-q8t2`.
        identity: the name under which `ops.source` knows it, e.g. `socrata:data.cityofchicago.org/ijzp-q8t2`.
        app_token: sent as X-App-Token; a secret, kept out of `to_dict`.
        path: the served file, for kind `file`.
        rows: number of generated rows, for kind `generator`.
        seed: seed of the generator, for kind `generator`.
    """

    kind: SourceKind
    url: str
    dataset_id: str
    identity: str
    app_token: str | None = field(default=None, repr=False)
    path: str | None = None
    rows: int | None = None
    seed: int | None = None

    @property
    def prefix(self) -> str:
        """The scheme with its slashes, as sodapy wants it."""
        return f"{urlsplit(self.url).scheme}://"

    @property
    def domain(self) -> str:
        """Host and, where given, port."""
        return urlsplit(self.url).netloc

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serialisable form, without the application token."""
        names = ("kind", "url", "dataset_id", "identity", "path", "rows", "seed")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, app_token: str | None = None) -> "SourceSpec":
        """Return the source of `to_dict`."""
        return cls(**dict(values), app_token=app_token)


_FORM = "scheme and host, e.g. https://data.cityofchicago.org"


def check_url(url: str) -> str:
    """Return the URL without a trailing slash.

    Raises:
        UsageError: when it is no http or https URL of a host alone.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"source URL {url!r}: {error}", expected=_FORM, action="correct it") from error
    if parts.username or parts.password:
        # Not quoted: whatever stands there would otherwise reach messages and the record of runs.
        raise UsageError(
            f"the source URL of {parts.hostname} carries a user or password",
            expected=_FORM,
            action="give an app token by CRIME_APP_TOKEN",
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query:
        raise UsageError(f"source URL {url!r}", expected=_FORM, action="correct it")
    return f"{parts.scheme}://{parts.netloc}"
