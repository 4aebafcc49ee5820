"""What the model is given to narrate: JSON, so that text in the data stays data."""

import json
from datetime import date, time
from decimal import Decimal

from agent.guard import QueryResult
from agent.nodes.answers.facts import Facts
from agent.nodes.answers.wording import write_cell

FIRST_ROWS = 10


def verified_payload(question: str, *, sql: str, result: QueryResult, facts: Facts) -> str:
    """Return question, SQL, computed facts and the first rows as one JSON document."""
    document = {
        "question": question,
        "sql": sql,
        "facts": _facts(result, facts),
        "columns": list(result.columns),
        "rows": _rows(result),
    }
    return json.dumps(document, ensure_ascii=False, indent=1, default=_plain)


def first_rows(question: str, *, sql: str, result: QueryResult) -> str:
    """Return question, SQL and the first rows, as the source paper's answer step gives them."""
    document = {"question": question, "sql": sql, "columns": list(result.columns), "rows": _rows(result)}
    return json.dumps(document, ensure_ascii=False, indent=1, default=_plain)


def _facts(result: QueryResult, facts: Facts) -> dict[str, object]:
    columns: dict[str, object] = {}
    for column in facts.columns:
        if column.highest is None:
            continue
        told: dict[str, object] = {"lowest": column.lowest, "highest": column.highest}
        if column.total is not None:
            told["total"] = column.total
        for word, row in (("lowest_in", column.lowest_row), ("highest_in", column.highest_row)):
            if row is not None and facts.label is not None and facts.row_count > 1:
                told[word] = write_cell(result.rows[row][facts.label], facts.columns[facts.label])
        columns[column.name] = told
    return {"row_count": facts.row_count, "truncated": facts.truncated, "columns": columns}


def _rows(result: QueryResult) -> list[list[object]]:
    return [list(row) for row in result.rows[:FIRST_ROWS]]


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value.isoformat() if isinstance(value, date | time) else str(value)
