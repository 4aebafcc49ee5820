"""Composition rules for thresholds on a measure of groups."""

from agent.semantic.algebra import Count, CountDistinct, Dimension, Having, Measure, Reference, Share
from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Threshold
from agent.semantic.rules.bodies import is_calendar, measure_of, where_of
from agent.semantic.rules.shares import split_share

LIMITS = RuleBook()


@LIMITS.rule("(thr) (all)? (distinct)? (dim)")
def threshold_distinct(match: Match) -> Atom:
    """More than five different crime types."""
    dimension, threshold = match.groups[3][0].value, match.groups[0][0].value
    assert isinstance(dimension, Dimension)
    assert isinstance(threshold, Threshold)
    return match.made("having", having_of(CountDistinct(dimension), threshold))


@LIMITS.rule("(thr) (all|aggregate)? (meas)")
def threshold_measure(match: Match) -> Atom:
    """At least a 50 % arrest rate."""
    threshold = match.groups[0][0].value
    assert isinstance(threshold, Threshold)
    return match.made("having", having_of(measure_of(match.groups[2][0]), threshold))


@LIMITS.rule("(verb|rel)* (cond)+ (thr) (pop|cond)+")
def share_over_threshold(match: Match) -> Atom | None:
    """Lead to an arrest in more than 90 percent of cases."""
    threshold = match.groups[2][0].value
    assert isinstance(threshold, Threshold)
    if not threshold.percent or any(is_calendar(atom) for atom in match.groups[1]):
        return None
    whole = where_of(match.groups[3])
    return match.made("having", having_of(Share(where_of(match.groups[1]), whole), threshold))


@LIMITS.rule("(thr) (all)? (pop|cond|all)+ ((verb|rel)* cond+)?")
def threshold_count(match: Match) -> list[Atom] | None:
    """More than 500 thefts; more than 30 % of incidents led to an arrest."""
    threshold = match.groups[0][0].value
    assert isinstance(threshold, Threshold)
    if all(atom.kind in {"thr", "verb", "rel"} or is_calendar(atom) for atom in match.atoms):
        return None
    if threshold.percent and not any(atom.kind == "cond" and not is_calendar(atom) for atom in match.atoms):
        share = Reference("overall", factor=float(str(threshold.value)) / 100)
        dates = [atom for atom in match.atoms if atom.kind == "cond"]
        return [match.made("having", Having(Count(), threshold.operator, share)), *dates]
    if threshold.percent:
        part, whole = split_share(match.atoms[1:])
        return [match.made("having", having_of(Share(where_of(part)), threshold)), *whole]
    conditions = [atom for atom in match.atoms if atom.kind == "cond"]
    own = [atom for atom in conditions if not is_calendar(atom)]
    dates = [atom for atom in conditions if is_calendar(atom)]
    if any(atom.kind in {"change", "percent_change", "changed"} for atom in (*match.before, *match.after)):
        own, dates = conditions, []
    return [match.made("having", having_of(Count(where_of(own)), threshold)), *dates]


@LIMITS.rule("(meas) (cond)* (verb|rel)* (thr)")
def measure_threshold(match: Match) -> list[Atom]:
    """An arrest rate above 50 %; a number of thefts of at least 100."""
    threshold = match.groups[3][0].value
    assert isinstance(threshold, Threshold)
    return [match.made("having", having_of(measure_of(match.groups[0][0]), threshold)), *match.groups[1]]


def having_of(measure: Measure, threshold: Threshold) -> Having:
    """Return the condition that a measure meets a threshold."""
    return Having(measure, threshold.operator, threshold.value, threshold.upper)
