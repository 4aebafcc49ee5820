"""From the words of a question to atoms: phrases of the model, stored values, numbers, dates; longest first."""

import re
from collections.abc import Mapping
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from agent.semantic.grammar import Atom
from agent.semantic.meanings import Condition
from agent.semantic.model import FilterSpec, Meaning, load_model
from agent.semantic.predicates import (
    AnyOf,
    Compare,
    Contains,
    Missing,
    Predicate,
    Scalar,
    both,
    negate,
    one_of,
)
from agent.semantic.text import ARTICLES, Token, stem, tokenize
from agent.semantic.vocabulary import Vocabulary

_SUFFIXED = re.compile(r"(\d+)(st|nd|rd|th|k|am|pm|s|m)", re.IGNORECASE)
_DOTTED = re.compile(r"\b([ap])\.\s?m\.?(?=\W|$)", re.IGNORECASE)
_BLOCK = re.compile(r"\d{3,5}X{1,2}\s", re.IGNORECASE)
_CASE = re.compile(r"[A-Z]{1,2}\d{6}", re.IGNORECASE)
YEARS = range(1990, 2040)


def lex(text: str, *, vocabulary: Vocabulary) -> list[Atom]:
    """Return the atoms of a text, in order; words nobody knows become atoms of the kind `unknown`."""
    written = tokenize(_DOTTED.sub(r"\1m ", text))
    words = [token for n, token in enumerate(written) if token.stem not in ARTICLES and not _joins(written, n)]
    tokens = _spelled(words, vocabulary)
    atoms: list[Atom] = []
    position = 0
    while position < len(tokens):
        atom, size = _next(tokens, position, vocabulary)
        atoms.append(atom)
        position += size
    return atoms


def _joins(tokens: list[Token], position: int) -> bool:
    """Whether a hyphen only joins the parts of a word ("break-in", "3-month")."""
    if tokens[position].raw != "-" or position in (0, len(tokens) - 1):
        return False
    before, after = tokens[position - 1], tokens[position + 1]
    tight = before.start + len(before.raw) == tokens[position].start == after.start - 1
    return tight and (before.raw[0].isalpha() or after.raw[0].isalpha())


def resolve(where: Mapping[str, Any], vocabulary: Vocabulary) -> Predicate:
    """Return the condition a filter of the model stands for in this snapshot."""
    parts: list[Predicate] = []
    for key, wanted in where.items():
        if key == "not":
            parts.append(negate(resolve(wanted, vocabulary)))
        elif key == "all":
            parts.append(both(resolve(inner, vocabulary) for inner in wanted))
        elif key == "any":
            parts.append(AnyOf(tuple(resolve(inner, vocabulary) for inner in wanted)))
        else:
            parts.append(_column_condition(key, wanted, vocabulary))
    return parts[0] if len(parts) == 1 else both(parts)


def _column_condition(column: str, wanted: object, vocabulary: Vocabulary) -> Predicate:
    if isinstance(wanted, Mapping):
        if "missing" in wanted:
            return Missing(column)
        if "contains" in wanted:
            return Contains(column, str(wanted["contains"]))
        if "part" in wanted:
            return one_of(column, vocabulary.with_words(column, str(wanted["part"])) or [str(wanted["part"]).upper()])
        texts = wanted["any_words"] if "any_words" in wanted else [wanted["words"]]
        values = [value for text in texts for value in vocabulary.containing(column, str(text))]
        return one_of(column, values) if values else Contains(column, str(texts[0]).upper())
    if isinstance(wanted, bool):
        return Compare(column, "=", wanted)
    if isinstance(wanted, list):
        return one_of(column, [value for item in wanted for value in _variants(column, item, vocabulary)])
    return one_of(column, _variants(column, wanted, vocabulary))


def _variants(column: str, value: object, vocabulary: Vocabulary) -> tuple[Scalar, ...]:
    if isinstance(value, str) and column in vocabulary.counts:
        return vocabulary.variants(column, value)
    assert isinstance(value, str | int)
    return (value,)


def _next(tokens: list[Token], position: int, vocabulary: Vocabulary) -> tuple[Atom, int]:
    """Return the atom that begins at a position and how many tokens it takes."""
    model = load_model()
    pattern = _pattern_atom(tokens, position)
    if position and (street := _street(tokens, position)) is not None:
        return street
    words = [token.stem for token in tokens[position : position + max(model.longest, vocabulary.longest)]]
    for size in range(len(words), 0, -1):
        phrase = tuple(words[:size])
        raw = " ".join(token.raw for token in tokens[position : position + size])
        if size == 1 and pattern is not None:
            return pattern, 1
        if (meaning := model.phrases.get(phrase)) is not None and not _cuts(meaning, words, size):
            return _meant(meaning, raw, position, vocabulary), size
        squeezed = tuple(word for word in phrase if word not in {"-", "/", "(", ")", ","})
        if phrase[0] not in {"-", ",", "(", ")"} and phrase[-1] not in {"-", ",", "(", ")"} and "," not in phrase:
            if len(squeezed) < size and (meaning := model.phrases.get(squeezed)) is not None:
                return _meant(meaning, raw, position, vocabulary), size
            if squeezed and (links := vocabulary.links(squeezed)):
                return Atom("cond", Condition.of_links(links, raw), raw, position), size
    if (street := _street(tokens, position)) is not None:
        return street
    token = tokens[position]
    return Atom("comma" if token.raw == "," else "unknown", token.raw, token.raw, position), 1


