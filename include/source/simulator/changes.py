"""What the faults of kind *change* do to the rows of a store."""

import numpy as np

from include.source.simulator.store import RowStore

_DAY = 86_400


def apply_change(store: RowStore, fault: str) -> None:
    """Change the rows as a fault says; a store that moves on later may restore what was deleted."""
    positions = np.arange(len(store))
    if fault == "full-replace":
        store.epoch += 1
        store.floor = store.last_touched + 3600
        store.rearrange(positions, ids=store.ids, touched=np.full(len(store), store.floor, dtype=np.uint32))
    elif fault == "mass-deletion":
        kept = positions[::50]
        store.rearrange(kept, ids=store.ids[kept], touched=store.touched[kept])
    elif fault == "clock-skew":
        newest = store.touched > store.last_touched - _DAY
        ahead = np.where(newest, store.touched + 3 * 3600, store.touched).astype(np.uint32)
        store.rearrange(positions, ids=store.ids, touched=ahead)
    elif fault == "insert-between-pages":
        _insert(store, 5)


def _insert(store: RowStore, count: int) -> None:
    """Copies of rows under free ids in the middle of the set, stamped as its newest."""
    middle = len(store) // 2
    start = max(middle - 50 * count, 0)
    near = store.ids[start : middle + 50 * count]
    free = np.setdiff1d(np.arange(near[0], near[-1] + 10 * count), store.ids)[:count] if len(near) else near
    positions = np.concatenate([np.arange(len(store)), np.full(len(free), middle)])
    ids = np.concatenate([store.ids, free])
    stamps = np.full(len(free), store.last_touched + 1, dtype=np.uint32)
    touched = np.concatenate([store.touched.astype(np.uint32), stamps])
    order = np.argsort(ids, kind="stable")
    store.rearrange(positions[order], ids=ids[order], touched=touched[order])
