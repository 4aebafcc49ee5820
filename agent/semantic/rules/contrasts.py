"""Composition rules for wishes to sort, contrasts of groups, and groups without any incident of a kind."""

from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.rules.bodies import completed, is_calendar, none_of, where_of
from agent.semantic.rules.wishes import Contrast

CONTRASTS = RuleBook()


@CONTRASTS.rule("(compare_op) (cond)")
def under_heading(match: Match) -> Atom | None:
    """Codes that appear under narcotics."""
    return match.groups[1][0] if match.groups[0][0].words.lower() == "under" else None


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
def sort_words(_match: Match) -> list[Atom]:
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
    return [match.made("contrast", Contrast(first, completed(first, second), "without")), *dates]


@CONTRASTS.rule("both (cond) and (cond)")
def jointly(match: Match) -> Atom:
    """Areas that recorded both homicides and arsons."""
    first, second = where_of(match.groups[0]), where_of(match.groups[1])
    return match.made("contrast", Contrast(first, second, "both"))


@CONTRASTS.rule("never (verb|rel)* (pop|cond)+")
def never(match: Match) -> list[Atom]:
    """Types that never led to an arrest."""
    return none_of(match)