def _cuts(meaning: Meaning, words: list[str], size: int) -> bool:
    """Whether the last word of a filler phrase begins a longer name ("over the times of day")."""
    if size < 2 or meaning.kind not in {"fill", "by", "verb"}:
        return False
    longer = (tuple(words[size - 1 : size + more]) for more in (1, 2, 3))
    return any(found.kind == "dim" for phrase in longer if (found := load_model().phrases.get(phrase)) is not None)


def _street(tokens: list[Token], position: int) -> tuple[Atom, int] | None:
    """Return the condition on the block for a street name written with capitals ("Michigan Avenue")."""
    streets = load_model().streets
    for size in (2, 3, 4):
        words = tokens[position : position + size]
        if len(words) < size or not all(word.raw[:1].isupper() for word in words):
            return None
        if (suffix := streets.get(words[-1].raw.lower())) is not None:
            raw = " ".join(word.raw for word in words)
            name = " ".join([*[word.raw.upper() for word in words[:-1]], suffix])
            return Atom("cond", Condition(Contains("BLOCK", name), label=raw), raw, position), size
    return None


def _meant(meaning: Meaning, raw: str, position: int, vocabulary: Vocabulary) -> Atom:
    if meaning.kind == "filter":
        spec = meaning.value
        assert isinstance(spec, FilterSpec)
        condition = Condition(resolve(spec.where, vocabulary), noun=spec.noun, label=raw)
        return Atom("cond", condition, raw, position)
    if meaning.kind == "named_share":
        assert isinstance(meaning.value, tuple)
        name, spec = meaning.value
        return Atom("named_share", (name, resolve(spec.where, vocabulary)), raw, position)
    return Atom(meaning.kind, meaning.value, raw, position)


def _pattern_atom(tokens: list[Token], position: int) -> Atom | None:
    """Return the atom of a number, ordinal, month, clock time, date, block or case number."""
    raw = tokens[position].raw
    if _BLOCK.match(raw):
        return Atom("cond", Condition(Compare("BLOCK", "=", " ".join(raw.upper().split())), label=raw), raw, position)
    if _CASE.fullmatch(raw):
        return Atom("cond", Condition(Compare("CASE_NUMBER", "=", raw.upper()), label=raw), raw, position)
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", raw):
        return Atom("iso_date", raw, raw, position)
    if re.fullmatch(r"\d{1,2}:\d{2}", raw):
        return Atom("clock", int(raw.split(":")[0]), raw, position)
    if (known := load_model().spelled.get(raw.lower())) is not None:
        return Atom(known[0], known[1], raw, position)
    return _numeric(raw, position)


def _numeric(raw: str, position: int) -> Atom | None:
    plain = raw.replace(",", "")
    if plain.isdigit():
        kind = "year" if "," not in raw and len(raw) == 4 and int(plain) in YEARS else "num"
        return Atom(kind, int(plain), raw, position)
    if re.fullmatch(r"\d+\.\d+", plain):
        return Atom("num", float(plain), raw, position)
    if found := _SUFFIXED.fullmatch(raw):
        number, suffix = int(found.group(1)), found.group(2).lower()
        if suffix in ("st", "nd", "rd", "th"):
            return Atom("ord", number, raw, position)
        if suffix in ("am", "pm"):
            return Atom("clock", number % 12 + (12 if suffix == "pm" else 0), raw, position)
        if suffix == "s":
            return Atom("decade", number, raw, position)
        return Atom("num", number * (1_000 if suffix == "k" else 1_000_000), raw, position)
    if re.fullmatch(r"[qQ][1-4]", raw):
        return Atom("quarter_no", int(raw[1]), raw, position)
    if re.fullmatch(r"\d+[A-Za-z]", raw):
        return Atom("code_word", raw.upper(), raw, position)
    return None


def _spelled(tokens: list[Token], vocabulary: Vocabulary) -> list[Token]:
    """Return the tokens with words nobody knows replaced by the one known word they nearly spell."""
    return [_corrected(token, vocabulary) for token in tokens]


def _corrected(token: Token, vocabulary: Vocabulary) -> Token:
    word = token.stem
    model = load_model()
    if len(word) < 5 or not word.isalpha() or word in model.known_words or word in vocabulary.words:
        return token
    if token.raw.lower() in model.spelled:
        return token
    allowed = 1 if len(word) < 8 else 2
    found = process.extractOne(word, vocabulary.spellings, scorer=OSA.distance, score_cutoff=allowed)
    if found is None or found[0][0] != word[0] or len(found[0]) < 4:
        return token
    return Token(raw=found[0], stem=stem(found[0]), start=token.start)
