"""The numbers a text claims: value, precision, unit, and the words around that change their meaning."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Unit = Literal["plain", "percent", "ordinal", "fraction", "hour"]
Bound = Literal["exact", "about", "over", "under"]

_WORDS = dict(
    zero=0, one=1, two=2, three=3, four=4, five=5, six=6, seven=7, eight=8, nine=9, ten=10, eleven=11, twelve=12,
    thirteen=13, fourteen=14, fifteen=15, sixteen=16, seventeen=17, eighteen=18, nineteen=19, twenty=20,
    thirty=30, forty=40, fifty=50, sixty=60, seventy=70, eighty=80, ninety=90, hundred=100,
)  # fmt: skip
_ORDINALS = dict(second=2, third=3, fourth=4, fifth=5, sixth=6, seventh=7, eighth=8, ninth=9, tenth=10)
_FRACTIONS = {"half": Decimal("0.5"), "third": Decimal(1) / 3, "quarter": Decimal("0.25"), "fifth": Decimal("0.2")}
_SCALES = {"thousand": 3, "k": 3, "million": 6, "m": 6, "mn": 6, "billion": 9, "bn": 9}

_DIGITS = re.compile(
    r"(?<![\w.])(?P<sign>[-+\u2212\u2013](?=[$]?\d))?[$]?(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:(?P<ordinal>st|nd|rd|th)\b|(?P<minutes>:[0-5]\d)?\s?(?P<clock>[ap]\.?m\b\.?)"
    r"|(?P<time>:[0-5]\d)(?::[0-5]\d)?|\s?(?P<percent>%|per\s?cent\b|percentage\s+points?\b|pp\b)"
    r"|(?:\s(?P<scale>thousand|million|billion)|(?P<letter>k|K|M|mn|bn))\b)?"
    r"(?:\s(?P<late>per\s?cent\b|%))?"
)
_WORD = re.compile(
    r"(?<![\w-])(?P<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-(?P<ones>one|two|three|four|five|six|seven"
    r"|eight|nine)\b|(?<![\w-])(?P<word>" + "|".join(word for word in _WORDS if word != "one") + r")\b(?!-)"
    r"(?:\s(?P<scale>thousand|million|billion|hundred)\b)?(?P<percent>\s(?:percent|per\scent)\b)?",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"\b(?:(?P<count>a|one|two|three|four)[\s-](?P<part>half|third|quarter|fifth)s?\b(?:\s+of\b)?"
    r"|(?P<half>half)(?=\s+(?:of|the|are|is|were|was)\b))",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"\b(?:the\s+)(" + "|".join(_ORDINALS) + r")(?:[\s-](?:\w+est|most|least|place)\b)", re.IGNORECASE
)
_FRACTION_WIDTH = Decimal(10)
_BOUNDS: tuple[tuple[Bound, str], ...] = (
    ("about", r"(?:about|around|approximately|approx\.?|roughly|some|~|circa)"),
    ("over", r"(?:over|more than|above|exceeding|at least|upwards? of|just over|well over)"),
    ("under", r"(?:under|fewer than|less than|below|nearly|almost|close to|just under|up to)"),
)


@dataclass(frozen=True)
class Claim:
    """A number in a text.

    Attributes:
        text: as written, its unit included.
        value: what it says; percent and fraction claims hold the percentage.
        step: the size of its last written digit.
        coarse: the size of its last digit that is not zero, the second at the least: what a number that is said to be
            rounded was rounded to.
        start, end: where it stands.
    """

    text: str
    value: Decimal
    step: Decimal
    coarse: Decimal
    unit: Unit
    bound: Bound
    start: int
    end: int


def find_claims(text: str) -> list[Claim]:
    """Find the numbers of a text, in figures and in words, in the order they stand."""
    claims = [_from_digits(found, text) for found in _DIGITS.finditer(text)]
    claims += [_from_fraction(found, text) for found in _FRACTION.finditer(text)]
    claims += [_from_ordinal(found) for found in _ORDINAL.finditer(text)]
    taken = [(claim.start, claim.end) for claim in claims]
    for found in _WORD.finditer(text):
        if not any(start < found.end() and found.start() < end for start, end in taken):
            claims.append(_from_word(found, text))
    return sorted(claims, key=lambda claim: claim.start)


def _from_digits(found: re.Match[str], text: str) -> Claim:
    digits = found["digits"].replace(",", "")
    scale = _SCALES.get((found["scale"] or found["letter"] or "").lower(), 0)
    value = Decimal(digits).scaleb(scale)
    decimals = len(digits.partition(".")[2])
    unit: Unit = "plain"
    if found["percent"] or found["late"]:
        unit = "percent"
    elif found["ordinal"]:
        unit = "ordinal"
    elif found["clock"]:
        unit = "hour"
        value = Decimal(int(digits.partition(".")[0]) % 12 + (12 if found["clock"].lower().startswith("p") else 0))
    elif found["time"]:
        unit = "hour"
    if found["sign"] and found["sign"] != "+" and not _joins(found, text):
        value = -value
    return _claim(found, value, Decimal(1).scaleb(scale - decimals), unit, _bound(text, found.start()))


def _from_word(found: re.Match[str], text: str) -> Claim:
    if found["tens"]:
        value = Decimal(_WORDS[found["tens"].lower()] + _WORDS[found["ones"].lower()])
    else:
        value = Decimal(_WORDS[found["word"].lower()])
    scale = (found["scale"] or "").lower()
    power = 2 if scale == "hundred" else _SCALES.get(scale, 0)
    unit: Unit = "percent" if found["percent"] else "plain"
    return _claim(found, value.scaleb(power), Decimal(1).scaleb(power), unit, _bound(text, found.start()))


def _from_fraction(found: re.Match[str], text: str) -> Claim:
    part = _FRACTIONS[(found["part"] or found["half"]).lower()]
    count = {"two": 2, "three": 3, "four": 4}.get((found["count"] or "a").lower(), 1)
    return _claim(found, part * count * 100, Decimal(4), "fraction", _bound(text, found.start()))


def _from_ordinal(found: re.Match[str]) -> Claim:
    return _claim(found, Decimal(_ORDINALS[found[1].lower()]), Decimal(1), "ordinal", "exact")


def _claim(found: re.Match[str], value: Decimal, step: Decimal, unit: Unit, bound: Bound) -> Claim:
    written = found.group().strip().removesuffix(".") if not found.group().endswith(".m.") else found.group()
    coarse = _FRACTION_WIDTH if unit == "fraction" else _last_digit(value, step)
    return Claim(written, value, step, coarse, unit, bound, found.start(), found.start() + len(written))


def _last_digit(value: Decimal, step: Decimal) -> Decimal:
    size = step
    while value != 0 and value % (size * 10) == 0:
        size *= 10
    return min(size, Decimal(1).scaleb(value.adjusted() - 1)) if value else size


def _bound(text: str, start: int) -> Bound:
    before = text[:start].rstrip("$ ")
    for bound, words in _BOUNDS:
        if re.search(rf"(?<!\w){words}$", before, re.IGNORECASE):
            return bound
    return "exact"


def _joins(found: re.Match[str], text: str) -> bool:
    """Whether a dash stands between two numbers or words, as in 2015-2018, and is no sign."""
    before = text[: found.start()]
    return bool(before) and (before[-1].isalnum() or (found["sign"] == "\u2013" and before.rstrip()[-1:].isdigit()))
