"""Which request fetches the next page. Pure: the same task and cursor give the same request."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from include.dataset import SOURCE_FIELDS, UPDATED_AT
from include.source.errors import SourceRejectedError

Keyset = Literal["id", "updated_at"]
ROW_COLUMNS = (UPDATED_AT.name, *(field.name for field in SOURCE_FIELDS if field is not UPDATED_AT))
"""What is selected for a row: `:updated_at` and the 21 fields."""


@dataclass(frozen=True)
class Cursor:
    """The key of the last row of a page. `updated_at` is the source's own text."""

    updated_at: str | None = None
    id: int | None = None


START = Cursor()


@dataclass(frozen=True)
class LandTask:
    """Some rows of the source, pulled page by page.

    Attributes:
        name: also the name of the folder its pages land in.
        keyset: the order of the rows: `id`, or `(:updated_at, id)`.
        where: the rows, as a SoQL condition; empty = all.
        columns: what is selected.
        rows: how many rows are expected, for the progress; None when unknown.
        run_id: the run whose pages these are, when it is an earlier one.
    """

    name: str
    keyset: Keyset
    where: str = ""
    columns: tuple[str, ...] = ROW_COLUMNS
    rows: int | None = None
    run_id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serialisable form."""
        return asdict(self) | {"columns": list(self.columns)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "LandTask":
        """Return the task of `to_dict`."""
        return cls(**dict(values) | {"columns": tuple(values["columns"])})


def plan_page(task: LandTask, cursor: Cursor, *, limit: int) -> dict[str, str]:
    """Return the query parameters, without their `$`, of the page after `cursor`."""
    order = {"id": "id", "updated_at": f"{UPDATED_AT.name}, id"}[task.keyset]
    query = {"select": ", ".join(task.columns), "order": order, "limit": str(limit)}
    if where := plan_where(task, cursor):
        query["where"] = where
    return query


def plan_where(task: LandTask, cursor: Cursor) -> str:
    """Return the condition of the rows that are still to come."""
    conditions = [f"({task.where})"] if task.where else []
    if task.keyset == "id" and cursor.id is not None:
        conditions.append(f"id > {cursor.id}")
    if task.keyset == "updated_at" and cursor.updated_at is not None:
        moment, name = soql_text(cursor.updated_at), UPDATED_AT.name
        conditions.append(f"({name} > {moment} OR ({name} = {moment} AND id > {cursor.id or 0}))")
    return " AND ".join(conditions)


def plan_ids(name: str, *, ids: Sequence[int]) -> LandTask:
    """Return the task that pulls the rows of these ids."""
    return LandTask(name=name, keyset="id", where=f"id IN ({', '.join(map(str, ids))})", rows=len(ids))


def soql_text(value: str) -> str:
    """Return a SoQL text literal.

    Raises:
        SourceRejectedError: when the value, which came from the source, could not have.
    """
    if any(character in value for character in "'\\\n"):
        raise SourceRejectedError(f"the source gave the key {value!r}", expected="a time", action="report it")
    return f"'{value}'"
