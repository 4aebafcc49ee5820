"""How varied a question set is: skeletons of its SQL, openings, forms of asking, constructs of the hard golds."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import sqlglot
from sqlglot import exp

from agent.benchmark.questions import Question, QuestionSet
from include.dataset import TABLES

SCHEMA_NAMES = {name for table in TABLES for name in (table.name, *(column.name for column in table.columns))}
DIALECT = "postgres"


@dataclass(frozen=True)
class Variety:
    """The figures of a set.

    Attributes:
        skeletons: distinct first golds, with literals masked and names that are not the schema's numbered.
        openings: how many questions begin with the same two words, most frequent first.
        without_question: questions that are a command or have no verb.
        renamed: questions that name a stored value in other words.
        constructs: per hard question, which of CTE, window, sub-query, set operation and self-join its gold has.
    """

    questions: int
    tiers: dict[str, int]
    reserved: dict[str, int]
    skeletons: int
    openings: tuple[tuple[str, int], ...]
    without_question: int
    renamed: int
    constructs: dict[int, frozenset[str]]


def measure_variety(questions: QuestionSet) -> Variety:
    """Return the figures; every gold must parse."""
    tagged = {"imperative", "verbless"}
    return Variety(
        questions=len(questions.questions),
        tiers=dict(Counter(question.tier for question in questions.questions)),
        reserved=dict(Counter(question.tier for question in questions.reserved)),
        skeletons=len({skeleton(question.gold[0]) for question in questions.questions}),
        openings=tuple(Counter(opening(question.question) for question in questions.questions).most_common()),
        without_question=sum(bool(tagged & set(question.tags)) for question in questions.questions),
        renamed=sum("renamed" in question.tags for question in questions.questions),
        constructs={q.id: constructs(q.gold[0]) for q in questions.questions if q.tier == "hard"},
    )


def opening(text: str) -> str:
    """Return the first two words in lower case."""
    return " ".join(re.findall(r"[\w'-]+", text.casefold())[:2])


def skeleton(sql: str) -> str:
    """Return the SQL with literals masked and every name that is not the schema's replaced by its number."""
    tree = sqlglot.parse_one(sql, dialect=DIALECT)
    for literal in list(tree.find_all(exp.Literal)):
        literal.replace(exp.Placeholder())
    numbers: dict[str, str] = {}
    for identifier in tree.find_all(exp.Identifier):
        if identifier.name not in SCHEMA_NAMES:
            identifier.set("this", numbers.setdefault(identifier.name, f"n{len(numbers) + 1}"))
    return tree.sql(dialect=DIALECT)


def constructs(sql: str) -> frozenset[str]:
    """Return which of `cte`, `window`, `subquery`, `set operation`, `self-join` a gold has."""
    tree = sqlglot.parse_one(sql, dialect=DIALECT)
    found = {
        "cte": tree.find(exp.CTE) is not None,
        "window": tree.find(exp.Window) is not None,
        "subquery": tree.find(exp.Subquery) is not None,
        "set operation": tree.find(exp.SetOperation) is not None,
        "self-join": any(True for select in tree.find_all(exp.Select) if _joins_itself(select)),
    }
    return frozenset(name for name, present in found.items() if present)


def names_otherwise(question: Question) -> bool:
    """Whether the first gold has a literal that the question's text does not hold word for word."""
    text = question.question.casefold()
    return any(not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) for value in _values(question.gold[0]))


def _values(sql: str) -> Iterator[str]:
    """Yield the values of conditions as text, without wildcards; numbers of formulas and LIMITs are left out."""
    tree = sqlglot.parse_one(sql, dialect=DIALECT)
    for literal in tree.find_all(exp.Literal):
        compared = isinstance(literal.parent, exp.Predicate | exp.In | exp.Cast)
        if compared and (value := literal.name.strip("%").casefold()):
            yield value


def _joins_itself(select: exp.Select) -> bool:
    sources = [select.args.get("from_"), *(select.args.get("joins") or [])]
    names = sorted(s.this.name for s in sources if s is not None and isinstance(s.this, exp.Table))
    return any(a == b for a, b in pairwise(names))
