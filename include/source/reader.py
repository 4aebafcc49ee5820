"""Questions to a source: its columns, counts and newest change, and the pages of its rows."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, Self, TypeVar

import requests

from include.dataset import UPDATED_AT
from include.settings import Settings
from include.source.client import SodaClient
from include.source.errors import BrokenBodyError, SourceDownError
from include.source.paging import Cursor, LandTask, plan_where
from include.source.retry import with_retries
from include.source.spec import SourceSpec

T = TypeVar("T")
_MONTHS_LIMIT = 50_000


@dataclass(frozen=True)
class MonthCount:
    """Rows of one calendar month of `date`, and the sum of their ids."""

    rows: int
    id_sum: int


@dataclass(frozen=True)
class Extent:
    """The whole source: its rows, and its newest `:updated_at` as the source's own text (None when it is empty)."""

    rows: int
    newest_update: str | None


class SourceReader:
    """Asks one source; each method but `page` repeats the request as `with_retries` says. One per thread."""

    def __init__(self, source: SourceSpec, *, settings: Settings) -> None:
        self.source = source
        self._settings = settings
        self._client = SodaClient(source, timeout=settings.source_timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def page(self, query: dict[str, str], *, form: Literal["csv", "json"]) -> requests.Response:
        """Return the unread answer to a query; raises as `SodaClient`."""
        response: requests.Response = self._client.get(self.source.dataset_id, content_type=form, **query)
        return response

    def columns(self) -> dict[str, str]:
        """Return the published columns and their types, from the type headers or else the metadata."""

        def ask() -> dict[str, str]:
            with self._client.get(self.source.dataset_id, limit=1) as response:
                names = response.headers.get("X-SODA2-Fields")
                types = response.headers.get("X-SODA2-Types")
                # Sites leave the headers out when they grow long.
                if not names or not types:
                    return {}
                return dict(zip(_json_list(names), _json_list(types), strict=True))

        if columns := self._ask(ask):
            return columns
        return {column["fieldName"]: column["dataTypeName"] for column in self.metadata().get("columns", [])}

    def metadata(self) -> dict[str, Any]:
        """Return what `/api/views/<id>.json` says."""

        def ask() -> dict[str, Any]:
            found = _json(self._client.get_metadata(self.source.dataset_id))
            if not isinstance(found, dict):
                raise BrokenBodyError("metadata that are no JSON object", expected="an object")
            return found

        return self._ask(ask)

    def extent(self) -> Extent:
        """Return how many rows there are and when the newest change was."""
        (row,) = self._rows(select=f"count(*) AS row_count, max({UPDATED_AT.name}) AS newest_update")
        return Extent(_integer(row["row_count"]), row.get("newest_update"))

    def months(self) -> dict[str, MonthCount]:
        """Return count and sum of ids by month, as `2024-05`; rows without a date under ''."""
        month = "date_trunc_ym(date)"
        rows = self._rows(
            select=f"{month} AS month, count(*) AS row_count, sum(id) AS id_sum",
            group=month,
            order=month,
            limit=str(_MONTHS_LIMIT),
        )
        return {
            str(row.get("month") or "")[:7]: MonthCount(_integer(row["row_count"]), _integer(row["id_sum"]))
            for row in rows
        }

    def count_after(self, task: LandTask, cursor: Cursor) -> int:
        """Return how many rows of a task lie behind `cursor`."""
        where = plan_where(task, cursor)
        (row,) = self._rows(select="count(*) AS row_count", **({"where": where} if where else {}))
        return _integer(row["row_count"])

    def _rows(self, **query: str) -> list[dict[str, Any]]:
        def ask() -> list[dict[str, Any]]:
            found = _json(self._client.get(self.source.dataset_id, **query))
            if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
                raise BrokenBodyError("an answer that is no JSON array of objects", expected="rows")
            return found

        return self._ask(ask)

    def _ask(self, call: Callable[[], T]) -> T:
        return with_retries(call, settings=self._settings)


def _json(response: requests.Response) -> Any:
    with response:
        try:
            return response.json()
        except requests.exceptions.JSONDecodeError as error:
            raise BrokenBodyError(f"the answer is no JSON: {error}", expected="JSON") from error
        except requests.exceptions.ChunkedEncodingError as error:
            raise BrokenBodyError(f"the answer broke off: {error}", action="try again later") from error
        except requests.RequestException as error:
            raise SourceDownError(f"the source stopped sending: {error}", action="try again later") from error


def _json_list(header: str) -> list[str]:
    return [name.strip().strip('"') for name in header.strip().strip("[]").split(",")]


def _integer(value: object) -> int:
    return int(Decimal(str(value)))
