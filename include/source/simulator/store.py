"""What every row store offers the server: rows sorted by id, columns on demand, an index by (`:updated_at`, `id`)."""

import copy
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from include.source.simulator.fields import COMPUTED_REGIONS, Field
from include.source.simulator.instants import to_milliseconds

Rows = slice | npt.NDArray[np.int64]
"""Positions in id order: a range, or any selection."""
Whole = npt.NDArray[np.integer]

_LETTERS = np.frombuffer(b"23456789abcdefghijkmnpqrstuvwxyz", dtype="S1")


class RowStore(ABC):
    """Rows in the order of their ids. Text comes as string or dictionary arrays, times as naive milliseconds."""

    identity: str
    """What these rows are: `generator:seed=...` or `file:sha256=...`."""
    ids: Whole
    touched: Whole
    """`:updated_at` of each row, seconds since 1970 UTC."""
    fields: tuple[Field, ...]
    epoch: int = 0
    """Moves on with a full replacement: all `:id` change."""
    floor: int = 0
    """No row was touched earlier than this: the moment of the last full replacement."""

    shuffled: bool = False
    """Whether rows that an order leaves tied come differently in every answer."""

    _shared: dict[str, Any]
    """What snapshots of the same rows share once one of them has made it."""
    _memo: dict[str, Any]
    """What one snapshot keeps while it answers one request."""

    @abstractmethod
    def column(self, name: str, rows: Rows) -> pa.Array:
        """One published field (not a system field) of the given rows."""

    @abstractmethod
    def advance(self, weeks: int = 1) -> None:
        """Let weeks pass: rows appear, are revised, are deleted."""

    @abstractmethod
    def rearrange(self, positions: npt.NDArray[np.int64], *, ids: Whole, touched: Whole) -> None:
        """Become the rows at the given positions (one may come twice) under new ids, ascending, and stamps."""

    def snapshot(self) -> Self:
        """These rows as they are now, whatever happens to the store later. No row is copied."""
        twin = copy.copy(self)
        twin._memo = {}
        return twin

    def _set_rows(self, ids: Whole, touched: Whole) -> None:
        self.ids, self.touched, self._shared, self._memo = ids, touched, {}, {}

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def by_update(self) -> npt.NDArray[np.int32]:
        """Positions of the rows ordered by (`:updated_at`, `id`); made on first use."""
        if "by_update" not in self._shared:
            # A stable sort of rows that lie in id order leaves ties in id order.
            self._shared["by_update"] = np.argsort(self.touched, kind="stable").astype(np.int32)
        index: npt.NDArray[np.int32] = self._shared["by_update"]
        return index

    @property
    def last_touched(self) -> int:
        """The newest `:updated_at`, seconds since 1970; 0 without rows."""
        return int(self.touched.max()) if len(self) else 0

    def read(self, name: str, rows: Rows) -> pa.Array:
        """One field of the given rows, system and computed ones included."""
        if name in COMPUTED_REGIONS:
            return self._region(name, rows)
        if name.startswith(":"):
            return self._system(name, rows)
        return self.column(name, rows)

    def _system(self, name: str, rows: Rows) -> pa.Array:
        if name == ":updated_at":
            return pa.array(to_milliseconds(self.touched[rows].astype(np.int64)), pa.timestamp("ms"))
        if name == ":created_at":
            # Whatever the row, the real set was last loaded anew on one day; all but later rows carry that day.
            first = np.minimum(self.touched[rows].astype(np.int64), 1_539_000_000)
            return pa.array(to_milliseconds(first), pa.timestamp("ms"))
        prefix = "row-" if name == ":id" else "rv-"
        salt = self.touched[rows].astype(np.uint64) if name == ":version" else np.uint64(self.epoch)
        return _opaque(prefix, self.ids[rows].astype(np.uint64), salt)

    def _region(self, name: str, rows: Rows) -> pa.Array:
        base = self.column(COMPUTED_REGIONS[name], rows)
        number = pc.cast(pc.cast(base, pa.string()), pa.int64())
        salt = sum(name.encode())
        mapped = pc.add(pc.bit_wise_and(pc.multiply(number, salt * 2 + 1), 0x1FF), 1)
        return pc.if_else(pc.is_valid(self.column("latitude", rows)), mapped, pa.scalar(None, pa.int64()))


def _opaque(prefix: str, ids: npt.NDArray[np.uint64], salt: npt.NDArray[np.uint64] | np.uint64) -> pa.Array:
    """Opaque identifiers of the form `row-6nmm_trd2~z4v7`, a function of id and salt."""
    with np.errstate(over="ignore"):
        mixed = (ids ^ (salt << np.uint64(40))) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    shifts = np.arange(12, dtype=np.uint64) * np.uint64(5)
    letters = _LETTERS[((mixed[:, None] >> shifts) & np.uint64(31)).astype(np.int64)]
    text = np.empty((len(ids), 14), dtype="S1")
    text[:, :4], text[:, 4], text[:, 5:9] = letters[:, :4], b"_" if prefix == "row-" else b"-", letters[:, 4:8]
    text[:, 9], text[:, 10:] = b"~" if prefix == "row-" else b".", letters[:, 8:]
    joined = np.ascontiguousarray(text).view("S14").ravel()
    return pc.binary_join_element_wise(prefix, pa.array(joined).cast(pa.string()), "")
