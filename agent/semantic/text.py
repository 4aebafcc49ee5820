"""Words of a question: tokens with their place in it, and the stem two spellings of a word share."""

import re
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(
    r"\d{3,5}X{1,2}\s+[NSEWnsew]\s+[A-Za-z0-9.']+(?:\s+[A-Z][A-Za-z]*)*"
    r"|\d{4}-\d{2}-\d{2}"
    r"|\d{1,2}:\d{2}"
    r"|\d{1,3}(?:,\d{3})+(?!\d)"
    r"|\d+\.\d+"
    r"|[A-Za-z]{1,2}\d{6}\b"
    r"|\d+[A-Za-z]+|[A-Za-z]+\d+"
    r"|\d+"
    r"|[A-Za-z]+(?:'[A-Za-z]+)*"
    r"|>=|<=|<>|!=|[%$&,;:?!()<>=/+\"-]"
)
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-"})
ARTICLES = frozenset({"a", "an", "the"})
_EMPTY = ARTICLES | {"-", "/", '"', "(", ")", ",", ":"}
_IRREGULAR = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "thieves": "thief",
    "knives": "knife",
    "buses": "bus",
}
_KEPT = frozenset(
    [
        "this",
        "is",
        "was",
        "has",
        "does",
        "plus",
        "less",
        "across",
        "always",
        "bus",
        "various",
        "previous",
        "versus",
        "us",
        "yes",
        "gas",
        "news",
        "was",
        "its",
        "his",
        "as",
    ]
)


@dataclass(frozen=True)
class Token:
    """One word, number or mark: as written, lower-cased stem, and its place."""

    raw: str
    stem: str
    start: int


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text; an unknown character is left out."""
    clean = text.translate(_QUOTES)
    return [Token(raw=found.group(), stem=stem(found.group()), start=found.start()) for found in _TOKEN.finditer(clean)]


def stems(phrase: str) -> tuple[str, ...]:
    """Return the stems of a phrase's words; articles and marks without meaning (all but %, $, comparisons) left out."""
    return tuple(token.stem for token in tokenize(phrase) if token.stem not in _EMPTY)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the lower-case singular of a word; numbers lose their thousands marks.

    Example: `stem("Burglaries")` is `burglary`, `stem("20,000")` is `20000`.
    """
    lowered = word.lower()
    if lowered[:1].isdigit():
        return lowered.replace(",", "")
    if lowered.endswith("'s"):
        lowered = lowered[:-2]
    lowered = lowered.replace("'", "")
    if lowered in _IRREGULAR:
        return _IRREGULAR[lowered]
    if lowered in _KEPT or len(lowered) <= 2:
        return lowered
    return _singular(lowered)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
