"""Composition rules for changes between spans and along time."""

from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.rules.bodies import is_calendar, is_coordinated, measure_in
from agent.semantic.rules.wishes import Change

CHANGES = RuleBook()


@CHANGES.rule("(change) (most|least) (share) (pop|cond)*")
def lost_share(match: Match) -> list[Atom]:
    """Lost the largest percentage of incidents."""
    body = match.groups[3]
    measure = measure_in([atom for atom in body if not is_calendar(atom)])
    change = Change(True, str(match.groups[0][0].value), measure, match.groups[1][0].kind == "most")
    return [match.made("changed", change), *[atom for atom in body if is_calendar(atom)]]


@CHANGES.rule("(meas|pop|cond)* (verb)? (change|percent_change) (most|least)")
def changed_most(match: Match) -> list[Atom]:
    """In which month the number of thefts rose the most."""
    word = match.groups[2][0]
    body = match.groups[0]
    measure = measure_in([atom for atom in body if not is_calendar(atom)])
    change = Change(
        word.kind == "percent_change", str(word.value or "both"), measure, match.groups[3][0].kind == "most"
    )
    return [match.made("changed", change), *[atom for atom in body if is_calendar(atom)]]


@CHANGES.rule("(most|least)? (all)? (change|percent_change) (pct)? (meas|pop|cond)*")
def changed(match: Match) -> list[Atom]:
    """The largest increase in thefts; the percent change of the arrest rate."""
    word = match.groups[2][0]
    body = match.groups[4] if len(match.groups) > 4 else []
    body = [atom for atom in match.atoms[match.atoms.index(word) + 1 :] if atom.kind in {"meas", "pop", "cond"}]
    dates = [atom for atom in body if is_calendar(atom) or is_coordinated(atom)]
    measure = measure_in([atom for atom in body if atom not in dates])
    ranked = None if not match.groups[0] else match.groups[0][0].kind == "most"
    percent = word.kind == "percent_change"
    direction = str(word.value or "both")
    if percent and any(part in word.words.lower() for part in ("decrease", "drop", "decline")):
        direction = "down"
    return [match.made("changed", Change(percent, direction, measure, ranked)), *dates]
