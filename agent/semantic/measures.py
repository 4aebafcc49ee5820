"""Composition rules for measures: counts, shares, rates, statistics, averages over groups, ratios and differences."""

from collections.abc import Sequence

from agent.semantic.algebra import (
    Aggregate,
    Binary,
    Count,
    CountDistinct,
    Dimension,
    Measure,
    Nest,
    Share,
)
from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Condition, Grouping
from agent.semantic.model import load_model
from agent.semantic.predicates import EVERYTHING, Predicate, both

GROUPS = RuleBook()
MEASURES = RuleBook()


def conditions_in(atoms: Sequence[Atom]) -> list[Condition]:
    """Return the conditions among atoms."""
    return [atom.value for atom in atoms if isinstance(atom.value, Condition)]


def where_of(atoms: Sequence[Atom]) -> Predicate:
    """Return the conjunction of the conditions among atoms."""
    return both(condition.predicate for condition in conditions_in(atoms))


def _grouping(dimension: object, role: str, atom: Atom) -> Atom:
    assert isinstance(dimension, Dimension)
    return Atom("group", Grouping(dimension, role), atom.words, atom.at)  # type: ignore[arg-type]  # role is literal


@GROUPS.rule(
    "(each|by|both)+ (num)? (name)? (dim) (name|code)? ((comma (each|by)? dim (name|code)?)* comma? (and|or) (each|by)? dim (name|code)?)?"
)
def grouped(match: Match) -> list[Atom] | None:
    """By district; for each year and season; per community area name."""
    role = "each" if any(atom.kind == "each" for atom in match.atoms) else "by"
    made: list[Atom] = []
    for index, atom in enumerate(match.atoms):
        if atom.kind != "dim":
            continue
        following = match.atoms[index + 1].kind if index + 1 < len(match.atoms) else ""
        made.append(_grouping(_shown(atom.value, following), role, atom))
    if match.before and match.before[-1].kind in {"change", "than"} and match.atoms[0].kind == "by":
        return None
    return made


def _shown(dimension: object, marker: str) -> Dimension:
    assert isinstance(dimension, Dimension)
    if dimension.lookup is None or marker not in {"name", "code"}:
        return dimension
    return Dimension(dimension.name, dimension.column, None, dimension.lookup, marker == "name", False, "")


@GROUPS.rule("(universal) (one)? (num)? (dim)")
def universal(match: Match) -> list[Atom]:
    """Recorded in every one of the 77 community areas."""
    target = match.groups[3][0]
    return [Atom("universal_group", target.value, match.groups[0][0].words, match.atoms[0].at)]


@GROUPS.rule("each (cond)")
def each_value(match: Match) -> list[Atom] | None:
    """For each of the property, violent and drug categories."""
    condition = match.groups[0][0].value
    assert isinstance(condition, Condition)
    if not condition.coordinated or len(condition.columns) != 1:
        return None
    (column,) = condition.columns
    dimension = next(d for d in load_model().dimensions.values() if d.column == column and not d.expression)
    return [_grouping(dimension, "each", match.atoms[0]), match.groups[0][0]]


@MEASURES.rule("distinct? count_of (all)? distinct (dim)")
def distinct_count(match: Match) -> Atom:
    """The number of different crime types."""
    dimension = match.groups[1][0].value
    assert isinstance(dimension, Dimension)
    return match.made("meas", CountDistinct(dimension))


@MEASURES.rule("(aggregate) (count_of|all)* (cond)* (col|num_col)")
def statistic(match: Match) -> list[Atom] | None:
    """The average number of days to update; the median latitude."""
    function, column = match.groups[0][0].value, match.groups[3][0].value
    made = match.made("meas", Aggregate(function, str(column)))  # type: ignore[arg-type]  # checked by the model
    return [made, *match.groups[2]]


@MEASURES.rule("(most|least|earliest|latest) (col)")
def extreme_value(match: Match) -> Atom | None:
    """The highest latitude; the latest incident date."""
    function = "max" if match.groups[0][0].kind in {"most", "latest"} else "min"
    if match.before and match.before[-1].kind in {"dim", "group"}:
        return None
    return match.made("meas", Aggregate(function, str(match.groups[1][0].value)))  # type: ignore[arg-type]


@MEASURES.rule("(earliest|latest) (dim)")
def extreme_date(match: Match) -> Atom | None:
    """The earliest incident date."""
    dimension = match.groups[1][0].value
    assert isinstance(dimension, Dimension)
    if dimension.order != "time" or dimension.name in {"hour", "day_of_month"}:
        return None
    function = "max" if match.groups[0][0].kind == "latest" else "min"
    return match.made("meas", Aggregate(function, dimension.column))  # type: ignore[arg-type]  # max or min


