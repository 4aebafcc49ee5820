"""Which rows of the result a part of a text names."""

import re
from dataclasses import dataclass
from functools import lru_cache

from agent.guard import QueryResult
from agent.nodes.answers.facts import Facts
from agent.nodes.answers.wording import write_cell

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
    """Labels in lower case with the rows that carry them; rows may share a label."""
    if facts.label is None:
        return {}
    column = facts.columns[facts.label]
    labels: dict[str, list[int]] = {}
    for number, row in enumerate(result.rows):
        if row[facts.label] is not None and column.kind != "boolean":
            labels.setdefault(write_cell(row[facts.label], column).lower(), []).append(number)
    return labels


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
    return re.compile(rf"(?<![\w]){re.escape(label)}(?:s|es)?(?![\w])")
