"""A row store over columns in memory, as compact as their values allow."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from include.source.simulator.fields import DATA_FIELDS, SYSTEM_FIELDS
from include.source.simulator.instants import touched_at
from include.source.simulator.later import next_week
from include.source.simulator.store import Rows, RowStore, Whole

_DICTIONARY_FIELDS = frozenset(
    {
        "block",
        "iucr",
        "primary_type",
        "description",
        "location_description",
        "beat",
        "district",
        "community_area",
        "fbi_code",
    }
)
_WHOLE_FIELDS = frozenset({"ward", "x_coordinate", "y_coordinate"})


class TableStore(RowStore):
    """Rows of a file. `columns` are typed by `compact`; they are put in id order here."""

    def __init__(self, columns: Mapping[str, pa.Array], *, identity: str) -> None:
        self.identity = identity
        self.fields = DATA_FIELDS + SYSTEM_FIELDS
        ids = np.asarray(columns["id"])
        order = None if np.all(ids[1:] > ids[:-1]) else np.argsort(ids, kind="stable")
        self._columns: dict[str, pa.Array] = {}
        for name, values in columns.items():
            if name != ":updated_at":
                self._columns[name] = values if order is None else values.take(pa.array(order))
        if ":updated_at" in columns:
            given = np.asarray(pc.fill_null(columns[":updated_at"].cast(pa.timestamp("s")).cast(pa.int64()), 0))
            touched = (given if order is None else given[order]).astype(np.uint32)
        else:
            local = self._columns["updated_on"].cast(pa.timestamp("s")).cast(pa.int64())
            touched = touched_at(np.asarray(pc.fill_null(local, 0))).astype(np.uint32)
        self._set_rows(np.asarray(self._columns["id"]), touched)

    def column(self, name: str, rows: Rows) -> pa.Array:
        """One published field; `location` and a missing field come from the others."""
        if name == "location":
            return _location(self.column("latitude", rows), self.column("longitude", rows))
        values = self._columns[name]
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(len(values))
            return values.slice(start, max(stop - start, 0))
        return values.take(pa.array(rows))

    def advance(self, weeks: int = 1) -> None:
        """Let weeks pass: last week's rows come again a week later, some rows are revised, a few go."""
        for _ in range(weeks):
            self._columns, touched = next_week(self._columns, self.touched)
            self._set_rows(np.asarray(self._columns["id"]), touched)

    def rearrange(self, positions: npt.NDArray[np.int64], *, ids: Whole, touched: Whole) -> None:
        """Become the rows at the given positions under new ids and stamps."""
        at = pa.array(positions)
        columns = {name: values.take(at) for name, values in self._columns.items()}
        self._columns = columns | {"id": pa.array(ids)}
        self._set_rows(ids, touched)


def encoded(name: str, block: pa.Array) -> pa.Array:
    """A block of a column as it is kept: repeated text once."""
    return block.dictionary_encode() if name in _DICTIONARY_FIELDS else block


def compact(name: str, blocks: list[pa.Array]) -> pa.Array:
    """The blocks of a column as one array in the narrowest type that holds its values."""
    whole = pa.chunked_array(blocks).unify_dictionaries().combine_chunks()
    array = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    if pa.types.is_dictionary(array.type):
        width = (
            pa.int8() if len(array.dictionary) < 128 else pa.int16() if len(array.dictionary) < 32_768 else pa.int32()
        )
        return pa.DictionaryArray.from_arrays(array.indices.cast(width), array.dictionary)
    if name in _WHOLE_FIELDS and pc.all(pc.equal(array, pc.trunc(array))).as_py() is not False:
        return array.cast(pa.int32())
    return array


def _location(latitude: pa.Array, longitude: pa.Array) -> pa.Array:
    return pa.StructArray.from_arrays(
        [pc.cast(latitude, pa.string()), pc.cast(longitude, pa.string())],
        names=["latitude", "longitude"],
        mask=pc.is_null(latitude),
    )
