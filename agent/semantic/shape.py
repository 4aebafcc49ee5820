"""Composition rules for the shape of the answer: thresholds, rankings, limits, contrasts, changes, windows."""

from dataclasses import dataclass, replace

from agent.semantic.algebra import (
    Binary,
    Count,
    CountDistinct,
    Dimension,
    Having,
    Measure,
    Nest,
    Overall,
    Reference,
    Share,
    Window,
)
from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Grouping, Ranking, Threshold
from agent.semantic.measures import _calendar as is_calendar
from agent.semantic.measures import _coordinated
from agent.semantic.measures import _split as split_share
from agent.semantic.measures import measure_of, where_of
from agent.semantic.model import load_model
from agent.semantic.predicates import Operator, Predicate, both, columns_of

THRESHOLDS = RuleBook()
CONTRASTS = RuleBook()
SHAPE = RuleBook()


@dataclass(frozen=True)
class Contrast:
    """Groups that have the one kind of incidents and (`both`) or but not (`without`) the other."""

    has: Predicate
    other: Predicate
    kind: str


@dataclass(frozen=True)
class Change:
    """A wish for a change between two spans or along a grain."""

    percent: bool
    direction: str
    measure: Measure | None
    ranked: bool | None = None
    threshold: Threshold | None = None


@dataclass(frozen=True)
class Recent:
    """The newest or oldest incidents."""

    newest: bool
    limit: int | None


@THRESHOLDS.rule("(rel)")
def asking_where(match: Match) -> list[Atom] | None:
    """Where do most robberies happen."""
    if match.before or match.atoms[0].words.lower() != "where":
        return None
    location = load_model().dimensions["location"]
    return [Atom("which", None, "Where", match.atoms[0].at), Atom("dim", location, "Where", match.atoms[0].at)]


@CONTRASTS.rule("(compare_op) (cond)")
def under_heading(match: Match) -> Atom | None:
    """Codes that appear under narcotics."""
    return match.groups[1][0] if match.groups[0][0].words.lower() == "under" else None


@SHAPE.rule("(code) (comma|and)+ (dim|name)")
def id_column(match: Match) -> list[Atom]:
    """Show ID and date."""
    dimension = load_model().dimensions["id"]
    column = Atom("group", Grouping(dimension, "bare"), match.atoms[0].words, match.atoms[0].at)
    return [column, match.groups[2][0]]


@THRESHOLDS.rule("(rel) (dim)")
def asking_in_which(match: Match) -> list[Atom] | None:
    """In which year: the question word, not the relative one."""
    if "which" not in match.groups[0][0].words.lower():
        return None
    return [Atom("which", None, match.groups[0][0].words, match.atoms[0].at), match.groups[1][0]]


@CONTRASTS.rule("(compare_op) (dim)")
def over_groups(match: Match) -> list[Atom] | None:
    """How crimes split over the times of day."""
    if match.groups[0][0].words.lower() != "over":
        return None
    return [Atom("by", None, match.groups[0][0].words, match.atoms[0].at), match.groups[1][0]]


@CONTRASTS.rule("(share) (change)")
def share_changed(match: Match) -> Atom:
    """The percentage lost: a percent change."""
    return match.made("percent_change", match.groups[1][0].value)


@THRESHOLDS.rule("(compare_op) (num|year) (times)? (pct|share|points)?")
def compared_number(match: Match) -> Atom | None:
    """More than 500; at least 40 %."""
    if match.groups[2]:
        return None
    operator, number = match.groups[0][0].value, match.groups[1][0].value
    return match.made("thr", Threshold(operator, float(str(number)), percent=bool(match.groups[3])))  # type: ignore[arg-type]


@THRESHOLDS.rule("(num) (pct|share|points)? (or_more)")
def number_or_more(match: Match) -> Atom:
    """500 or more."""
    number, operator = match.groups[0][0].value, match.groups[2][0].value
    return match.made("thr", Threshold(operator, float(str(number)), percent=bool(match.groups[1])))  # type: ignore[arg-type]


