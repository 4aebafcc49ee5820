"""Running a parsed query over a row store: which rows, in which order, with which columns."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from include.source.simulator.aggregate import aggregated, has_aggregate
from include.source.simulator.choose import chosen_rows
from include.source.simulator.errors import query_error
from include.source.simulator.evaluate import Scope
from include.source.simulator.fields import COMPUTED_FIELDS, Field
from include.source.simulator.request import Query, column_name
from include.source.simulator.scope import block_scope, fields_of, size_of
from include.source.simulator.soql import Column, Node, Selected, Star
from include.source.simulator.store import Rows, RowStore
from include.source.simulator.values import Value

_BLOCK = 5_000


@dataclass(frozen=True)
class Answer:
    """The columns of an answer and its rows, in blocks of at most `_BLOCK`; `grouped` when they are aggregates."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    row_count: int
    grouped: bool
    blocks: Iterator[tuple[pa.Array, ...]]


def run_query(store: RowStore, query: Query, *, with_regions: bool) -> Answer:
    """Answer a query; `with_regions` adds the computed regions when nothing is selected.

    Raises:
        RequestError: 400 for what the server cannot evaluate.
    """
    items = _selected(store, query, with_regions=with_regions)
    grouped = bool(query.group) or any(has_aggregate(item.node) for item in items)
    if grouped:
        values = aggregated(store, query, [item.node for item in items])
        rows = len(values[0].data) if values else 0
        blocks: Iterator[tuple[pa.Array, ...]] = iter([tuple(value.data for value in values)])
        types = tuple(value.type for value in values)
    else:
        positions = chosen_rows(store, query)
        rows = size_of(positions)
        types = tuple(value.type for value in _values(store, items, slice(0, 0)))
        blocks = _blocks(store, items, positions)
    names = tuple(_name(item) for item in items)
    return Answer(names=names, types=types, row_count=rows, grouped=grouped, blocks=blocks)


def _selected(store: RowStore, query: Query, *, with_regions: bool) -> list[Selected]:
    data = [field for field in store.fields if not field.name.startswith(":")]
    system = [field for field in store.fields if field.name.startswith(":")]
    if query.select is None:
        if query.group:
            return [Selected(node, None) for node in query.group]
        regions = list(COMPUTED_FIELDS) if with_regions else []
        return [Selected(Column(field.name), None) for field in data + regions]
    items: list[Selected] = []
    for item in query.select:
        if isinstance(item.node, Star):
            stars: list[Field] = system if item.node.system else data
            items.extend(Selected(Column(field.name), None) for field in stars)
        else:
            items.append(item)
    names = [_name(item) for item in items]
    for name in names:
        if names.count(name) > 1:
            raise query_error("duplicate-alias", f"Duplicate alias: {name}", name=name)
    return items


def _name(item: Selected) -> str:
    return item.alias or column_name(item.node)


def _blocks(store: RowStore, items: list[Selected], positions: Rows) -> Iterator[tuple[pa.Array, ...]]:
    if isinstance(positions, slice):
        for start in range(positions.start, positions.stop, _BLOCK):
            part = slice(start, min(start + _BLOCK, positions.stop))
            yield tuple(value.data for value in _values(store, items, part))
        return
    for start in range(0, len(positions), _BLOCK):
        yield tuple(value.data for value in _values(store, items, positions[start : start + _BLOCK]))


def _values(store: RowStore, items: list[Selected], rows: Rows) -> list[Value]:
    scope = block_scope(store, rows)
    size = size_of(rows)
    return [_column(scope, item.node, store, rows, size) for item in items]


def _column(scope: Scope, node: Node, store: RowStore, rows: Rows, size: int) -> Value:
    if isinstance(node, Column) and node.name in fields_of(store):
        # As stored: dictionaries are rendered faster than the text they stand for.
        return Value(fields_of(store)[node.name].type, store.read(node.name, rows))
    value = scope.value(node)
    data = pa.repeat(value.data, size) if isinstance(value.data, pa.Scalar) else value.data
    return Value(value.type, data)
