"""`make check-relevance`: texts out of scope for which SQL would run, and elliptic questions that are turned away."""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from agent.semantic.interpret import interpret
from agent.semantic.relevance import vocabulary_relevance
from agent.semantic.vocabulary import Vocabulary
from include.errors import EXIT_REFUSED

AIMED_STOPPED = 0.97
MAX_REJECTED = 0.02


def passing(texts: Iterable[str], *, vocabulary: Vocabulary) -> list[str]:
    """Return the texts that neither relevance nor a refusal stops: SQL would run for them."""
    return [text for text in texts if not _rejected(text, vocabulary) and interpret(text, vocabulary=vocabulary).sql]


def rejected(texts: Iterable[str], *, vocabulary: Vocabulary) -> list[str]:
    """Return the texts that relevance turns away."""
    return [text for text in texts if _rejected(text, vocabulary)]


def read_lines(path: Path) -> list[str]:
    """Return the texts of a file, one a line.

    Raises:
        OSError: the file cannot be read.
    """
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _rejected(text: str, vocabulary: Vocabulary) -> bool:
    return vocabulary_relevance(text, vocabulary=vocabulary).verdict == "out_of_scope"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both lists and their shares; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vocabulary", type=Path, help="stored values as JSON")
    parser.add_argument("outside", type=Path, help="texts out of scope, one a line")
    parser.add_argument("elliptic", type=Path, help="texts in scope, one a line")
    chosen = parser.parse_args(arguments)
    vocabulary = Vocabulary.from_json(json.loads(chosen.vocabulary.read_text(encoding="utf-8")))
    outside, elliptic = read_lines(chosen.outside), read_lines(chosen.elliptic)
    ran, away = passing(outside, vocabulary=vocabulary), rejected(elliptic, vocabulary=vocabulary)
    stopped, turned = 1 - len(ran) / max(len(outside), 1), len(away) / max(len(elliptic), 1)
    at_once = len(rejected(outside, vocabulary=vocabulary))
    sys.stdout.write("".join(f"  would run: {text}\n" for text in ran))
    sys.stdout.write("".join(f"  turned away: {text}\n" for text in away))
    sys.stdout.write(f"out of scope: {stopped:.1%} of {len(outside)} stopped, {at_once} of them by relevance\n")
    sys.stdout.write(f"elliptic: {turned:.1%} of {len(elliptic)} turned away\n")
    return 0 if stopped >= AIMED_STOPPED and turned <= MAX_REJECTED else EXIT_REFUSED


if __name__ == "__main__":
    sys.exit(main())