@THRESHOLDS.rule("between (num) (pct)? and (num) (pct|share|points)?")
def number_range(match: Match) -> Atom:
    """Between 100 and 500, both included."""
    low, high = match.groups[0][0].value, match.groups[2][0].value
    percent = bool(match.groups[1] or match.groups[3])
    return match.made("thr", Threshold(">=", float(str(low)), upper=float(str(high)), percent=percent))


@CONTRASTS.rule(
    "comma? (most|least|superlative|latest|earliest) (dim|pop|change|dim_year|dim_month|count_of|num)* (ord)"
)
def sort_wish(match: Match) -> list[Atom] | None:
    """Busiest first; oldest year first: the order analysts get anyway."""
    if match.groups[2][0].value != 1 or (match.after and match.after[0].kind in {"num", "dim", "pop", "cond"}):
        return None
    word = match.groups[0][0]
    up = word.kind in {"least", "earliest"} or word.value == "asc"
    return [Atom("sorted", up, " ".join(a.words for a in match.atoms), word.at)]


@CONTRASTS.rule("order_word (by|each|comma)* (dim|pop|change|meas|count_of|named_share|share)*")
def sort_words(match: Match) -> list[Atom]:
    """In order of year."""
    return []


@CONTRASTS.rule("(cond)+ but (not|no|never|verb|rel|each|both)* (cond)+")
def contrasted(match: Match) -> list[Atom] | None:
    """Areas with homicides but no arsons; types seen in 2010 but not in 2020."""
    words = [atom.kind for atom in match.atoms]
    at = words.index("but")
    if not any(kind in {"not", "no", "never"} for kind in words) and "not" not in match.atoms[at].words:
        return None
    dates: list[Atom] = []
    if not any(map(is_calendar, match.atoms[:at])) and any(
        a.kind == "cond" and not is_calendar(a) for a in match.atoms[at:]
    ):
        dates = [atom for atom in match.atoms[at:] if is_calendar(atom)]
    first = where_of(match.atoms[:at])
    second = where_of([atom for atom in match.atoms[at:] if atom not in dates])
    return [match.made("contrast", Contrast(first, _elliptic(first, second), "without")), *dates]


@CONTRASTS.rule("both (cond) and (cond)")
def jointly(match: Match) -> Atom:
    """Areas that recorded both homicides and arsons."""
    first, second = where_of(match.groups[0]), where_of(match.groups[1])
    return match.made("contrast", Contrast(first, second, "both"))


def _elliptic(first: Predicate, second: Predicate) -> Predicate:
    """Return the second condition completed by what it leaves unsaid of the first."""
    said = columns_of(second)
    return both([*[part for part in both([first]).parts if not columns_of(part) & said], second])


@CONTRASTS.rule("never (verb|rel)* (pop|cond)+")
def never(match: Match) -> list[Atom]:
    """Types that never led to an arrest."""
    return _none_of(match)


@SHAPE.rule("no (pop|cond)+ ((verb|rel|known)* cond+)?")
def none_at_all(match: Match) -> list[Atom]:
    """Beats without any homicide; no break-in recorded in the Harrison district."""
    return _none_of(match)


@SHAPE.rule("(meas|cond|pop)+ (outnumber|compare_op) (meas|cond)+")
def one_outnumbers_other(match: Match) -> Atom:
    """Fraud cases outnumber robberies; thefts exceed batteries."""
    at = [atom.kind for atom in match.atoms].index(match.groups[1][0].kind)
    left, right = match.atoms[:at], match.atoms[at + 1 :]
    higher = narrowed(_measure_in([a for a in left if a.kind == "meas"]) or Count(), where_of(left))
    lower = narrowed(_measure_in([a for a in right if a.kind == "meas"]) or Count(), where_of(right))
    operator: Operator = ">" if match.groups[1][0].kind == "outnumber" else match.groups[1][0].value  # type: ignore[assignment]
    return match.made("having", Having(higher, operator, Reference("measure", measure=lower)))


