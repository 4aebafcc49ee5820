"""`make check-grammar`: each composition rule and how many development questions of different skeletons use it."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import sqlglot
import yaml
from sqlglot import exp

from agent.semantic.interpret import interpret
from agent.semantic.rules import BRACKETS, CALENDAR_STAGES, STAGES
from agent.semantic.vocabulary import Vocabulary
from include.errors import EXIT_REFUSED

MAX_RULES = 120
ENOUGH = 3


def measure_grammar(questions: Iterable[str], *, vocabulary: Vocabulary) -> Mapping[str, int]:
    """Return each rule's name with the number of different SQL skeletons among the questions that use it."""
    skeletons: dict[str, set[str]] = {name: set() for name in rule_names()}
    for question in questions:
        read = interpret(question, vocabulary=vocabulary)
        if read.sql is None:
            continue
        masked = _skeleton(read.sql)
        for name in read.rules:
            skeletons[name].add(masked)
    return {name: len(found) for name, found in skeletons.items()}


def rule_names() -> list[str]:
    """Return the names of all composition rules, stage by stage."""
    return [rule.name for book in (BRACKETS, *CALENDAR_STAGES, *STAGES) for rule in book.rules]


def _texts(path: Path) -> list[str]:
    """Return the questions of a list of cases (`q`) or of a set as the benchmark's (`questions`, each `question`)."""
    read = yaml.safe_load(path.read_text(encoding="utf-8"))
    cases = read["questions"] if isinstance(read, dict) else read
    return [str(case.get("q") or case["question"]) for case in cases]


def _skeleton(sql: str) -> str:
    """Return a query with its literals masked."""
    tree = sqlglot.parse_one(sql, read="postgres")
    for literal in list(tree.find_all(exp.Literal)):
        literal.replace(exp.Placeholder())
    return tree.sql(dialect="postgres")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rules by use, those used too seldom last; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vocabulary", type=Path, help="stored values as JSON")
    parser.add_argument("questions", type=Path, nargs="+", help="lists of questions as YAML, each with its text at q")
    chosen = parser.parse_args(arguments)
    vocabulary = Vocabulary.from_json(json.loads(chosen.vocabulary.read_text(encoding="utf-8")))
    texts = [text for path in chosen.questions for text in _texts(path)]
    uses = measure_grammar(texts, vocabulary=vocabulary)
    for name, number in sorted(uses.items(), key=lambda item: -item[1]):
        sys.stdout.write(f"  {number:4}  {name}\n")
    seldom = [name for name, number in uses.items() if number < ENOUGH]
    sys.stdout.write(f"{len(uses)} rules (at most {MAX_RULES}), {len(texts)} questions\n")
    sys.stdout.write(f"{len(seldom)} rules serve fewer than {ENOUGH} skeletons: {', '.join(seldom) or 'none'}\n")
    return EXIT_REFUSED if len(uses) > MAX_RULES else 0


if __name__ == "__main__":
    sys.exit(main())
