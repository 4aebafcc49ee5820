"""Composition rules for rankings: the most, the top five, the second highest."""

from agent.semantic.algebra import Count, CountDistinct, Dimension, Share
from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Condition, Grouping, Ranking
from agent.semantic.model import load_model
from agent.semantic.rules.bodies import is_calendar, measure_of, shown, where_of

RANKINGS = RuleBook()


@RANKINGS.rule("(ord|num)? (most|least|superlative|top) (num)? (distinct|count_of)* (meas)")
def ranked_measure(match: Match) -> list[Atom]:
    """The highest arrest rate; the second lowest number of thefts."""
    return [
        *_position(match.groups[0], match.groups[2]),
        _ranking(match, match.groups[1][0], match.groups[4][0]),
    ]


@RANKINGS.rule("(most|least) (distinct|count_of)+ (dim)")
def ranked_distinct(match: Match) -> Atom:
    """The most different crime types."""
    dimension = match.groups[2][0].value
    assert isinstance(dimension, Dimension)
    return match.made("ranking", Ranking(match.groups[0][0].kind == "most", CountDistinct(dimension)))


@RANKINGS.rule("(ord|num)? (most|least) (num)? (cond|pop)+")
def ranked_count(match: Match) -> list[Atom]:
    """The most thefts; the fewest domestic incidents."""
    conditions = [atom for atom in match.atoms if atom.kind == "cond"]
    own = [atom for atom in conditions if not is_calendar(atom)]
    dates = [atom for atom in conditions if is_calendar(atom)]
    count = Atom("meas", Count(where_of(own)))
    return [*_position(match.groups[0], match.groups[2]), _ranking(match, match.groups[1][0], count), *dates]


@RANKINGS.rule("(superlative) (verb|rel)* (cond)")
def ranked_share(match: Match) -> Atom | None:
    """Which crime types are most often domestic; most likely to end in an arrest."""
    condition = match.groups[2][0].value
    assert isinstance(condition, Condition)
    if not condition.columns <= {"ARREST", "DOMESTIC", "IS_INDEX_CRIME"}:
        return None
    return match.made("ranking", Ranking(_descends(match.groups[0][0]), Share(condition.predicate)))


@RANKINGS.rule("(which)? (num|ord)? (superlative) (num)? (pop)")
def ranked_crime(match: Match) -> list[Atom] | None:
    """The most common crime: its type is meant."""
    word = match.groups[2][0]
    if "common" not in word.words.lower() and "frequent" not in word.words.lower():
        return None
    kind = Grouping(load_model().dimensions["crime_type"], "which")
    return [
        *_position(match.groups[1], match.groups[3]),
        Atom("ranking", Ranking(_descends(word)), word.words, word.at),
        Atom("group", kind, match.groups[4][0].words, match.groups[4][0].at),
    ]


@RANKINGS.rule("(which)? (ord|num)? (superlative|top|most|least) (num)? (name)? (dim) (name|code)?")
def ranked_dimension(match: Match) -> list[Atom]:
    """The most common crime type; the top 5 districts; the three busiest hours."""
    word = match.groups[2][0]
    target = match.groups[5][0]
    if word.kind in {"most", "least"} and any(atom.kind in {"which", "group"} for atom in match.before):
        assert isinstance(target.value, Dimension)
        return [match.made("ranking", Ranking(word.kind == "most", CountDistinct(target.value)))]
    marker = [*match.groups[6], *match.groups[4]]
    return [
        *_position(match.groups[1], match.groups[3]),
        Atom("ranking", Ranking(_descends(word)), match.groups[2][0].words, match.atoms[0].at),
        Atom("group", Grouping(shown(target.value, marker), "which"), target.words, target.at),
    ]


@RANKINGS.rule("(ord) (num)? (dim)")
def first_rows(match: Match) -> list[Atom] | None:
    """The first 5 crime types."""
    if not match.groups[1] or match.groups[0][0].value != 1:
        return None
    target = match.groups[2][0]
    limit = Atom("limit", match.groups[1][0].value)
    return [limit, Atom("group", Grouping(shown(target.value, []), "which"), target.words, target.at)]


@RANKINGS.rule("(top) (num)")
def top_rows(match: Match) -> list[Atom]:
    """Give the top 10."""
    word = match.groups[0][0]
    return [Atom("ranking", Ranking(_descends(word)), word.words, word.at), Atom("limit", match.groups[1][0].value)]


@RANKINGS.rule("(superlative|most|least)")
def ranked_alone(match: Match) -> Atom:
    """Which crime type is most common."""
    return match.made("ranking", Ranking(_descends(match.atoms[0])))


def _descends(word: Atom) -> bool:
    return word.kind == "most" or (word.kind in {"superlative", "top"} and word.value == "desc")


def _ranking(match: Match, word: Atom, measure: Atom) -> Atom:
    return match.made("ranking", Ranking(_descends(word), measure_of(measure)))


def _position(before: list[Atom], after: list[Atom]) -> list[Atom]:
    made = []
    for atom in [*before, *after]:
        made.append(Atom("nth" if atom.kind == "ord" else "limit", atom.value, atom.words, atom.at))
    return made
