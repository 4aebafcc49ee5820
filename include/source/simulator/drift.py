"""A data set whose schema or order drifts: the faults that hold a state, as views of a store."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from include.source.simulator.fields import Field
from include.source.simulator.store import Rows, RowStore, Whole

_NEW = Field("district_name", "text", "District Name")
_MISSING = "fbi_code"
_RETYPED = "ward"


def drifted(store: RowStore, faults: set[str]) -> RowStore:
    """The store as the faults that hold let it be seen; itself without any."""
    return _Drifted(store, faults) if faults else store


class _Drifted(RowStore):
    def __init__(self, store: RowStore, faults: set[str]) -> None:
        self._store = store
        self._faults = faults
        self.identity = store.identity
        self._set_rows(store.ids, store.touched)
        self.epoch = store.epoch
        self.shuffled = "reshuffle" in faults
        fields = [f for f in store.fields if not ("missing-column" in faults and f.name == _MISSING)]
        if "retyped-column" in faults:
            fields = [Field(f.name, "text", f.title) if f.name == _RETYPED else f for f in fields]
        if "new-column" in faults:
            fields.append(_NEW)
        self.fields = tuple(fields)

    @property
    def by_update(self) -> npt.NDArray[np.int32]:
        return self._store.by_update

    def column(self, name: str, rows: Rows) -> pa.Array:
        if name == _NEW.name:
            district = self._store.column("district", rows).cast(pa.string())
            return pa.array(
                [None if code is None else f"District {code}" for code in district.to_pylist()], pa.string()
            )
        values = self._store.column(name, rows)
        return values.cast(pa.string()) if name == _RETYPED and "retyped-column" in self._faults else values

    def advance(self, weeks: int = 1) -> None:
        self._store.advance(weeks)

    def rearrange(self, positions: npt.NDArray[np.int64], *, ids: Whole, touched: Whole) -> None:
        self._store.rearrange(positions, ids=ids, touched=touched)
