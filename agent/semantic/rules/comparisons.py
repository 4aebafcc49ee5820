"""Composition rules that compare a group with another group, another measure or the average."""

from dataclasses import replace

from agent.semantic.algebra import Binary, Count, Having, Measure, Overall, Reference, Share
from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import CALENDAR_COLUMNS, Grouping, Threshold
from agent.semantic.model import load_model
from agent.semantic.predicates import Operator, both, columns_of
from agent.semantic.rules.bodies import completed, is_calendar, measure_in, measure_of, narrowed, none_of, where_of
from agent.semantic.rules.wishes import Change

COMPARISONS = RuleBook()


@COMPARISONS.rule("(code) (comma|and)+ (dim|name)")
def id_column(match: Match) -> list[Atom]:
    """Show ID and date."""
    dimension = load_model().dimensions["id"]
    column = Atom("group", Grouping(dimension, "bare"), match.atoms[0].words, match.atoms[0].at)
    return [column, match.groups[2][0]]


@COMPARISONS.rule("no (pop|cond)+ ((verb|rel|known)* cond+)?")
def none_at_all(match: Match) -> list[Atom]:
    """Beats without any homicide; no break-in recorded in the Harrison district."""
    return none_of(match)


@COMPARISONS.rule("(meas|cond|pop)+ (outnumber|compare_op) (meas|cond)+")
def one_outnumbers_other(match: Match) -> Atom | None:
    """Fraud cases outnumber robberies; thefts exceed batteries."""
    word = match.groups[1][0]
    if word.kind == "compare_op" and not word.words.lower().startswith(("exceed", "surpass")):
        return None
    at = [atom.kind for atom in match.atoms].index(match.groups[1][0].kind)
    left, right = match.atoms[:at], match.atoms[at + 1 :]
    higher = narrowed(measure_in([a for a in left if a.kind == "meas"]) or Count(), where_of(left))
    lower = narrowed(measure_in([a for a in right if a.kind == "meas"]) or Count(), where_of(right))
    operator: Operator = ">" if match.groups[1][0].kind == "outnumber" else match.groups[1][0].value  # type: ignore[assignment]
    return match.made("having", Having(higher, operator, Reference("measure", measure=lower)))


@COMPARISONS.rule("(compare_op) (num) times (all)? (pop|cond|meas)* (aggregate|citywide) (dim|group|pop|meas|cond)*")
def times_average(match: Match) -> list[Atom]:
    """More than 1.4 times as many incidents as on an average day."""
    dates = [atom for atom in match.atoms if atom.kind == "cond" and is_calendar(atom)]
    measure = measure_in([a for a in match.groups[3] if not is_calendar(a)])
    operator, number = match.groups[0][0].value, match.groups[1][0].value
    having = _against(measure, operator, match.groups[4][0])  # type: ignore[arg-type]  # checked by the model
    assert isinstance(having.value, Reference)
    factor = replace(having.value, factor=float(str(number)))
    return [match.made("having", replace(having, value=factor)), *dates]


@COMPARISONS.rule("(compare_op)? (twice) (all)? (pop|cond|meas)* (aggregate|citywide) (dim|group|pop|meas|cond)*")
def twice_average(match: Match) -> list[Atom]:
    """At least twice the average number of thefts."""
    dates = [atom for atom in match.atoms if atom.kind == "cond" and is_calendar(atom)]
    measure = measure_in([a for a in (*match.groups[3], *match.groups[5]) if a.kind != "dim" and not is_calendar(a)])
    operator: Operator = ">" if "more" in match.groups[1][0].words or "over" in match.groups[1][0].words else ">="
    having = _against(measure, operator, match.groups[4][0])
    assert isinstance(having.value, Reference)
    return [match.made("having", replace(having, value=replace(having.value, factor=2.0))), *dates]


@COMPARISONS.rule(
    "(by_how_much)? (points)? (group)* (meas) (group)* "
    "(verb|compare_op|or|or_more|more|fewer|than|change|comma)* (citywide)"
)
def against_city(match: Match) -> list[Atom] | None:
    """By how many points each district's arrest rate lies above or below the city-wide rate."""
    kinds = {atom.kind for atom in match.groups[5]}
    if not match.groups[0] and not kinds & {"or", "or_more"} and "change" not in kinds:
        return None
    measure = measure_of(match.groups[3][0])
    return [match.made("meas", Binary("-", measure, Overall(measure))), *match.groups[2], *match.groups[4]]


