"""Which rows a query without groups gives, and in which order."""

from math import ceil, floor

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from include.source.simulator.bounds import Interval, interval_of
from include.source.simulator.request import Query
from include.source.simulator.scope import block_scope, size_of
from include.source.simulator.soql import Column, Node
from include.source.simulator.store import Rows, RowStore

_BLOCK = 65_536


def chosen_rows(store: RowStore, query: Query) -> Rows:
    """Positions of the rows of the page, in the order asked for (without an order: that of the ids)."""
    walk = _walk(store, query)
    if walk is None:
        return _sorted_page(store, query)
    wanted = query.offset + query.limit
    if query.where is None:
        return _cut(walk, query.offset, wanted)
    found: list[npt.NDArray[np.int64]] = []
    count, start = 0, 0
    block = max(min(wanted, 4 * _BLOCK), 1024)
    total = size_of(walk)
    while count < wanted and start < total:
        hits = _matching(store, query.where, _cut(walk, start, start + block))
        found.append(hits)
        count += len(hits)
        start += block
        block = _BLOCK
    page = np.concatenate(found)[query.offset : wanted] if found else np.empty(0, np.int64)
    return _as_range(page)


def candidates(store: RowStore, where: Node | None) -> Rows:
    """The rows a condition can hold for, by its bounds on `id` or `:updated_at`, whichever are fewer."""
    by_id = _id_range(store, interval_of(where, "id"))
    update = interval_of(where, ":updated_at")
    if update == Interval():
        return by_id
    by_update = _update_range(store, update)
    if size_of(by_update) >= size_of(by_id):
        return by_id
    return np.sort(store.by_update[by_update].astype(np.int64))


def matching(store: RowStore, where: Node | None) -> Rows:
    """All rows that satisfy a condition, in id order."""
    rows = candidates(store, where)
    if where is None:
        return rows
    found = [_matching(store, where, _cut(rows, start, start + _BLOCK)) for start in range(0, size_of(rows), _BLOCK)]
    return np.concatenate(found) if found else np.empty(0, np.int64)


def order_key(values: pa.Array, *, descending: bool) -> npt.NDArray[np.int64]:
    """Ranks that sort as the server does: nulls last going up, first going down."""
    if pa.types.is_struct(values.type):
        values = values.field(0)
    ranks = pc.rank(values, sort_keys="ascending", tiebreaker="dense")
    numbers = np.asarray(ranks).astype(np.int64)
    return -numbers if descending else numbers


def _walk(store: RowStore, query: Query) -> Rows | None:
    """The candidate rows in the order asked for, where an index has that order."""
    keys = [
        ("id" if item.node == Column(":id") else item.node.name, item.descending)
        for item in query.order
        if isinstance(item.node, Column)
    ]
    if len(keys) < len(query.order):
        return None
    descending = bool(keys) and keys[0][1]
    if any(key[1] != descending for key in keys):
        return None
    names = [key[0] for key in keys]
    if store.shuffled and "id" not in names:
        return None
    if not names or names[0] == "id":
        rows: Rows = candidates(store, query.where)
    elif names in ([":updated_at"], [":updated_at", "id"]) and not (descending and len(names) == 1):
        rows = store.by_update[_update_range(store, interval_of(query.where, ":updated_at"))].astype(np.int64)
    else:
        return None
    return _backwards(rows) if descending else rows


def _sorted_page(store: RowStore, query: Query) -> Rows:
    rows = matching(store, query.where)
    scope = block_scope(store, rows)
    keys = []
    for item in query.order:
        node = Column("id") if item.node == Column(":id") else item.node
        data = scope.value(node).data
        if isinstance(data, pa.Array):
            keys.append(order_key(data, descending=item.descending))
    positions = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
    if store.shuffled:
        keys.append(np.random.default_rng().permutation(len(positions)))
    order = np.lexsort(keys[::-1]) if keys else np.arange(len(positions))
    return positions[order[query.offset : query.offset + query.limit]]


def _matching(store: RowStore, where: Node, rows: Rows) -> npt.NDArray[np.int64]:
    truth = block_scope(store, rows).truth(where)
    positions = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
    if isinstance(truth, pa.Scalar):
        return positions if truth.as_py() else positions[:0]
    mask: npt.NDArray[np.bool_] = np.asarray(pc.fill_null(truth, False))
    return positions[mask]


def _id_range(store: RowStore, bounds: Interval) -> slice:
    return _range(store.ids, bounds.low, bounds.high, None)


def _update_range(store: RowStore, bounds: Interval) -> slice:
    # Stamps are kept in seconds, bounds are in milliseconds: the range is a second wider on both sides.
    return _range(store.touched, bounds.low / 1000 - 1, bounds.high / 1000 + 1, store.by_update)


def _range(values: npt.NDArray[np.integer], low: float, high: float, order: npt.NDArray[np.int32] | None) -> slice:
    """Where the values from `low` to `high` lie. The bounds get the type of the values: else these would be copied."""
    least, most = np.iinfo(values.dtype).min, np.iinfo(values.dtype).max
    start, stop = 0, len(values)
    if low > least:
        start = stop if low > most else int(np.searchsorted(values, values.dtype.type(ceil(low)), "left", order))
    if high < most:
        stop = 0 if high < least else int(np.searchsorted(values, values.dtype.type(floor(high)), "right", order))
    return slice(start, max(start, stop))


def _cut(rows: Rows, start: int, stop: int) -> Rows:
    if isinstance(rows, slice):
        return slice(min(rows.start + start, rows.stop), min(rows.start + stop, rows.stop))
    return rows[start:stop]


def _backwards(rows: Rows) -> npt.NDArray[np.int64]:
    return np.arange(rows.stop - 1, rows.start - 1, -1) if isinstance(rows, slice) else rows[::-1]


def _as_range(positions: npt.NDArray[np.int64]) -> Rows:
    """A range where the positions are one: ranges are read without copying."""
    if len(positions) and np.all(np.diff(positions) == 1):
        return slice(int(positions[0]), int(positions[-1]) + 1)
    return positions
