"""Results as JSON that keeps the type of every cell, for gold results stored per snapshot."""

import hashlib
import json
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal

from agent.benchmark.comparator import Table

_READERS: dict[str, Callable[[str], object]] = {
    "float": float,
    "text": str,
    "decimal": Decimal,
    "timestamp": datetime.fromisoformat,
    "date": date.fromisoformat,
}


def encode_table(table: Table) -> dict[str, object]:
    """Return the table as JSON values."""
    return {"columns": list(table.columns), "rows": [[_encode(cell) for cell in row] for row in table.rows]}


def decode_table(document: dict[str, object]) -> Table:
    """Return the table `encode_table` was given."""
    columns, rows = document["columns"], document["rows"]
    assert isinstance(columns, list)
    assert isinstance(rows, list)
    return Table(columns=tuple(columns), rows=[tuple(_decode(cell) for cell in row) for row in rows])


def table_digest(table: Table) -> str:
    """Return a digest of the rows, in an order of their own, so that only contents count."""
    rows = sorted(json.dumps([_encode(cell) for cell in row], sort_keys=True) for row in table.rows)
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def _encode(cell: object) -> object:
    if cell is None or isinstance(cell, bool | int | str):
        return cell
    if isinstance(cell, Decimal):
        return {"decimal": str(cell)}
    if isinstance(cell, float):
        return {"float": repr(cell)}
    if isinstance(cell, datetime):
        return {"timestamp": cell.isoformat()}
    if isinstance(cell, date):
        return {"date": cell.isoformat()}
    return {"text": str(cell)}


def _decode(cell: object) -> object:
    if not isinstance(cell, dict):
        return cell
    ((tag, text),) = cell.items()
    return _READERS[tag](text)