@SHAPE.rule("(compare_op) (num) times (all)? (pop|cond|meas)* (aggregate|citywide) (dim|group|pop|meas|cond)*")
def times_average(match: Match) -> list[Atom]:
    """More than 1.4 times as many incidents as on an average day."""
    dates = [atom for atom in match.atoms if atom.kind == "cond" and is_calendar(atom)]
    measure = _measure_in([a for a in match.groups[3] if not is_calendar(a)])
    operator, number = match.groups[0][0].value, match.groups[1][0].value
    having = _against(measure, operator, match.groups[4][0])  # type: ignore[arg-type]  # checked by the model
    assert isinstance(having.value, Reference)
    factor = replace(having.value, factor=float(str(number)))
    return [match.made("having", replace(having, value=factor)), *dates]


@SHAPE.rule("(compare_op)? (twice) (all)? (pop|cond|meas)* (aggregate|citywide) (dim|group|pop|meas|cond)*")
def twice_average(match: Match) -> list[Atom]:
    """At least twice the average number of thefts."""
    dates = [atom for atom in match.atoms if atom.kind == "cond" and is_calendar(atom)]
    measure = _measure_in([a for a in (*match.groups[3], *match.groups[5]) if a.kind != "dim" and not is_calendar(a)])
    operator: Operator = ">" if "more" in match.groups[1][0].words or "over" in match.groups[1][0].words else ">="
    having = _against(measure, operator, match.groups[4][0])
    assert isinstance(having.value, Reference)
    return [match.made("having", replace(having, value=replace(having.value, factor=2.0))), *dates]


@SHAPE.rule(
    "(by_how_much)? (points)? (group)* (meas) (group)* (verb|compare_op|or|or_more|more|fewer|than|change|comma)* (citywide)"
)
def against_city(match: Match) -> list[Atom] | None:
    """By how many points each district's arrest rate lies above or below the city-wide rate."""
    kinds = {atom.kind for atom in match.groups[5]}
    if not match.groups[0] and not kinds & {"or", "or_more"} and "change" not in kinds:
        return None
    measure = measure_of(match.groups[3][0])
    return [match.made("meas", Binary("-", measure, Overall(measure))), *match.groups[2], *match.groups[4]]


@SHAPE.rule("(meas|pop|cond)* (verb)? (change|percent_change) (by)? (thr) (points)?")
def changed_by(match: Match) -> list[Atom]:
    """Went up by more than 5 percent from 2015 to 2016."""
    threshold, word = match.groups[4][0].value, match.groups[2][0]
    assert isinstance(threshold, Threshold)
    body = match.groups[0]
    measure = _measure_in([atom for atom in body if not is_calendar(atom)])
    points = bool(match.groups[5]) or "point" in match.groups[4][0].words
    percent = word.kind == "percent_change" or (threshold.percent and not points)
    change = Change(percent, str(word.value or "both"), measure, None, threshold)
    return [match.made("changed", change), *[atom for atom in body if is_calendar(atom)]]


def _none_of(match: Match) -> list[Atom]:
    own = [atom for atom in match.atoms if atom.kind == "cond" and not is_calendar(atom)]
    dates = [atom for atom in match.atoms if atom.kind == "cond" and is_calendar(atom)]
    if not own:
        own, dates = dates, []
    return [match.made("none_of", where_of(own)), *dates]