@MEASURES.rule("named_share (cond)*")
def named_share(match: Match) -> list[Atom]:
    """The arrest rate."""
    name_and_part = match.atoms[0].value
    assert isinstance(name_and_part, tuple)
    return [Match(match.atoms[:1], (), (), ()).made("meas", Share(name_and_part[1])), *match.atoms[1:]]


@MEASURES.rule("(share) (pop|cond)+ (comma|and)+ (share) (pop|cond)+ (verb|rel)+ (cond)+")
def two_shares(match: Match) -> list[Atom]:
    """What percentage of car thefts and what percentage of robberies end in an arrest."""
    part = where_of(match.groups[6])
    made = [
        Atom("meas", Share(part, where_of(body)), " ".join(a.words for a in body), body[0].at)
        for body in (match.groups[1], match.groups[4])
    ]
    return list(made)


@MEASURES.rule("(pop) (comma|and)+ (cond)")
def counts_beside(match: Match) -> list[Atom] | None:
    """Incidents and arrests: two counts."""
    condition = match.groups[2][0].value
    assert isinstance(condition, Condition)
    if not condition.noun or not condition.columns <= {"ARREST", "DOMESTIC"}:
        return None
    return [
        Atom("meas", Count(), match.atoms[0].words, match.atoms[0].at),
        Atom("meas", Count(where_of(match.groups[2]))),
    ]


@MEASURES.rule("(share|fraction) (all)? (pop|cond|group|all|rel|verb)+")
def share(match: Match) -> list[Atom] | None:
    """What percentage of thefts led to an arrest; the share of domestic incidents."""
    body = match.atoms[1:]
    groups = [atom for atom in body if atom.kind == "group"]
    part, whole = _split(body)
    if _of_leading_groups(match, body) or _spread(body):
        word = match.groups[0][0]
        spread = Atom("share_total", None, word.words, word.at)
        return [spread, *groups, *[atom for atom in body if atom.kind == "cond"]]
    if not part:
        return None
    percent = match.groups[0][0].kind == "share"
    made = Match([match.atoms[0]], (), (), ()).made("meas", Share(where_of(part), percent=percent))
    return [made, *groups, *[Atom("cond", atom.value, atom.words, atom.at) for atom in whole]]


def _spread(body: Sequence[Atom]) -> bool:
    """Whether the share is spread over groups: what percentage of thefts occurred in each season."""
    kinds = [atom.kind for atom in body]
    ends = [n for n in range(1, len(kinds)) if kinds[n] == "group" and kinds[n - 1] in {"verb", "rel"}]
    return bool(ends) and all(atom.kind != "cond" or _calendar(atom) for atom in body[ends[0] :])


def _of_leading_groups(match: Match, body: Sequence[Atom]) -> bool:
    """Whether the share is that of the first few groups together: of all murders, in the five areas with the most."""
    kinds = [atom.kind for atom in match.after]
    leading = bool({"most", "least", "superlative", "top"} & set(kinds)) and "num" in kinds[:4]
    named = any(atom.kind in {"verb", "rel"} for atom in body[:-1]) or any(atom.kind == "dim" for atom in match.before)
    return leading and not named and not any(atom.kind == "group" for atom in (*match.before, *body))


def _split(body: Sequence[Atom]) -> tuple[list[Atom], list[Atom]]:
    """Return the conditions of the part and those of the whole.

    The part is what stands after the last verb that something other than a date follows; without such a verb it is the
    condition that stands alone, or those after the first.
    """
    for index in range(len(body) - 1, -1, -1):
        if body[index].kind not in {"verb", "rel"}:
            continue
        after = [atom for atom in body[index + 1 :] if atom.kind == "cond"]
        before = [atom for atom in body[:index] if atom.kind == "cond"]
        telling = [atom for atom in after if not _calendar(atom)]
        if telling:
            return telling, before + [atom for atom in after if _calendar(atom)]
        if after and not before:
            return after, []
    conditions = [atom for atom in body if atom.kind == "cond"]
    telling = [atom for atom in conditions if not _calendar(atom)]
    dates = [atom for atom in conditions if _calendar(atom)]
    if len(telling) > 1 and body[0].kind == "cond":
        return telling[1:], [telling[0], *dates]
    return telling, dates


def _coordinated(atom: Atom) -> bool:
    return isinstance(atom.value, Condition) and atom.value.coordinated


