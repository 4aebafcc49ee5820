"""Which rows of the result a part of a text names."""

import calendar
import re
from dataclasses import dataclass
from functools import lru_cache

from agent.guard import QueryResult
from agent.nodes.answers.facts import ColumnFacts, Facts
from agent.nodes.answers.masks import hide_digits
from agent.nodes.answers.wording import write_cell, write_name

_LONGEST_COUNT = 3
"""Digits up to which a number in a text is rather a count than a name such as a year."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])|\n+")
_CLAUSE_END = re.compile(
    r";|,\s|\s\((?=[^)]*\d)|\)\s|\s(?:and|while|whereas|but|versus|vs\.?|compared (?:to|with)|followed by)\s",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Clause:
    """A piece of a sentence, and the rows that it and its sentence name."""

    text: str
    sentence: str
    rows: tuple[int, ...]
    sentence_rows: tuple[int, ...]


def split_clauses(text: str, *, result: QueryResult, facts: Facts) -> list[Clause]:
    """Cut a text into clauses; commas inside numbers do not cut."""
    labels = _labels(result, facts)
    clauses = []
    for sentence in _SENTENCE_END.split(text):
        sentence_rows = _named_rows(sentence, labels)
        for piece in _pieces(sentence):
            clauses.append(Clause(piece, sentence, _named_rows(piece, labels), sentence_rows))
    return clauses


def _pieces(sentence: str) -> list[str]:
    return [piece for piece in _CLAUSE_END.split(sentence) if piece.strip()]


def _labels(result: QueryResult, facts: Facts) -> dict[str, list[int]]:
    """What names rows, in lower case, with the rows that carry it; rows may share a label."""
    if facts.label is None or facts.columns[facts.label].kind == "boolean":
        return {}
    column = facts.columns[facts.label]
    labels: dict[str, list[int]] = {}
    for number, row in enumerate(result.rows):
        if row[facts.label] is not None:
            for label in _spellings(row[facts.label], column):
                labels.setdefault(label, []).append(number)
    return labels


def _spellings(cell: object, column: ColumnFacts) -> list[str]:
    """A small number names a row only with its column's word, as in `month 8`, or as the name of a month."""
    written = write_cell(cell, column).lower()
    if not column.names:
        return [hide_digits(written)]
    if len(written) > _LONGEST_COUNT:
        return [written]
    word = write_name(column.name).split()[0]
    spellings = [f"{word} {written}"]
    if word == "month" and written.isdigit() and 1 <= int(written) <= 12:
        spellings.append(calendar.month_name[int(written)].lower())
    return spellings


def _named_rows(text: str, labels: dict[str, list[int]]) -> tuple[int, ...]:
    """Rows named in a text; of labels inside one another (ASSAULT, CRIMINAL SEXUAL ASSAULT) the longest counts."""
    rows: list[int] = []
    rest = text.lower()
    for label in sorted(labels, key=len, reverse=True):
        if label in rest and (found := _whole(label).search(rest)):
            rows += labels[label]
            rest = rest[: found.start()] + " " * len(found.group()) + rest[found.end() :]
    return tuple(rows)


@lru_cache(maxsize=4096)
def _whole(label: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?<!\d[.,]){re.escape(label)}(?:s|es)?(?!\w)(?![.,]\d)")
