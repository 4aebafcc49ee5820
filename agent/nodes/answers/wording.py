"""Writing cells and column names as people do."""

from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal

from agent.nodes.answers.facts import ColumnFacts, is_number


def write_cell(cell: object, column: ColumnFacts | None = None) -> str:
    """Write one cell: separators in counts, none in years and codes, at most two decimals from 1 on, `%` where told."""
    if cell is None:
        return "unknown"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int | float | Decimal) and is_number(cell):
        return _write_number(cell, column)
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time(0) else cell.isoformat(sep=" ", timespec="minutes")
    if isinstance(cell, date):
        return cell.isoformat()
    text = " ".join(str(cell).split())
    return text or "(empty)"


def write_name(name: str) -> str:
    """Write a column name as words: `arrest_rate_pct` becomes `arrest rate pct`."""
    return " ".join(name.replace("_", " ").split()).lower() or "value"


def _write_number(cell: int | float | Decimal, column: ColumnFacts | None) -> str:
    if column is not None and column.names:
        return f"{int(cell)}" if cell == int(cell) else f"{cell}"
    text = f"{int(cell):,}" if cell == int(cell) else _write_fraction(Decimal(str(cell)))
    return f"{text}%" if column is not None and column.percent else text


def _write_fraction(number: Decimal) -> str:
    """Two decimals from 1 on, four significant ones below."""
    digits = 2 if abs(number) >= 1 else min(2 + 1 - number.adjusted(), 12)
    rounded = number.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    text = f"{rounded:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
