"""Composition rules for conditions: negation, lists of values, adjectives."""

from dataclasses import replace

from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import TIME_COLUMNS, Condition
from agent.semantic.predicates import All, AnyOf, Predicate, both, negate, one_of, values_of

FILTERS = RuleBook()


@FILTERS.rule("(not) (verb|rel)* (cond) ((comma|and|or)+ cond)*")
def negated(match: Match) -> Atom | list[Atom] | None:
    """Not domestic; excluding thefts and batteries; other than in 2020."""
    conditions = [atom.value for atom in match.atoms if atom.kind == "cond"]
    known = [condition for condition in conditions if isinstance(condition, Condition)]
    if len({condition.columns for condition in known}) > 1:
        rest = match.atoms[match.atoms.index(match.groups[2][0]) + 1 :]
        first = Condition(negate(known[0].predicate), label=f"not {known[0].label}")
        return [match.made("cond", first), *rest]
    predicate = both(negate(condition.predicate) for condition in known)
    return match.made("cond", Condition(predicate, label="not " + ", ".join(c.label for c in known)))


@FILTERS.rule("(cond) (compare) (cond)")
def set_against(match: Match) -> list[Atom] | None:
    """Weekends compared with weekdays: two values of one column."""
    conditions = [atom.value for atom in match.atoms if isinstance(atom.value, Condition)]
    if not _same_column(conditions):
        return None
    label = " or ".join(condition.label for condition in conditions)
    joined = Condition(_joined(conditions), any(c.noun for c in conditions), label, coordinated=True)
    return [match.groups[1][0], match.made("cond", joined)]


@FILTERS.rule("(cond) ((comma|and|or|both)* (and|or|comma) cond)+")
def listed(match: Match) -> Atom | list[Atom] | None:
    """Thefts, burglaries and robberies; Mondays or Tuesdays: values of one column are joined."""
    conditions = [atom.value for atom in match.atoms if atom.kind == "cond"]
    known = [condition for condition in conditions if isinstance(condition, Condition)]
    if any(atom.kind == "or" for atom in match.atoms) and not _same_column(known):
        predicate: Predicate = AnyOf(tuple(condition.predicate for condition in known))
        return match.made("cond", Condition(predicate, label=" or ".join(c.label for c in known), coordinated=True))
    size = _prefix(known)
    if size < 2:
        return None
    label = " or ".join(condition.label for condition in known[:size] if condition.label)
    joined = Condition(_joined(known[:size]), any(c.noun for c in known), label, coordinated=True)
    end = [index for index, atom in enumerate(match.atoms) if atom.kind == "cond"][size - 1] + 1
    part = Match(match.atoms[:end], (), match.before, ())
    return [part.made("cond", joined), *match.atoms[end:]]


def _same_column(conditions: list[Condition]) -> bool:
    return _prefix(conditions) == len(conditions)


def _prefix(conditions: list[Condition]) -> int:
    """Return how many conditions from the start can be joined: plain values of one column."""
    first = conditions[0]
    for size, condition in enumerate(conditions):
        joinable = (len(condition.columns) == 1 or condition.is_calendar) and _plain(condition.predicate)
        if condition.columns != first.columns or not joinable or condition.columns == {"ARREST"}:
            return size
    return len(conditions)


def _plain(predicate: Predicate) -> bool:
    return values_of(predicate) is not None or isinstance(predicate, AnyOf) or _is_span(predicate)


def _is_span(predicate: Predicate) -> bool:
    return isinstance(predicate, All) and len(predicate.parts) > 0


def _joined(conditions: list[Condition]) -> Predicate:
    lists = [values_of(condition.predicate) for condition in conditions]
    if all(values is not None for values in lists):
        (column,) = conditions[0].columns
        return one_of(column, [value for values in lists if values for value in values])
    return AnyOf(tuple(condition.predicate for condition in conditions))


@FILTERS.rule("cond pop+")
def adjective(match: Match) -> Atom | None:
    """Domestic incidents; theft cases: the condition names incidents by itself."""
    condition = match.atoms[0].value
    assert isinstance(condition, Condition)
    if condition.columns <= TIME_COLUMNS:
        return None
    return match.made("cond", replace(condition, noun=True))