def _calendar(atom: Atom) -> bool:
    return isinstance(atom.value, Condition) and atom.value.is_calendar


@MEASURES.rule("(aggregate) (period) (count_of|all)* (pop|cond|meas)+")
def average_period(match: Match) -> list[Atom]:
    """The average monthly number of thefts."""
    return _nested(match, [match.groups[1][0].value])


@MEASURES.rule("(aggregate) comma? (count_of|all)* (pop|cond)* (verb)? (cond)* (group|period) (group)?")
def average_per_group(match: Match) -> list[Atom] | None:
    """The average number of crimes per day (in each district)."""
    first, second = match.groups[5][0].value, match.groups[6]
    dimension = first.dimension if isinstance(first, Grouping) else first
    return [*_nested(match, [dimension]), *second]


def _nested(match: Match, dimensions: Sequence[object]) -> list[Atom]:
    function = match.groups[0][0].value
    over = tuple(dimension for dimension in dimensions if isinstance(dimension, Dimension))
    inner: Measure = Count(EVERYTHING)
    for atom in match.atoms:
        if atom.kind == "meas":
            inner = atom.value  # type: ignore[assignment]  # a measure atom holds a measure
    made = Match(match.atoms[:1], (), (), ()).made("meas", Nest(function, inner, over))  # type: ignore[arg-type]
    return [made, *[atom for atom in match.atoms if atom.kind == "cond"]]


@MEASURES.rule("(which|when) (dim)? (pop|count_of)* (begin|end)")
def first_or_last(match: Match) -> Atom:
    """In which year the records begin."""
    dimension = match.groups[1][0].value if match.groups[1] else None
    column = dimension.column if isinstance(dimension, Dimension) else "INCIDENT_DATE"
    return match.made("meas", Aggregate("min" if match.groups[3][0].kind == "begin" else "max", column))


@MEASURES.rule("(most|least) (count_of)? (period) (count_of)? (pop|cond)*")
def extreme_period(match: Match) -> list[Atom]:
    """The highest monthly number of thefts."""
    return _extreme_group(match, match.groups[2][0].value)


@MEASURES.rule("(most|least) (count_of)? (pop|cond)+ (verb)* (each|by)? (single) (dim)")
def extreme_single(match: Match) -> list[Atom]:
    """The highest number of crimes on a single day."""
    return _extreme_group(match, match.groups[6][0].value)


def _extreme_group(match: Match, dimension: object) -> list[Atom]:
    assert isinstance(dimension, Dimension)
    conditions = [atom for atom in match.atoms if atom.kind == "cond"]
    function = "max" if match.atoms[0].kind == "most" else "min"
    made = Match(match.atoms[:1], (), (), ()).made("meas", Nest(function, Count(), (dimension,)))  # type: ignore[arg-type]
    return [made, *conditions]


@MEASURES.rule("period")
def periodic(match: Match) -> Atom:
    """Monthly thefts: one row a month."""
    return _grouping(match.atoms[0].value, "period", match.atoms[0])


@MEASURES.rule("(all)? count_of (all)? (dim)")
def number_of_groups(match: Match) -> Atom:
    """How many districts."""
    dimension = match.groups[2][0].value
    assert isinstance(dimension, Dimension)
    return match.made("meas", CountDistinct(dimension))


@MEASURES.rule("(all)? count_of (all)? (pop|cond)+")
def counted(match: Match) -> list[Atom]:
    """The number of domestic incidents: dates stay conditions of the whole question."""
    body = [atom for atom in match.atoms if atom.kind == "cond"]
    beside = (*match.before, *match.after)
    alone = not any(atom.kind in {"count_of", "meas", "thr", "more", "most", "least", "compare_op"} for atom in beside)
    shared = [atom for atom in body if _calendar(atom) or (alone and _coordinated(atom))]
    made = match.made("meas", Count(where_of([atom for atom in body if atom not in shared])))
    return [made, *shared]


@MEASURES.rule("(ratio) (meas|cond|pop) (to|and|compare) (meas|cond|pop)")
def ratio(match: Match) -> Atom:
    """The ratio of thefts to robberies."""
    return match.made("meas", Binary("/", measure_of(match.groups[1][0]), measure_of(match.groups[3][0])))


def measure_of(atom: Atom) -> Measure:
    """Return the measure an atom stands for: its own, or the count of its incidents."""
    if atom.kind == "meas":
        return atom.value  # type: ignore[return-value]  # a measure atom holds a measure
    return Count(where_of([atom]))
