"""Every number of an answer is looked up; one that nothing supports is reported as it was written."""

import re
from dataclasses import replace
from decimal import Decimal

from agent.guard import QueryResult
from agent.nodes.answers.claims import Claim, find_claims
from agent.nodes.answers.facts import Facts
from agent.nodes.answers.lookup import Lookup, Numbers
from agent.nodes.answers.masks import mask_names
from agent.nodes.answers.rows import Clause, split_clauses

CHECKED_ROWS = 1_000
"""Rows whose cells are looked up; extremes and totals are those of all rows."""
_FALL = re.compile(
    r"\b(?:fell|fall|falls|fallen|drop\w*|decreas\w*|declin\w*|down|fewer|less|lower|lost|reduc\w*|shrank|shrunk|negative"
    r"|minus|below|under)\b",
    re.IGNORECASE,
)
_EXTREME = re.compile(
    r"\b(?:totals?|in all|altogether|overall|sum|highest|lowest|most|fewest|maximum|minimum|peak|largest|smallest)\b",
    re.IGNORECASE,
)
_RANGE_END = re.compile(r"(?:^|\b(?:to|until|till)|[-\u2013])\s*$", re.IGNORECASE)
_TINY = Decimal("1e-9")


def unsupported_numbers(text: str, *, question: str, result: QueryResult, facts: Facts) -> tuple[str, ...]:
    """Return the numbers of a text that have no source, in the order they stand, each once.

    Sources are cells, numbers of the question and of SQL literals, counts of rows and groups, parts of dates, totals
    and means of whole columns, and for rows named in a sentence their shares, differences, ratios and percent changes.
    A number matches a source that, written to as many places (or in as many thousands or millions), gives it. A share
    becomes a percentage only where the text has the sign or the word. In a clause that names rows of the result, a cell
    of another row is no source.
    """
    seen = replace(result, rows=result.rows[:CHECKED_ROWS])
    lookup = Lookup(question, seen, facts)
    found: list[str] = []
    for clause in split_clauses(mask_names(text, question=question, result=seen), result=seen, facts=facts):
        for claim in find_claims(clause.text):
            if claim.text not in found and not _is_supported(claim, clause, lookup=lookup, facts=facts):
                found.append(claim.text)
    return tuple(found)


def _is_supported(claim: Claim, clause: Clause, *, lookup: Lookup, facts: Facts) -> bool:
    if claim.unit == "ordinal" and 1 <= claim.value <= facts.row_count:
        return True
    if facts.truncated and _EXTREME.search(clause.text) and claim.value not in lookup.given:
        return False
    if claim.unit == "hour" and _RANGE_END.search(clause.text[: claim.start]):
        # Hour 21 is what people call between 9 and 10 p.m.
        hour_before = replace(claim, value=claim.value - 1)
        return any(_holds(one, numbers, False) for one in (claim, hour_before) for numbers in lookup.numbers(clause))
    falling = _FALL.search(clause.sentence) is not None
    return any(_holds(claim, numbers, falling) for numbers in lookup.numbers(clause))


def _holds(claim: Claim, numbers: Numbers, falling: bool) -> bool:
    """Whether one of the numbers, written like the claim, is the claim."""
    has = numbers.has_plain if claim.unit not in ("percent", "fraction") else numbers.has_percentage
    may_be_negative = falling and claim.value > 0
    return any(has(low, high) or (may_be_negative and has(-high, -low)) for low, high in _intervals(claim))


def _intervals(claim: Claim) -> list[tuple[Decimal, Decimal]]:
    """Where a source may lie: within half a last digit; for numbers said to be rounded, half their last real one.

    The last real digit is the second at the least: `over 40,000` means less than 41,000.
    """
    value = claim.value
    exact = (value - claim.step / 2 - _TINY, value + claim.step / 2 + _TINY)
    if claim.bound == "exact" or claim.unit in ("ordinal", "hour"):
        return [exact]
    width = claim.coarse
    bounds = {
        "about": (value - width / 2, value + width / 2),
        "over": (value, value + width - _TINY),
        "under": (value - width + _TINY, value),
    }
    return [exact, bounds[claim.bound]]
