"""The semantic model in memory: `model.yaml`, checked and indexed by word stems, loaded once a process."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from agent.semantic.algebra import Dimension, Lookup
from agent.semantic.text import stems
from include.errors import TerminalError

MODEL_FILE = Path(__file__).with_name("model.yaml")
Phrase = tuple[str, ...]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class FilterSpec:
    """A named group of incidents as the model writes it; `where` is resolved against a vocabulary."""

    where: Mapping[str, Any]
    noun: bool = False
    time: bool = False


@dataclass(frozen=True)
class Meaning:
    """What a phrase stands for: a kind of atom and its value."""

    kind: str
    value: object = None


@dataclass(frozen=True)
class ValueRules:
    """How stored values are linked."""

    exact: tuple[str, ...]
    partial: tuple[str, ...]
    codes: tuple[str, ...]
    rare_share: float
    weak: frozenset[str]
    abbreviations: Mapping[str, tuple[str, ...]]
    never: frozenset[str]
    open_ended: frozenset[str]


@dataclass(frozen=True)
class Model:
    """Everything `model.yaml` says.

    Attributes:
        phrases: meaning of every phrase of the model, by word stems.
        longest: words in the longest phrase.
        dimensions: by name.
        row_columns: dimensions that name one incident rather than a group.
        shares: named measures: the condition whose share they are.
        values: how stored values are linked.
        known_words: every word of the phrases, for spelling correction.
        commands: what instructions to a database or a model look like.
        streets: kinds of streets as written in blocks.
        silent: kinds of atoms that may be left over after composition.
        spelled: numbers, positions, months and hours in words: kind and value.
    """

    phrases: Mapping[Phrase, Meaning]
    longest: int
    dimensions: Mapping[str, Dimension]
    row_columns: frozenset[str]
    values: ValueRules
    known_words: frozenset[str]
    commands: re.Pattern[str]
    streets: Mapping[str, str]
    silent: frozenset[str]
    spelled: Mapping[str, tuple[str, int | str]]


@lru_cache(maxsize=4)
def load_model(path: Path = MODEL_FILE) -> Model:
    """Return the model of a file.

    Raises:
        TerminalError: when the file is unreadable or not of the expected form.
    """
    try:
        # The C loader is as safe and ten times faster; the rule only knows the name SafeLoader.
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506
        dimensions = {name: _dimension(name, spec) for name, spec in document["dimensions"].items()}
        phrases = _index(document, dimensions)
        rules = _value_rules(document["values"])
        commands = re.compile("|".join(document["commands"]), re.IGNORECASE)
        rows = frozenset(name for name, spec in document["dimensions"].items() if spec.get("rows"))
    except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise TerminalError(
            f"the semantic model {path.name} cannot be read: {error!r}",
            expected="the sections words, population, dimensions, periods, measures, columns, filters, sides, values",
            action="compare the file with agent/semantic/model.yaml of this version",
        ) from error
    return Model(
        phrases=phrases,
        longest=max(map(len, phrases)),
        dimensions=dimensions,
        row_columns=rows,
        values=rules,
        known_words=frozenset(word for phrase in phrases for word in phrase),
        commands=commands,
        streets=dict(document["streets"]),
        silent=frozenset(document["silent"]),
        spelled={word: (kind, value) for kind, words in document["spelled"].items() for word, value in words.items()},
    )


def _dimension(name: str, spec: Mapping[str, Any]) -> Dimension:
    lookup = Lookup(**spec["lookup"]) if "lookup" in spec else None
    return Dimension(
        name=name,
        column=spec["column"],
        expression=spec.get("expression"),
        lookup=lookup,
        named=bool(spec.get("named")),
        order=spec.get("order", ""),
    )


def _index(document: Mapping[str, Any], dimensions: Mapping[str, Dimension]) -> dict[Phrase, Meaning]:
    index: dict[Phrase, Meaning] = {}
    for phrase, meaning in _entries(document, dimensions):
        key = stems(str(phrase)) or (str(phrase),)
        index[key] = meaning
    return index


def _entries(document: Mapping[str, Any], dimensions: Mapping[str, Dimension]) -> Iterator[tuple[str, Meaning]]:
    """Yield phrases and meanings; where a phrase is given twice the later section wins."""
    yield from _words(document)
    yield from _names(document, dimensions)
    for spec in document["filters"]:
        meaning = Meaning("filter", FilterSpec(spec["where"], spec.get("noun", False), spec.get("time", False)))
        yield from ((phrase, meaning) for phrase in spec["phrases"])
    for side, areas in document["sides"].items():
        yield side, Meaning("filter", FilterSpec({"COMMUNITY_AREA": areas}))
    for name, spec in document["measures"].items():
        meaning = Meaning("named_share", (name, FilterSpec(spec["share"])))
        yield from ((phrase, meaning) for phrase in spec["phrases"])


def _words(document: Mapping[str, Any]) -> Iterator[tuple[str, Meaning]]:
    for kind, entry in document["words"].items():
        if isinstance(entry, Mapping):
            for value, phrases in entry.items():
                yield from ((phrase, Meaning(kind, value)) for phrase in phrases)
        else:
            yield from ((phrase, Meaning(kind)) for phrase in entry)
    for subject, phrases in document["not_in_data"].items():
        yield from ((phrase, Meaning("absent", subject)) for phrase in phrases)
    yield from ((phrase, Meaning("pop")) for phrase in document["population"])


def _names(document: Mapping[str, Any], dimensions: Mapping[str, Dimension]) -> Iterator[tuple[str, Meaning]]:
    for name, spec in document["dimensions"].items():
        yield from ((phrase, Meaning("dim", dimensions[name])) for phrase in spec["phrases"])
    for name, phrases in document["periods"].items():
        yield from ((phrase, Meaning("period", dimensions[name])) for phrase in phrases)
    taken = {stems(phrase) for spec in document["dimensions"].values() for phrase in spec["phrases"]}
    for column, phrases in document["columns"].items():
        yield from ((phrase, Meaning("col", column)) for phrase in phrases if stems(phrase) not in taken)


def _value_rules(spec: Mapping[str, Any]) -> ValueRules:
    return ValueRules(
        exact=tuple(spec["exact"]),
        partial=tuple(spec["partial"]),
        codes=tuple(spec["codes"]),
        never=frozenset(spec["never"]),
        open_ended=frozenset(str(word) for word in spec["open_ended"]),
        rare_share=float(spec["rare_share"]),
        weak=frozenset(word for text in spec["weak"] for word in stems(str(text))),
        abbreviations={
            stems(short)[0]: stems(long) for short, long in spec["abbreviations"].items() if len(stems(short)) == 1
        },
    )
