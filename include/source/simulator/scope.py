"""Expressions over rows of a store."""

from include.source.simulator.evaluate import Scope
from include.source.simulator.fields import COMPUTED_FIELDS, Field
from include.source.simulator.store import Rows, RowStore


def block_scope(store: RowStore, rows: Rows) -> Scope:
    """Expressions over the given rows."""
    return Scope(fields_of(store), lambda name: store.read(name, rows))


def fields_of(store: RowStore) -> dict[str, Field]:
    """Every field a query may name."""
    return {field.name: field for field in (*store.fields, *COMPUTED_FIELDS)}


def size_of(rows: Rows) -> int:
    """How many rows a selection holds."""
    return max(rows.stop - rows.start, 0) if isinstance(rows, slice) else len(rows)