@SHAPE.rule("(count_of|by_how_much)? (more|fewer) (meas|pop|cond)+ (verb)? (cond)* than (cond|pop|meas)+")
def more_than_other(match: Match) -> Atom | list[Atom] | None:
    """More thefts than robberies; more thefts in 2021 than in 2020; how many more X than Y."""
    at = [atom.kind for atom in match.atoms].index("than")
    left, right = match.atoms[:at], match.atoms[at + 1 :]
    first, second = where_of(left), where_of(right)
    if not second.parts:
        return None
    dates = [atom for atom in right if atom.kind == "cond" and is_calendar(atom)]
    trailing: list[Atom] = []
    if dates and len(dates) < len([a for a in right if a.kind == "cond"]) and not any(map(is_calendar, left)):
        trailing, second = dates, where_of([atom for atom in right if atom not in dates])
    base = next((atom.value for atom in left if atom.kind == "meas"), Count())
    higher = narrowed(base, first)  # type: ignore[arg-type]  # a measure atom holds a measure
    lower = narrowed(base, _elliptic(first, second))  # type: ignore[arg-type]
    if any(atom.kind == "fewer" for atom in left):
        higher, lower = lower, higher
    if match.atoms[0].kind in {"count_of", "by_how_much"}:
        return [match.made("meas", Binary("-", higher, lower)), *trailing]
    return [match.made("having", Having(higher, ">", Reference("measure", measure=lower))), *trailing]


def narrowed(measure: Measure, where: Predicate) -> Measure:
    """Return a measure over only those incidents that meet a condition."""
    if isinstance(measure, Share):
        return replace(measure, whole=both([measure.whole, where]))
    if isinstance(measure, Binary):
        return replace(measure, left=narrowed(measure.left, where), right=narrowed(measure.right, where))
    if isinstance(measure, Nest):
        return replace(measure, inner=narrowed(measure.inner, where))
    if isinstance(measure, Window):
        return replace(measure, inner=narrowed(measure.inner, where))
    if isinstance(measure, Overall):
        return replace(measure, inner=narrowed(measure.inner, where))
    return replace(measure, where=both([measure.where, where]))


@SHAPE.rule(
    "(more) (pop|cond)+ (and|more|comma)+ (pop|cond)+ than (all)? (aggregate) (dim|group|pop|cond|verb|rel|all)*"
)
def both_above_average(match: Match) -> list[Atom] | None:
    """More violent crimes and also more property crimes than the average district."""
    if not any(atom.kind == "more" for atom in match.groups[2]):
        return None
    dates = [atom for atom in match.atoms if atom.kind == "cond" and is_calendar(atom)]
    made = []
    for body in (match.groups[1], match.groups[3]):
        measure = Count(where_of([atom for atom in body if not is_calendar(atom)]))
        made.append(Atom("having", _against(measure, ">", match.groups[5][0]), "more", body[0].at))
    return [*made, *dates]


@SHAPE.rule("(more|fewer) (meas|pop|cond)* than (all)? (citywide|aggregate) (dim|group|pop|cond|meas|all)?")
def more_than_average(match: Match) -> Atom:
    """More thefts than the average district; a higher arrest rate than the city."""
    measure = _measure_in(match.groups[1])
    operator: Operator = ">" if match.groups[0][0].kind == "more" else "<"
    return match.made("having", _against(measure, operator, match.groups[3][0]))


def _measure_in(atoms: list[Atom]) -> Measure | None:
    for atom in atoms:
        if atom.kind == "meas":
            return atom.value  # type: ignore[return-value]  # a measure atom holds a measure
    return Count(where_of(atoms)) if atoms else None


def _against(measure: Measure | None, operator: Operator, word: Atom) -> Having:
    kept = measure or Count()
    if isinstance(kept, Share) or (word.kind == "citywide" and not isinstance(kept, Count)):
        return Having(kept, operator, Reference("overall"))
    function = word.value if word.kind == "aggregate" else "avg"
    return Having(kept, operator, Reference("groups", function=function))  # type: ignore[arg-type]  # checked by the model


@SHAPE.rule("(meas) (verb|rel)* (compare_op|more|fewer) (than)? (all)? (citywide|aggregate) (dim|group|pop|meas|all)*")
def measure_against_average(match: Match) -> Atom:
    """An arrest rate above the citywide average."""
    word = match.groups[2][0]
    operator = {"more": ">", "fewer": "<"}.get(word.kind, word.value)
    return match.made("having", _against(_measure_in(match.groups[0]), operator, match.groups[5][0]))  # type: ignore[arg-type]


