"""A typed intent in words: what the question was understood as."""

from agent.semantic.algebra import (
    Aggregate,
    Binary,
    Count,
    CountDistinct,
    Dimension,
    Having,
    Intent,
    LookupRows,
    Measure,
    Nest,
    Overall,
    Reference,
    Rows,
    Share,
    Summary,
)
from agent.semantic.predicates import (
    All,
    AnyOf,
    Compare,
    Contains,
    Extreme,
    Missing,
    Not,
    OneOf,
    Predicate,
    SameAs,
    both,
)

_FUNCTIONS = {
    "avg": "average", "median": "median", "max": "highest", "min": "lowest", "sum": "sum",
    "stddev": "standard deviation",
}  # fmt: skip
_WINDOWS = {
    "total_share": "percent of the total of", "running": "running total of", "running_share": "cumulative percent of",
    "previous": "previous value of", "change": "change of", "change_percent": "percent change of", "rank": "rank by",
    "moving": "moving average of",
}  # fmt: skip
SHOWN_VALUES = 4


def describe(intent: Intent) -> str:
    """Return the reading of an intent, for people: "counting incidents where ..., by ..., ..."."""
    if isinstance(intent, Summary):
        return _summary(intent)
    if isinstance(intent, Rows):
        columns = ", ".join(_name(value) for value in intent.columns)
        order = "" if not intent.order else f", {'newest' if intent.order[0][1] else 'oldest'} first"
        return f"listing {columns} of incidents{_where(intent.where)}{order}{_limit(intent.limit)}"
    assert isinstance(intent, LookupRows)
    return f"{'counting' if intent.count else 'listing'} {intent.lookup.table.replace('_', ' ')}{_where(intent.where)}"


def _summary(intent: Summary) -> str:
    if intent.top_share:
        top = f"the {intent.limit} {', '.join(_name(value) for value in intent.groups)} values with the highest"
        return f"percent of all of {top} {measure(intent.measures[0])}{_where(intent.where)}"
    groups = ", ".join(_name(value) for value in intent.groups)
    if intent.count_groups:
        return f"counting {groups} values{_where(intent.where)}{_having(intent.having)}"
    if not intent.measures:
        return f"listing {groups}{_where(intent.where)}{_having(intent.having)}"
    text = f"{', '.join(measure(value) for value in intent.measures)}{_where(intent.where)}"
    if groups:
        text += f", by {groups}"
    text += _having(intent.having)
    if intent.order:
        key = intent.order[0].key
        named = _name(key) if isinstance(key, Dimension) else measure(key)
        text += f", {'highest' if intent.order[0].descending else 'lowest'} {named} first"
    if intent.nth is not None:
        text += f", row {intent.nth} only"
    within = f" in each {', '.join(_name(value) for value in intent.per)}" if intent.per else ""
    return text + _limit(intent.limit) + (within if intent.limit or intent.nth else "")


def measure(value: Measure) -> str:
    """Return a measure in words."""
    if isinstance(value, Count):
        return "counting incidents" + _where(value.where)
    if isinstance(value, CountDistinct):
        return f"counting different values of {_name(value.dimension)}{_where(value.where)}"
    if isinstance(value, Share):
        unit = "percent" if value.percent else "fraction"
        return f"{unit} of incidents{_where(value.whole)} with {predicate(value.part)}"
    if isinstance(value, Aggregate):
        return f"{_FUNCTIONS[value.function]} {value.column}{_where(value.where)}"
    if isinstance(value, Binary):
        names = {"-": "difference between", "/": "ratio of", "%": "percent change to", "%-": "percent loss to"}
        link = {"-": "and", "/": "to", "%": "from", "%-": "from"}[value.operator]
        return f"{names[value.operator]} {measure(value.left)} {link} {measure(value.right)}"
    if isinstance(value, Nest):
        over = " and ".join(_name(dimension) for dimension in value.over)
        return f"{_FUNCTIONS[value.function]} per {over} of {measure(value.inner)}"
    if isinstance(value, Overall):
        return f"{measure(value.inner)} over all groups"
    return f"{_WINDOWS[value.kind]} {measure(value.inner)}"


def predicate(value: Predicate) -> str:
    """Return a condition in words."""
    if isinstance(value, Compare):
        return f"{value.column} {value.operator} {value.value}"
    if isinstance(value, OneOf):
        shown = ", ".join(str(one) for one in value.values[:SHOWN_VALUES])
        more = len(value.values) - SHOWN_VALUES
        return f"{value.column} one of {shown}" + (f" and {more} more" if more > 0 else "")
    if isinstance(value, Missing):
        return f"{value.column} missing"
    if isinstance(value, Contains):
        return f"{value.column} containing {value.text}"
    if isinstance(value, Extreme):
        end = "newest" if value.which == "max" else "oldest"
        return f"{value.column} among the {value.back + 1} {end} in the data" if value.back else f"{value.column} {end}"
    if isinstance(value, SameAs):
        return f"{value.column} {value.operator} {value.other}"
    if isinstance(value, Not):
        return f"not ({predicate(value.part)})"
    word = " and " if isinstance(value, All) else " or "
    joined = word.join(predicate(part) for part in value.parts)
    return f"({joined})" if isinstance(value, AnyOf) else joined


def _where(value: Predicate) -> str:
    return f" where {predicate(value)}" if both([value]).parts else ""


def _having(conditions: tuple[Having, ...]) -> str:
    parts = []
    for having in conditions:
        bound = having.value
        if isinstance(bound, Reference):
            shown = {
                "groups": "the average of all groups",
                "overall": "the overall value",
                "universal": "as many as there are",
            }.get(bound.kind, "")
            shown = shown or (measure(bound.measure) if bound.measure else predicate(bound.value or All()))
        else:
            shown = f"{bound:g}" + (f" to {having.upper:g}" if having.upper is not None else "")
        parts.append(f"{measure(having.measure)} {having.operator} {shown}")
    return f", only those with {' and '.join(parts)}" if parts else ""


def _limit(limit: int | None) -> str:
    return f", first {limit}" if limit else ""


def _name(value: Dimension) -> str:
    return value.name.replace("_", " ") + (" name" if value.named else "")
