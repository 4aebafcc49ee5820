"""Deterministic answers: one template for each shape of a result. Every number in them is a cell or a computed fact."""

from agent.guard import QueryResult
from agent.nodes.answers.facts import ColumnFacts, Facts
from agent.nodes.answers.wording import write_cell, write_name

LISTED = 10
"""Rows named in full."""
_LISTED_VALUES = 40


def narrate(result: QueryResult, facts: Facts) -> str:
    """Say what a result holds."""
    if facts.row_count == 0:
        return "Nothing in the data matches: the query returned no rows."
    if facts.row_count == 1 and not facts.truncated:
        return _one_row(result, facts)
    text = _one_column(result, facts) if len(result.columns) == 1 else _table(result, facts)
    return f"{text} {_cut(facts)}" if facts.truncated else text


def _one_row(result: QueryResult, facts: Facts) -> str:
    row = result.rows[0]
    if len(row) == 1:
        name = write_name(facts.columns[0].name)
        if row[0] is None:
            return f"There is no value for {name}: no row of the data has one."
        return f"{_capital(name)}: {write_cell(row[0], facts.columns[0])}."
    if facts.label is not None:
        others = _cells(row, facts.columns, skip=facts.label)
        return f"{_capital(write_name(facts.columns[facts.label].name))} {_label(row, facts)}: {others}."
    return _capital(_cells(row, facts.columns, skip=None)) + "."


def _one_column(result: QueryResult, facts: Facts) -> str:
    column = facts.columns[0]
    shown = [write_cell(row[0], column) for row in result.rows[:_LISTED_VALUES]]
    more = facts.row_count - len(shown)
    count = "" if facts.truncated else f"{facts.row_count:,} rows of "
    text = f"{_capital(f'{count}{write_name(column.name)}')}: {', '.join(shown)}"
    return f"{text} and {more:,} more." if more and not facts.truncated else f"{text}."


def _table(result: QueryResult, facts: Facts) -> str:
    shown = result.rows[:LISTED]
    lines = "; ".join(_row(row, facts) for row in shown)
    if facts.truncated:
        return f"The first rows: {lines}."
    head = (
        f"{facts.row_count:,} rows"
        if len(shown) == facts.row_count
        else (f"{facts.row_count:,} rows, the first {len(shown)} of which are")
    )
    return " ".join([f"{head}: {lines}.", *_extremes(result, facts)])


def _row(row: tuple[object, ...], facts: Facts) -> str:
    if facts.label is None:
        return _cells(row, facts.columns, skip=None)
    others = _cells(row, facts.columns, skip=facts.label)
    return f"{_label(row, facts)}: {others}"


def _label(row: tuple[object, ...], facts: Facts) -> str:
    assert facts.label is not None
    return write_cell(row[facts.label], facts.columns[facts.label])


def _cells(row: tuple[object, ...], columns: tuple[ColumnFacts, ...], *, skip: int | None) -> str:
    """Name each cell; the only number beside a label needs no name."""
    kept = [index for index in range(len(row)) if index != skip]
    if len(kept) == 1 and skip is not None:
        return write_cell(row[kept[0]], columns[kept[0]])
    return ", ".join(f"{write_name(columns[index].name)} {write_cell(row[index], columns[index])}" for index in kept)


def _extremes(result: QueryResult, facts: Facts) -> list[str]:
    """Highest, lowest and total of the single measured column of a longer table."""
    measures = [column for column in facts.columns if column.highest is not None]
    if facts.label is None or len(measures) != 1 or facts.row_count <= LISTED:
        return []
    measure = measures[0]
    parts = []
    for word, value, row in (
        ("Highest", measure.highest, measure.highest_row),
        ("Lowest", measure.lowest, measure.lowest_row),
    ):
        if row is not None:
            parts.append(f"{word}: {_label(result.rows[row], facts)} with {write_cell(value, measure)}.")
    if measure.total is not None and measure.nulls == 0:
        parts.append(f"Total over all rows: {write_cell(measure.total, measure)}.")
    return parts


def _cut(facts: Facts) -> str:
    return f"Only the first {facts.row_count:,} rows were fetched, so totals and extremes are not given."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
