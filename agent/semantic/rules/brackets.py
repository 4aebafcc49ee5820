"""Composition rules for brackets and for names and codes beside their dimension."""

from dataclasses import replace

from agent.semantic.algebra import Dimension
from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Condition
from agent.semantic.predicates import AnyOf, Compare, Missing, Predicate, both, negate, one_of, values_of

BRACKETS = RuleBook()
NAMED = RuleBook()
CODED_TEXT = {"BEAT": 4, "IUCR": 4}


NUMBERED = frozenset({"DISTRICT", "WARD", "COMMUNITY_AREA", "BEAT", "IUCR", "FBI_CODE", "HOUR", "ID", "MONTH", "DAY"})


@BRACKETS.rule("(dim) open by? (dim) close")
def bracketed_dimension(match: Match) -> Atom:
    """Type of place (location category): the bracket says which."""
    return match.groups[1][0]


@BRACKETS.rule("(cond) (pop)? open by? (dim) close")
def bracketed_reading(match: Match) -> list[Atom]:
    """School crimes (by location category): the bracket says in which column."""
    made = _read_as(match, match.groups[2][0].value, match.groups[0][0].value)
    return [made or match.groups[0][0], *match.groups[1]]


@BRACKETS.rule("open|close")
def bracket(_match: Match) -> list[Atom]:
    """Any other bracket carries no meaning."""
    return []


@NAMED.rule("(dim) code? (num|code_word|year) ((comma|and|or)+ (num|code_word|year))*")
def coded_dimension(match: Match) -> Atom | None:
    """District 11; beats 1011 and 1012; FBI code 08B."""
    dimension = match.groups[0][0].value
    assert isinstance(dimension, Dimension)
    if dimension.column not in NUMBERED:
        return None
    numbers = [atom for atom in match.atoms if atom.kind in {"num", "code_word", "year"}]
    codes = [_code(dimension, atom) for atom in numbers]
    if any(value is None for value in codes):
        return None
    label = f"{dimension.name} {', '.join(str(value) for value in codes)}"
    known = [value for value in codes if value is not None]
    return match.made("cond", Condition(one_of(dimension.column, known), label=label, coordinated=len(codes) > 1))


@NAMED.rule("which (dim) verb? (code|count_of)+ (num)")
def dimension_of_code(match: Match) -> list[Atom] | None:
    """Which community area has number 32."""
    dimension, number = match.groups[0][0].value, match.groups[2][0]
    assert isinstance(dimension, Dimension)
    if dimension.lookup is None:
        return None
    condition = Condition(
        Compare(dimension.column, "=", int(str(number.value))), label=f"{dimension.name} {number.value}"
    )
    return [match.made("cond", condition), Atom("name")]


@NAMED.rule("(code|count_of) (dim) called (cond)")
def code_of_name(match: Match) -> list[Atom] | None:
    """The number of the police district called Englewood."""
    made = _read_as(match, match.groups[1][0].value, match.groups[2][0].value)
    return None if made is None else [Atom("code"), made]


@NAMED.rule("(ord) (dim)")
def ordinal_dimension(match: Match) -> Atom | None:
    """The 11th district; the 42nd ward."""
    dimension, number = match.groups[1][0].value, match.groups[0][0].value
    assert isinstance(dimension, Dimension)
    assert isinstance(number, int)
    if dimension.column not in {"DISTRICT", "WARD"} or match.groups[0][0].words[:1].isalpha():
        return None
    return match.made("cond", Condition(Compare(dimension.column, "=", number)))


def _code(dimension: Dimension, atom: Atom) -> str | int | None:
    if dimension.column in CODED_TEXT or dimension.column == "FBI_CODE":
        width = CODED_TEXT.get(dimension.column, 2)
        text = atom.words.upper()
        digits = len(text) if text.isdigit() else len(text) - 1
        return text.zfill(width) if text.isdigit() or dimension.column != "FBI_CODE" else "0" * (2 - digits) + text
    return atom.value if isinstance(atom.value, int) else None


@NAMED.rule("comma? not (dim|pop) no")
def without_empty(_match: Match) -> list[Atom]:
    """Leaving out districts without any: groups without incidents are never shown."""
    return []


@NAMED.rule("(count_of|dim|comma|rel|pop|verb|each)* (days_between)")
def days_between(match: Match) -> Atom | None:
    """The number of days from the incident to its last update."""
    if any(a.kind == "dim" and getattr(a.value, "name", "") not in {"date", "hour"} for a in match.groups[0]):
        return None
    return match.made("col", "DAYS_TO_UPDATE")


@NAMED.rule("(dim) (called|verb)* (cond)")
def named_dimension(match: Match) -> Atom | None:
    """Crime type theft; the community area Austin."""
    if match.before and match.before[-1].kind in {"which", "each", "by", "top", "most", "superlative", "count_of"}:
        return None
    if any(atom.kind == "verb" and atom.value != "be" for atom in match.atoms):
        return None
    return _read_as(match, match.groups[0][0].value, match.groups[2][0].value)


@NAMED.rule("(cond) ((comma|and|or)+ cond)+ (dim)")
def dimensions_named(match: Match) -> Atom | None:
    """The Austin and Englewood districts: the dimension is that of all the names."""
    dimension = match.atoms[-1].value
    assert isinstance(dimension, Dimension)
    conditions = [atom.value for atom in match.atoms if isinstance(atom.value, Condition)]
    readings = [condition.read_as(dimension.column) for condition in conditions]
    known = [reading for reading in readings if reading is not None]
    values = [value for reading in known for value in values_of(reading.predicate) or ()]
    if len(known) < len(readings) or any(condition.is_time for condition in conditions):
        return None
    label = " or ".join(condition.label for condition in conditions)
    return match.made("cond", Condition(one_of(dimension.column, values), label=label, coordinated=True))


@NAMED.rule("(cond) (dim)")
def dimension_named(match: Match) -> Atom | None:
    """The Austin district; the violent category."""
    return _read_as(match, match.groups[1][0].value, match.groups[0][0].value)


def _read_as(match: Match, dimension: object, condition: object) -> Atom | None:
    assert isinstance(dimension, Dimension)
    assert isinstance(condition, Condition)
    reading = condition.read_as(dimension.column)
    if reading is None or condition.is_time:
        return None
    return match.made("cond", replace(reading, alternatives=()))


@NAMED.rule("(missing|no) (dim|col) ((comma|and|or)+ (dim|col))*")
def missing_dimension(match: Match) -> Atom:
    """Missing ward; no community area or district."""
    parts = tuple(Missing(_column(atom)) for atom in match.atoms if atom.kind in {"dim", "col"})
    together = any(atom.kind == "and" for atom in match.atoms)
    predicate: Predicate = parts[0] if len(parts) == 1 else (both(parts) if together else AnyOf(parts))
    return match.made("cond", Condition(predicate, label="missing value"))


@NAMED.rule("(dim|col) verb? (missing)")
def dimension_missing(match: Match) -> Atom | None:
    """Whose ward is missing."""
    if match.before and match.before[-1].kind in {"each", "by"}:
        return None
    return match.made("cond", Condition(Missing(_column(match.groups[0][0])), label="missing value"))


@NAMED.rule("known (dim|col)")
def known_dimension(match: Match) -> Atom:
    """With a known ward."""
    return match.made("cond", Condition(negate(Missing(_column(match.groups[0][0]))), label="known value"))


def _column(atom: Atom) -> str:
    return atom.value.column if isinstance(atom.value, Dimension) else str(atom.value)
