"""Composition rules for shares and rates."""

from collections.abc import Sequence

from agent.semantic.algebra import Count, Share
from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Condition, Grouping
from agent.semantic.rules.bodies import conditions_in, is_calendar, where_of

SHARES = RuleBook()


@SHARES.rule("named_share (cond)*")
def named_share(match: Match) -> list[Atom]:
    """The arrest rate."""
    name_and_part = match.atoms[0].value
    assert isinstance(name_and_part, tuple)
    return [Match(match.atoms[:1], (), (), ()).made("meas", Share(name_and_part[1])), *match.atoms[1:]]


@SHARES.rule("(share) (pop|cond)+ (comma|and)+ (share) (pop|cond)+ (verb|rel)+ (cond)+")
def two_shares(match: Match) -> list[Atom]:
    """What percentage of car thefts and what percentage of robberies end in an arrest."""
    part = where_of(match.groups[6])
    made = [
        Atom("meas", Share(part, where_of(body)), " ".join(a.words for a in body), body[0].at)
        for body in (match.groups[1], match.groups[4])
    ]
    return list(made)


@SHARES.rule("(pop) (comma|and)+ (cond)")
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


@SHARES.rule("(share|fraction) (all)? (pop|cond|group|all|rel|verb)+")
def share(match: Match) -> list[Atom] | None:
    """What percentage of thefts led to an arrest; the share of domestic incidents."""
    body = match.atoms[1:]
    groups = [atom for atom in body if atom.kind == "group"]
    part, whole = split_share(body)
    if _of_leading_groups(match, body) or _spread(body) or _owned(match) or _of_one_type(body):
        word = match.groups[0][0]
        spread = Atom("share_total", None, word.words, word.at)
        return [spread, *groups, *[atom for atom in body if atom.kind == "cond"]]
    if not part:
        return None
    percent = match.groups[0][0].kind == "share"
    made = Match([match.atoms[0]], (), (), ()).made("meas", Share(where_of(part), percent=percent))
    return [made, *groups, *[Atom("cond", atom.value, atom.words, atom.at) for atom in whole]]


def _of_one_type(body: Sequence[Atom]) -> bool:
    """Whether one crime type is spread over groups by: the percentage of homicides by season (but not by year)."""
    groups = [atom.value for atom in body if isinstance(atom.value, Grouping)]
    telling = [condition for condition in conditions_in(body) if not condition.is_calendar]
    verbs = any(atom.kind in {"verb", "rel"} for atom in body)
    plain = bool(groups) and all(group.role == "by" and group.dimension.name != "year" for group in groups)
    return plain and not verbs and len(telling) == 1 and telling[0].columns == {"CRIME_TYPE"}


def _owned(match: Match) -> bool:
    """Whether the share is that of each group: each ward's share of all thefts."""
    owner = match.before[-1] if match.before else None
    return owner is not None and owner.kind == "group" and owner.words.rstrip().endswith(("'s", "s'"))


def _spread(body: Sequence[Atom]) -> bool:
    """Whether the share is spread over groups: what percentage of thefts occurred in each season."""
    kinds = [atom.kind for atom in body]
    ends = [n for n in range(1, len(kinds)) if kinds[n] == "group" and kinds[n - 1] in {"verb", "rel"}]
    return bool(ends) and all(atom.kind != "cond" or is_calendar(atom) for atom in body[ends[0] :])


def _of_leading_groups(match: Match, body: Sequence[Atom]) -> bool:
    """Whether the share is that of the first few groups together: of all murders, in the five areas with the most."""
    kinds = [atom.kind for atom in match.after]
    leading = bool({"most", "least", "superlative", "top"} & set(kinds)) and "num" in kinds[:4]
    named = any(atom.kind in {"verb", "rel"} for atom in body[:-1]) or any(atom.kind == "dim" for atom in match.before)
    return leading and not named and not any(atom.kind == "group" for atom in (*match.before, *body))


def split_share(body: Sequence[Atom]) -> tuple[list[Atom], list[Atom]]:
    """Return the conditions of the part and those of the whole.

    The part is what stands after the last verb that something other than a date follows; without such a verb it is the
    condition that stands alone, or those after the first.
    """
    for index in range(len(body) - 1, -1, -1):
        if body[index].kind not in {"verb", "rel"}:
            continue
        after = [atom for atom in body[index + 1 :] if atom.kind == "cond"]
        before = [atom for atom in body[:index] if atom.kind == "cond"]
        telling = [atom for atom in after if not is_calendar(atom)]
        if telling:
            return telling, before + [atom for atom in after if is_calendar(atom)]
        if after and not before:
            return after, []
    conditions = [atom for atom in body if atom.kind == "cond"]
    telling = [atom for atom in conditions if not is_calendar(atom)]
    dates = [atom for atom in conditions if is_calendar(atom)]
    if len(telling) > 1 and body[0].kind == "cond":
        return telling[1:], [telling[0], *dates]
    return telling, dates
