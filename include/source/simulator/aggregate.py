"""Queries with groups or aggregate functions: block by block, so that memory does not grow with the rows."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from include.source.simulator.choose import matching, order_key
from include.source.simulator.errors import query_error
from include.source.simulator.evaluate import AGGREGATES, Scope
from include.source.simulator.request import Query
from include.source.simulator.scope import block_scope, fields_of, size_of
from include.source.simulator.soql import Call, Node, Star
from include.source.simulator.store import RowStore
from include.source.simulator.values import Value, mismatch

_BLOCK = 262_144
_MERGE = {"count": "sum", "sum": "sum", "min": "min", "max": "max"}


def aggregated(store: RowStore, query: Query, nodes: list[Node]) -> list[Value]:
    """The values of the selected expressions, one row per group, filtered, ordered and cut.

    Raises:
        RequestError: 400 for a column that is neither grouped nor aggregated, or a type that does not fit.
    """
    calls = list(dict.fromkeys(call for node in _all_nodes(query, nodes) for call in _calls(node)))
    known, rows = _totals(store, query, calls)
    scope = Scope(fields_of(store), _ungrouped, known=known)
    keep = np.arange(rows)
    if query.having is not None:
        truth = scope.truth(query.having)
        mask = np.full(rows, bool(truth.as_py())) if isinstance(truth, pa.Scalar) else pc.fill_null(truth, False)
        keep = keep[np.asarray(mask)]
    keys = []
    for item in query.order:
        data = scope.value(item.node).data
        if isinstance(data, pa.Array):
            keys.append(order_key(data, descending=item.descending)[keep])
    if keys:
        keep = keep[np.lexsort(keys[::-1])]
    page = pa.array(keep[query.offset : query.offset + query.limit])
    return [_page(scope.value(node), page) for node in nodes]


def has_aggregate(node: Node) -> bool:
    """Whether an expression holds an aggregate function."""
    return any(True for _ in _calls(node))


def _page(value: Value, page: pa.Array) -> Value:
    if isinstance(value.data, pa.Scalar):
        return Value(value.type, pa.repeat(value.data, len(page)))
    return Value(value.type, value.data.take(page))


def _all_nodes(query: Query, nodes: list[Node]) -> Iterator[Node]:
    yield from nodes
    if query.having is not None:
        yield query.having
    yield from (item.node for item in query.order)


def _calls(node: Node) -> Iterator[Call]:
    if isinstance(node, Call):
        if node.name in AGGREGATES:
            yield node
        else:
            for argument in node.args:
                yield from _calls(argument)


def _ungrouped(name: str) -> pa.Array:
    raise query_error("column-not-in-group-bys", f"Column not in group bys: {name}", column=name)


def _totals(store: RowStore, query: Query, calls: list[Call]) -> tuple[dict[Node, Value], int]:
    """The group expressions and aggregate calls as columns over the groups, and how many groups there are."""
    rows = matching(store, query.where)
    keys = [f"k{index}" for index in range(len(query.group))]
    steps = [(f"v{index}", _step(call)) for index, call in enumerate(calls)]
    partial: list[pa.Table] = []
    types: dict[str, str] = {}
    for start in range(0, max(size_of(rows), 1), _BLOCK):
        stop = start + _BLOCK
        part = (
            slice(rows.start + start, min(rows.start + stop, rows.stop))
            if isinstance(rows, slice)
            else rows[start:stop]
        )
        columns: dict[str, pa.Array] = {}
        scope = block_scope(store, part)
        for name, node in [*zip(keys, query.group, strict=True), *zip((n for n, _ in steps), calls, strict=True)]:
            argument = _argument(node) if name[0] == "v" else node
            value = _one() if isinstance(argument, Star) else scope.value(argument)
            types[name] = value.type
            columns[name] = value.data if isinstance(value.data, pa.Array) else pa.repeat(value.data, size_of(part))
        _check(calls, types)
        partial.append(_grouped(pa.table(columns) if columns else pa.table({}), keys, steps))
    merged = pa.concat_tables(partial)
    if len(partial) > 1:
        merged = _grouped(merged, keys, [(name, _MERGE[step]) for name, step in steps])
    flat = {name: merged.column(name).combine_chunks() for name in merged.column_names}
    known: dict[Node, Value] = {}
    for name, node in zip(keys, query.group, strict=True):
        known[node] = Value(types[name], _array(flat[name]))
    for (name, step), call in zip(steps, calls, strict=True):
        kind = "number" if step in ("count", "sum") else types[name]
        known[call] = Value(kind, _array(flat[name]))
    return known, merged.num_rows


def _argument(call: Node) -> Node:
    if isinstance(call, Call) and len(call.args) == 1:
        return call.args[0]
    raise query_error("no-such-function", "an aggregate function takes one argument")


def _one() -> Value:
    return Value("number", pa.scalar(1, pa.int64()))


def _step(call: Call) -> str:
    if call.name == "avg":
        raise query_error("no-such-function", "No such function: avg", function="avg")
    return call.name


def _check(calls: list[Call], types: dict[str, str]) -> None:
    for index, call in enumerate(calls):
        if call.name == "sum" and types[f"v{index}"] not in ("number", "null"):
            raise mismatch("sum", types[f"v{index}"])


def _grouped(table: pa.Table, keys: list[str], steps: list[tuple[str, str]]) -> pa.Table:
    result = table.group_by(keys).aggregate(steps)
    return result.rename_columns({f"{name}_{step}": name for name, step in steps})


def _array(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return values.chunk(0) if isinstance(values, pa.ChunkedArray) else values