@SHAPE.rule("(meas)? (verb|rel)* (above_average|below_average) (meas|pop|cond)* (group|dim)?")
def around_average(match: Match) -> list[Atom]:
    """Above-average number of thefts; an arrest rate below average."""
    measure = _measure_in(match.groups[0]) or _measure_in([a for a in match.groups[3] if not is_calendar(a)])
    operator: Operator = ">" if match.groups[2][0].kind == "above_average" else "<"
    dates = [atom for atom in match.groups[3] if is_calendar(atom)]
    kept = Atom("aggregate", "avg")
    return [match.made("having", _against(measure, operator, kept)), *dates]


@SHAPE.rule("(thr) (all)? (distinct)? (dim)")
def threshold_distinct(match: Match) -> Atom:
    """More than five different crime types."""
    dimension, threshold = match.groups[3][0].value, match.groups[0][0].value
    assert isinstance(dimension, Dimension)
    assert isinstance(threshold, Threshold)
    return match.made("having", _having(CountDistinct(dimension), threshold))


@SHAPE.rule("(thr) (all|aggregate)? (meas)")
def threshold_measure(match: Match) -> Atom:
    """At least a 50 % arrest rate."""
    threshold = match.groups[0][0].value
    assert isinstance(threshold, Threshold)
    return match.made("having", _having(measure_of(match.groups[2][0]), threshold))


@SHAPE.rule("(verb|rel)* (cond)+ (thr) (pop|cond)+")
def share_over_threshold(match: Match) -> Atom | None:
    """Lead to an arrest in more than 90 percent of cases."""
    threshold = match.groups[2][0].value
    assert isinstance(threshold, Threshold)
    if not threshold.percent or any(is_calendar(atom) for atom in match.groups[1]):
        return None
    whole = where_of(match.groups[3])
    return match.made("having", _having(Share(where_of(match.groups[1]), whole), threshold))


@SHAPE.rule("(thr) (all)? (pop|cond|all)+ ((verb|rel)* cond+)?")
def threshold_count(match: Match) -> list[Atom]:
    """More than 500 thefts; more than 30 % of incidents led to an arrest."""
    threshold = match.groups[0][0].value
    assert isinstance(threshold, Threshold)
    if threshold.percent:
        part, whole = split_share(match.atoms[1:])
        return [match.made("having", _having(Share(where_of(part)), threshold)), *whole]
    conditions = [atom for atom in match.atoms if atom.kind == "cond"]
    own = [atom for atom in conditions if not is_calendar(atom)]
    dates = [atom for atom in conditions if is_calendar(atom)]
    if any(atom.kind in {"change", "percent_change", "changed"} for atom in (*match.before, *match.after)):
        own, dates = conditions, []
    return [match.made("having", _having(Count(where_of(own)), threshold)), *dates]


@SHAPE.rule("(meas) (cond)* (verb|rel)* (thr)")
def measure_threshold(match: Match) -> list[Atom]:
    """An arrest rate above 50 %; a number of thefts of at least 100."""
    threshold = match.groups[3][0].value
    assert isinstance(threshold, Threshold)
    return [match.made("having", _having(measure_of(match.groups[0][0]), threshold)), *match.groups[1]]


def _having(measure: Measure, threshold: Threshold) -> Having:
    return Having(measure, threshold.operator, threshold.value, threshold.upper)


@SHAPE.rule("(change) (most|least) (share) (pop|cond)*")
def lost_share(match: Match) -> list[Atom]:
    """Lost the largest percentage of incidents."""
    body = match.groups[3]
    measure = _measure_in([atom for atom in body if not is_calendar(atom)])
    change = Change(True, str(match.groups[0][0].value), measure, match.groups[1][0].kind == "most")
    return [match.made("changed", change), *[atom for atom in body if is_calendar(atom)]]


