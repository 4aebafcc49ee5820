"""Composition rules for question words and thresholds."""

from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Threshold
from agent.semantic.model import load_model

NUMBERS = RuleBook()


@NUMBERS.rule("(rel)")
def asking_where(match: Match) -> list[Atom] | None:
    """Where do most robberies happen."""
    if match.before or match.atoms[0].words.lower() != "where":
        return None
    location = load_model().dimensions["location"]
    return [Atom("which", None, "Where", match.atoms[0].at), Atom("dim", location, "Where", match.atoms[0].at)]


@NUMBERS.rule("(rel) (dim)")
def asking_in_which(match: Match) -> list[Atom] | None:
    """In which year: the question word, not the relative one."""
    if "which" not in match.groups[0][0].words.lower():
        return None
    return [Atom("which", None, match.groups[0][0].words, match.atoms[0].at), match.groups[1][0]]


@NUMBERS.rule("(compare_op) (num|year) (times)? (pct|share|points)?")
def compared_number(match: Match) -> Atom | None:
    """More than 500; at least 40 %."""
    if match.groups[2]:
        return None
    operator, number = match.groups[0][0].value, match.groups[1][0].value
    return match.made("thr", Threshold(operator, float(str(number)), percent=bool(match.groups[3])))  # type: ignore[arg-type]


@NUMBERS.rule("(num) (pct|share|points)? (or_more)")
def number_or_more(match: Match) -> Atom:
    """500 or more."""
    number, operator = match.groups[0][0].value, match.groups[2][0].value
    return match.made("thr", Threshold(operator, float(str(number)), percent=bool(match.groups[1])))  # type: ignore[arg-type]


@NUMBERS.rule("between (num) (pct)? and (num) (pct|share|points)?")
def number_range(match: Match) -> Atom:
    """Between 100 and 500, both included."""
    low, high = match.groups[0][0].value, match.groups[2][0].value
    percent = bool(match.groups[1] or match.groups[3])
    return match.made("thr", Threshold(">=", float(str(low)), upper=float(str(high)), percent=percent))
