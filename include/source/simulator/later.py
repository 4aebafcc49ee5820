"""A week later at a source that serves a file: the file's own rows stand in for what the week brings."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from include.source.simulator.instants import Stamps

_WEEK = 7 * 86_400
_REVISED, _RESTAMPED, _DELETED = 0.002, 0.002, 0.0002


def next_week(columns: dict[str, pa.Array], touched: Stamps) -> tuple[dict[str, pa.Array], Stamps]:
    """Rows of the newest week come again a week later under new ids; some rows get an arrest or only a stamp, a few go.

    The choice depends on the rows alone, so that the same file goes the same way.
    """
    count = len(touched)
    chance = np.random.default_rng(count).random(count)
    seconds = np.asarray(columns["date"].cast(pa.timestamp("s")).cast(pa.int64()).fill_null(0))
    stamp = int(touched.max()) + _WEEK
    gone = chance < max(_DELETED, 2 / count)
    revised = (chance > 1 - max(_REVISED, 3 / count)) & ~gone
    restamped = (chance > 1 - max(_REVISED, 3 / count) - max(_RESTAMPED, 3 / count)) & ~gone & ~revised
    fresh = np.flatnonzero((seconds > seconds.max() - _WEEK) & ~gone)
    kept = np.flatnonzero(~gone)
    positions = pa.array(np.concatenate([kept, fresh]))
    new = np.arange(len(kept) + len(fresh)) >= len(kept)
    moved = np.concatenate([(revised | restamped)[kept], np.ones(len(fresh), dtype=bool)])

    result = {name: values.take(positions) for name, values in columns.items()}
    ids = np.asarray(result["id"]).copy()
    ids[new] = int(np.asarray(columns["id"]).max()) + 1 + np.arange(len(fresh))
    result["id"] = pa.array(ids)
    numbers = pa.array([f"ZZ{number % 1_000_000:06d}" for number in ids[new]], result["case_number"].type)
    result["case_number"] = pc.replace_with_mask(result["case_number"], pa.array(new), numbers)
    result["date"] = _shifted(result["date"], new, seconds[fresh] + _WEEK)
    result["year"] = pc.year(result["date"]).cast(result["year"].type)
    # The clock of the file is that of its newest stamp; the local one is as far from it as the newest row says.
    local = np.asarray(columns["updated_on"].cast(pa.timestamp("s")).cast(pa.int64()).fill_null(0))
    result["updated_on"] = _shifted(result["updated_on"], moved, np.full(int(moved.sum()), int(local.max()) + _WEEK))
    arrested = np.concatenate([revised[kept], np.zeros(len(fresh), dtype=bool)])
    result["arrest"] = pc.if_else(pa.array(arrested), True, result["arrest"])
    stamps = np.where(moved, stamp, np.asarray(touched)[np.asarray(positions)])
    return result, stamps.astype(np.uint32)


def _shifted(values: pa.Array, where: np.ndarray[tuple[int], np.dtype[np.bool_]], seconds: Stamps) -> pa.Array:
    return pc.replace_with_mask(values, pa.array(where), pa.array(seconds.astype(np.int64), values.type))