@SHAPE.rule("(meas|pop|cond)* (verb)? (change|percent_change) (most|least)")
def changed_most(match: Match) -> list[Atom]:
    """In which month the number of thefts rose the most."""
    word = match.groups[2][0]
    body = match.groups[0]
    measure = _measure_in([atom for atom in body if not is_calendar(atom)])
    change = Change(
        word.kind == "percent_change", str(word.value or "both"), measure, match.groups[3][0].kind == "most"
    )
    return [match.made("changed", change), *[atom for atom in body if is_calendar(atom)]]


@SHAPE.rule("(most|least)? (all)? (change|percent_change) (pct)? (meas|pop|cond)*")
def changed(match: Match) -> list[Atom]:
    """The largest increase in thefts; the percent change of the arrest rate."""
    word = match.groups[2][0]
    body = match.groups[4] if len(match.groups) > 4 else []
    body = [atom for atom in match.atoms[match.atoms.index(word) + 1 :] if atom.kind in {"meas", "pop", "cond"}]
    dates = [atom for atom in body if is_calendar(atom) or _coordinated(atom)]
    measure = _measure_in([atom for atom in body if atom not in dates])
    ranked = None if not match.groups[0] else match.groups[0][0].kind == "most"
    percent = word.kind == "percent_change"
    direction = str(word.value or "both")
    if percent and any(part in word.words.lower() for part in ("decrease", "drop", "decline")):
        direction = "down"
    return [match.made("changed", Change(percent, direction, measure, ranked)), *dates]


@SHAPE.rule("(ord|num)? (most|least|superlative|top) (num)? (distinct|count_of)* (meas)")
def ranked_measure(match: Match) -> list[Atom]:
    """The highest arrest rate; the second lowest number of thefts."""
    return [
        *_position(match, match.groups[0], match.groups[2]),
        _ranking(match, match.groups[1][0], match.groups[4][0]),
    ]


@SHAPE.rule("(most|least) (distinct|count_of)+ (dim)")
def ranked_distinct(match: Match) -> Atom:
    """The most different crime types."""
    dimension = match.groups[2][0].value
    assert isinstance(dimension, Dimension)
    return match.made("ranking", Ranking(match.groups[0][0].kind == "most", CountDistinct(dimension)))


@SHAPE.rule("(ord|num)? (most|least) (num)? (cond|pop)+")
def ranked_count(match: Match) -> list[Atom]:
    """The most thefts; the fewest domestic incidents."""
    conditions = [atom for atom in match.atoms if atom.kind == "cond"]
    own = [atom for atom in conditions if not is_calendar(atom)]
    dates = [atom for atom in conditions if is_calendar(atom)]
    count = Atom("meas", Count(where_of(own)))
    return [*_position(match, match.groups[0], match.groups[2]), _ranking(match, match.groups[1][0], count), *dates]


@SHAPE.rule("(which)? (ord|num)? (superlative|top|most|least) (num)? (name)? (dim) (name|code)?")
def ranked_dimension(match: Match) -> list[Atom]:
    """The most common crime type; the top 5 districts; the three busiest hours."""
    word = match.groups[2][0]
    target = match.groups[5][0]
    marker = [*match.groups[6], *match.groups[4]]
    made = [
        *_position(match, match.groups[1], match.groups[3]),
        Atom("ranking", Ranking(_descends(word)), match.groups[2][0].words, match.atoms[0].at),
        Atom("group", Grouping(shown(target.value, marker), "which"), target.words, target.at),
    ]
    return made


@SHAPE.rule("(ord) (num)? (dim)")
def first_rows(match: Match) -> list[Atom] | None:
    """The first 5 crime types."""
    if not match.groups[1] or match.groups[0][0].value != 1:
        return None
    target = match.groups[2][0]
    limit = Atom("limit", match.groups[1][0].value)
    return [limit, Atom("group", Grouping(shown(target.value, []), "which"), target.words, target.at)]