@COMPARISONS.rule("(meas|pop|cond)* (verb)? (change|percent_change) (by)? (thr) (points)?")
def changed_by(match: Match) -> list[Atom]:
    """Went up by more than 5 percent from 2015 to 2016."""
    threshold, word = match.groups[4][0].value, match.groups[2][0]
    assert isinstance(threshold, Threshold)
    body = match.groups[0]
    measure = measure_in([atom for atom in body if not is_calendar(atom)])
    points = bool(match.groups[5]) or "point" in match.groups[4][0].words
    percent = word.kind == "percent_change" or (threshold.percent and not points)
    change = Change(percent, str(word.value or "both"), measure, None, threshold)
    return [match.made("changed", change), *[atom for atom in body if is_calendar(atom)]]


@COMPARISONS.rule("(count_of|by_how_much)? (more|fewer) (meas|pop|cond)+ (verb)? (cond)* than (cond|pop|meas)+")
def more_than_other(match: Match) -> Atom | list[Atom] | None:
    """More thefts than robberies; more thefts in 2021 than in 2020; how many more X than Y."""
    at = [atom.kind for atom in match.atoms].index("than")
    left, right = match.atoms[:at], match.atoms[at + 1 :]
    first, second = where_of(left), where_of(right)
    if not columns_of(second):
        return None
    dates = [atom for atom in right if atom.kind == "cond" and is_calendar(atom)]
    trailing: list[Atom] = []
    if dates and len(dates) < len([a for a in right if a.kind == "cond"]) and not any(map(is_calendar, left)):
        trailing, second = dates, where_of([atom for atom in right if atom not in dates])
    # "In July than in January 2012": the year said last counts for both.
    unsaid = [leaf for leaf in both([second]).parts if columns_of(leaf) <= CALENDAR_COLUMNS - columns_of(first)]
    if columns_of(first) & CALENDAR_COLUMNS:
        first = both([first, *unsaid])
    base = next((atom.value for atom in left if atom.kind == "meas"), Count())
    higher = narrowed(base, first)  # type: ignore[arg-type]  # a measure atom holds a measure
    lower = narrowed(base, completed(first, second))  # type: ignore[arg-type]
    if any(atom.kind == "fewer" for atom in left):
        higher, lower = lower, higher
    if match.atoms[0].kind in {"count_of", "by_how_much"}:
        return [match.made("meas", Binary("-", higher, lower)), *trailing]
    return [match.made("having", Having(higher, ">", Reference("measure", measure=lower))), *trailing]


@COMPARISONS.rule(
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


@COMPARISONS.rule("(more|fewer) (meas|pop|cond)* than (all)? (citywide|aggregate) (dim|group|pop|cond|meas|all)?")
def more_than_average(match: Match) -> Atom:
    """More thefts than the average district; a higher arrest rate than the city."""
    measure = measure_in(match.groups[1])
    operator: Operator = ">" if match.groups[0][0].kind == "more" else "<"
    return match.made("having", _against(measure, operator, match.groups[3][0]))


def _against(measure: Measure | None, operator: Operator, word: Atom) -> Having:
    kept = measure or Count()
    if isinstance(kept, Share) or (word.kind == "citywide" and not isinstance(kept, Count)):
        return Having(kept, operator, Reference("overall"))
    function = word.value if word.kind == "aggregate" else "avg"
    return Having(kept, operator, Reference("groups", function=function))  # type: ignore[arg-type]  # checked by the model


@COMPARISONS.rule(
    "(meas) (verb|rel)* (compare_op|more|fewer) (than)? (all)? (citywide|aggregate) (dim|group|pop|meas|all)*"
)
def measure_against_average(match: Match) -> Atom:
    """An arrest rate above the citywide average."""
    word = match.groups[2][0]
    operator = {"more": ">", "fewer": "<"}.get(word.kind, word.value)
    return match.made("having", _against(measure_in(match.groups[0]), operator, match.groups[5][0]))  # type: ignore[arg-type]


@COMPARISONS.rule("(meas)? (verb|rel)* (above_average|below_average) (meas|pop|cond)* (group|dim)?")
def around_average(match: Match) -> list[Atom]:
    """Above-average number of thefts; an arrest rate below average."""
    measure = measure_in(match.groups[0]) or measure_in([a for a in match.groups[3] if not is_calendar(a)])
    operator: Operator = ">" if match.groups[2][0].kind == "above_average" else "<"
    dates = [atom for atom in match.groups[3] if is_calendar(atom)]
    kept = Atom("aggregate", "avg")
    return [match.made("having", _against(measure, operator, kept)), *dates]
