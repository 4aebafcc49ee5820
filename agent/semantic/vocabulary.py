"""The stored values of one snapshot: what phrases of a question can be linked to."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from agent.semantic.model import Phrase, load_model
from agent.semantic.text import stems
from include.errors import TerminalError

COLUMNS = (
    "CRIME_TYPE", "DESCRIPTION", "LOCATION_DESCRIPTION", "CRIME_CATEGORY", "LOCATION_CATEGORY", "LOCATION_RISK",
    "DAY_OF_WEEK", "SEASON", "TIME_OF_DAY", "ARREST_STATUS", "DOMESTIC_STATUS", "BEAT", "IUCR", "FBI_CODE",
)  # fmt: skip
LOOKUPS = {
    "DISTRICT": ("district_names", "district_id", "district_name"),
    "COMMUNITY_AREA": ("community_area_names", "community_area_id", "community_area_name"),
    "WARD": ("ward_names", "ward_id", "ward_name"),
}
FORMAT = 1


@dataclass(frozen=True)
class Link:
    """Stored values a phrase stands for: exactly named, or contained in longer values."""

    column: str
    values: tuple[str | int, ...]
    exact: bool = True


@dataclass(frozen=True)
class Vocabulary:
    """Stored values with their counts, names of codes, and the span of the data.

    Attributes:
        snapshot_id: where the values come from.
        counts: column -> stored value -> number of incidents.
        names: column with a lookup -> code -> name.
        first_year: year of the oldest incident.
        last_year: year of the newest incident.
    """

    snapshot_id: str
    counts: Mapping[str, Mapping[str, int]]
    names: Mapping[str, Mapping[int, str]]
    first_year: int
    last_year: int

    def links(self, phrase: Phrase) -> tuple[Link, ...]:
        """Return what the phrase (word stems) can stand for, best first; empty when nothing is stored under it."""
        return self._index.get(canonical(phrase), ())

    def variants(self, column: str, value: str) -> tuple[str | int, ...]:
        """Return every stored spelling of a value of a column; the value itself when none is stored."""
        found = self._exact[column].get(canonical(stems(value)), ())
        return found or (value,)

    def containing(self, column: str, words: str) -> tuple[str, ...]:
        """Return the stored values of a column whose words contain these, side by side.

        Only the value itself is returned when it is stored and not rare.
        """
        needle = canonical(stems(words))
        exact = self._exact[column].get(needle, ())
        contained = self.with_words(column, words)
        rare = self._is_rare(column, exact, contained, load_model().values.rare_share)
        return tuple(map(str, exact)) if exact and not rare else contained

    def with_words(self, column: str, words: str) -> tuple[str, ...]:
        """Return every stored value of a column whose words contain these, side by side."""
        needle = canonical(stems(words))
        return tuple(value for value in self.counts[column] if _holds(canonical(stems(value)), needle))

    def code(self, column: str, text: str) -> str | None:
        """Return the stored code that a text names, zero-padded or not; None when there is none."""
        for width in (len(text), 2, 3, 4):
            padded = text.upper().zfill(width)
            if padded in self.counts.get(column, {}):
                return padded
        return None

    @property
    def longest(self) -> int:
        """Words in the longest phrase."""
        return min(10, max(map(len, self._index), default=1))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the stored values, for spelling correction."""
        return frozenset(word for phrase in self._index for word in phrase)

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        """Every word a question may mean when it spells one nobody knows."""
        model = load_model()
        return tuple(sorted(word for word in {*self.words, *model.known_words, *model.spelled} if len(word) > 3))

    @cached_property
    def _exact(self) -> dict[str, dict[Phrase, tuple[str | int, ...]]]:
        exact: dict[str, dict[Phrase, tuple[str | int, ...]]] = {}
        for column, counts in self.counts.items():
            keyed = sorted((canonical(stems(value)), value) for value in counts)
            exact[column] = {
                key: tuple(value for _, value in group) for key, group in groupby(keyed, lambda pair: pair[0])
            }
        for column, names in self.names.items():
            exact[column] = {stems(name): (number,) for number, name in names.items()}
        return exact

    @cached_property
    def _index(self) -> dict[Phrase, tuple[Link, ...]]:
        rules = load_model().values
        index: dict[Phrase, list[Link]] = {}
        partial = self._partial(rules.partial, rules.weak)
        for column in rules.exact:
            for phrase, values in self._exact.get(column, {}).items():
                if rules.never.issuperset(map(str, values)):
                    continue
                if phrase and not self._is_rare(
                    column, values, partial.get(phrase, {}).get(column, ()), rules.rare_share
                ):
                    index.setdefault(phrase, []).append(Link(column, values))
        for phrase, by_column in partial.items():
            known = {link.column for link in index.get(phrase, ())}
            ranked = sorted(by_column.items(), key=lambda item: -self._total(item[0], item[1]))
            index.setdefault(phrase, []).extend(
                Link(column, values, exact=False) for column, values in ranked if column not in known
            )
        return {phrase: tuple(links) for phrase, links in index.items() if links}

    def _partial(self, columns: Sequence[str], weak: frozenset[str]) -> dict[Phrase, dict[str, tuple[str, ...]]]:
        found: dict[Phrase, dict[str, dict[str, None]]] = {}
        for column in columns:
            for value in self.counts.get(column, {}):
                words = canonical(stems(value))
                for start in range(len(words)):
                    for end in range(start + 1, min(len(words), start + 6) + 1):
                        part = words[start:end]
                        if part[-1] not in load_model().values.open_ended and not all(
                            word in weak or word.isdigit() for word in part
                        ):
                            found.setdefault(part, {}).setdefault(column, {})[value] = None
        return {part: {column: tuple(values) for column, values in by.items()} for part, by in found.items()}

    def _total(self, column: str, values: Sequence[str | int]) -> int:
        return sum(self.counts.get(column, {}).get(str(value), 0) for value in values)

    def _is_rare(self, column: str, exact: Sequence[str | int], partial: Sequence[str], share: float) -> bool:
        return bool(partial) and self._total(column, exact) < share * self._total(column, partial)

    def to_json(self) -> dict[str, Any]:
        """Return the vocabulary as JSON values."""
        return {
            "format": FORMAT,
            "snapshot_id": self.snapshot_id,
            "counts": self.counts,
            "names": {
                column: {str(number): name for number, name in names.items()} for column, names in self.names.items()
            },
            "years": [self.first_year, self.last_year],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Vocabulary":
        """Return the vocabulary a JSON document holds.

        Raises:
            TerminalError: when the document is of another format.
        """
        if document.get("format") != FORMAT:
            raise TerminalError(f"a vocabulary of format {document.get('format')!r}", expected=f"format {FORMAT}")
        names = {column: {int(number): name for number, name in by.items()} for column, by in document["names"].items()}
        first, last = document["years"]
        return cls(document["snapshot_id"], document["counts"], names, first, last)


def canonical(phrase: Phrase) -> Phrase:
    """Return a phrase with the abbreviations of stored values written out and repeated words dropped."""
    abbreviations = load_model().values.abbreviations
    words = [long for word in phrase for long in abbreviations.get(word, (word,))]
    return tuple(word for index, word in enumerate(words) if index == 0 or words[index - 1] != word)


def read_cache(path: Path) -> Vocabulary | None:
    """Return the cached vocabulary; None when there is none or it is of another format."""
    try:
        return Vocabulary.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, TerminalError, json.JSONDecodeError, KeyError, TypeError, ValueError):
        return None


def write_cache(path: Path, vocabulary: Vocabulary) -> None:
    """Write a vocabulary to the cache, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name of its own: several threads and workers may write the same cache at once.
    handle, partial = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(vocabulary.to_json(), file)
    Path(partial).replace(path)


def _holds(words: Phrase, needle: Phrase) -> bool:
    size = len(needle)
    return any(words[start : start + size] == needle for start in range(len(words) - size + 1))