def shown(dimension: object, marker: list[Atom]) -> Dimension:
    """Return a dimension shown by name or by code, as the question says."""
    assert isinstance(dimension, Dimension)
    if dimension.lookup is None or not marker:
        return dimension
    return replace(dimension, named=marker[0].kind == "name")


@SHAPE.rule("(top) (num)")
def top_rows(match: Match) -> list[Atom]:
    """Give the top 10."""
    word = match.groups[0][0]
    return [Atom("ranking", Ranking(_descends(word)), word.words, word.at), Atom("limit", match.groups[1][0].value)]


@SHAPE.rule("(superlative|most|least)")
def ranked_alone(match: Match) -> Atom:
    """Which crime type is most common."""
    return match.made("ranking", Ranking(_descends(match.atoms[0])))


def _descends(word: Atom) -> bool:
    return word.kind == "most" or (word.kind in {"superlative", "top"} and word.value == "desc")


def _ranking(match: Match, word: Atom, measure: Atom) -> Atom:
    return match.made("ranking", Ranking(_descends(word), measure_of(measure)))


def _position(match: Match, before: list[Atom], after: list[Atom]) -> list[Atom]:
    made = []
    for atom in [*before, *after]:
        made.append(Atom("nth" if atom.kind == "ord" else "limit", atom.value, atom.words, atom.at))
    return made


@SHAPE.rule("(num)? (latest|earliest|ord) (num)? (pop|cond)+")
def newest(match: Match) -> list[Atom] | None:
    """The 10 most recent homicides; the first arson."""
    word = match.groups[1][0]
    if word.kind == "ord" and word.value != 1:
        return None
    number = [*match.groups[0], *match.groups[2]]
    limit = int(str(number[0].value)) if number else None
    conditions = [atom for atom in match.atoms if atom.kind == "cond"]
    return [match.made("recent", Recent(word.kind == "latest", limit)), *conditions]


@SHAPE.rule("(which) (num)? (all)? (distinct)? (name)? (dim) (name|code)?")
def asked_dimension(match: Match) -> list[Atom]:
    """Which 5 districts; what community areas by name."""
    target = match.groups[5][0]
    made = [Atom("limit", match.groups[1][0].value)] if match.groups[1] else []
    marker = [*match.groups[6], *match.groups[4]]
    return [*made, Atom("group", Grouping(shown(target.value, marker), "which"), target.words, target.at)]


@SHAPE.rule("(num) (dim) (moving)")
def moving_size(match: Match) -> list[Atom]:
    """A 3-month moving average."""
    along = match.groups[1][0]
    assert isinstance(along.value, Dimension)
    return [
        match.made("moving", match.groups[0][0].value),
        Atom("group", Grouping(along.value, "period"), "", along.at),
    ]


@SHAPE.rule("(cond|pop)+ (verb)* (thr)")
def count_threshold(match: Match) -> list[Atom] | None:
    """In which years homicides exceeded 20."""
    threshold = match.groups[2][0].value
    assert isinstance(threshold, Threshold)
    if threshold.percent:
        return None
    own = [atom for atom in match.groups[0] if not is_calendar(atom)]
    dates = [atom for atom in match.groups[0] if is_calendar(atom)]
    return [match.made("having", _having(Count(where_of(own)), threshold)), *dates]


@SHAPE.rule("(num) (dim) (name|code)?")
def some_groups(match: Match) -> list[Atom]:
    """Three districts: as many rows."""
    target = match.groups[1][0]
    limit = Atom("limit", match.groups[0][0].value)
    return [limit, Atom("group", Grouping(shown(target.value, match.groups[2]), "which"), target.words, target.at)]


@SHAPE.rule("(distinct|all|name)* (dim) (name|code)?")
def bare_dimension(match: Match) -> Atom:
    """Districts and their counts."""
    target = match.groups[1][0]
    before = [atom for atom in match.atoms if atom.kind == "name" and atom.at < target.at]
    dimension = shown(target.value, [*match.groups[2], *before])
    return Atom("group", Grouping(dimension, "bare"), target.words, target.at)
