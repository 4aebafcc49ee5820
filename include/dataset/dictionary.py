"""The data dictionary page, made from the definition."""

from collections.abc import Iterable, Iterator

from include.dataset.categories import (
    CRIME_CATEGORIES,
    CRIME_CATEGORY_BY_TYPE,
    LOCATION_CATEGORIES,
    LOCATION_CATEGORY_BY_DESCRIPTION,
    LOCATION_RISK_BY_CATEGORY,
)
from include.dataset.lookups import LOOKUPS
from include.dataset.rules import NULL_RULES
from include.dataset.schema import DISCLAIMER, FACT
from include.dataset.tables import Column, Lookup

_INTRODUCTION = """\
# Data dictionary

Made from `include/dataset` by `python -m include.dataset > docs/data-dictionary.md`; a test fails when it is outdated.

A snapshot has four tables. `public` shows those of the published snapshot as views of the same names. Column names of
`crime_incidents` are in upper case, so SQL must quote them: `SELECT "CRIME_TYPE", count(*) FROM crime_incidents
GROUP BY 1`. All text is stored in upper case, without blanks at the ends, except the names in the lookups.
"""
_RULES = """\
Each filled cell is named in `IMPUTED_FIELDS`; `ops.null_rule_ledger` counts them by column, rule and snapshot.
"""
_CODES = """\
Ward 0 and community area 0 mean "not assigned" and are stored as null. A code that a lookup does not list gets a row
there, such as "District 61 (unlisted)", and the build warns. Rows whose code is null drop out of an inner join with a
lookup.
"""
_CATEGORIES = """\
Values are matched in upper case with runs of white space collapsed. A value that the tables do not list falls to OTHER,
and the build warns. SEX holds FBI codes 02 and 17, so criminal sexual assault is there and not in VIOLENT;
`IS_INDEX_CRIME` follows the FBI codes instead. STREET is the public way and parking open to the public; CHA is the
Chicago Housing Authority, CTA the Chicago Transit Authority. The risk of a location category is its share of serious
violent crime (FBI codes 01A, 02, 03, 04A, 04B) in 2015-2018: from 10 % HIGH, from 5 % MEDIUM, else LOW.
"""


def dictionary_markdown() -> str:
    """Return the page as Markdown."""
    parts = [
        _INTRODUCTION,
        f"## {FACT.name}\n\n{FACT.description}\n\n{_columns(FACT.columns)}",
        f"## Null rules\n\n{_RULES}\n" + _table(("columns", "rule", "what it does"), _rules()),
        "## Lookups\n\n" + _CODES,
        *(_lookup(lookup) for lookup in LOOKUPS),
        "## Categories\n\n" + _CATEGORIES,
        "### Crime type -> `CRIME_CATEGORY`\n\n" + _groups(CRIME_CATEGORIES, CRIME_CATEGORY_BY_TYPE.items()),
        "### Location description -> `LOCATION_CATEGORY` -> `LOCATION_RISK`\n\n"
        + _groups(LOCATION_CATEGORIES, LOCATION_CATEGORY_BY_DESCRIPTION.items(), risks=True),
        f"## Disclaimer of the City of Chicago\n\n> {DISCLAIMER}\n",
    ]
    return "\n".join(parts)


def _columns(columns: Iterable[Column]) -> str:
    rows = (
        (
            f"`{column.name}`",
            column.pg_type,
            f"`{column.source}`" if column.source else "derived",
            _meaning(column),
            column.null_rule or ("null" if column.nullable else "never"),
        )
        for column in columns
    )
    return _table(("column", "type", "source field", "meaning", "when missing"), rows)


def _meaning(column: Column) -> str:
    text = column.description
    if column.references:
        text += f" Points to `{column.references}`."
    if column.values:
        text += f" Values: {', '.join(column.values)}."
    if column.prompt_note:
        text += f" {column.prompt_note[0].upper()}{column.prompt_note[1:]}."
    return text


def _rules() -> Iterator[tuple[str, str, str]]:
    for rule in NULL_RULES:
        yield ", ".join(f"`{column}`" for column in rule.columns), rule.rule, rule.description


def _lookup(lookup: Lookup) -> str:
    names = ", ".join(f"{code} {name}" if name != f"{lookup.label} {code}" else name for code, name in lookup.rows)
    columns = ", ".join(f"`{column.name}` {column.pg_type}" for column in lookup.columns)
    return f"### {lookup.name}\n\n{lookup.description} Columns: {columns}.\n\n{names}\n"


def _groups(order: Iterable[str], pairs: Iterable[tuple[str, str]], *, risks: bool = False) -> str:
    listed = list(pairs)
    rows = []
    for category in order:
        values = "; ".join(value for value, its_category in listed if its_category == category)
        rows.append((category, LOCATION_RISK_BY_CATEGORY[category], values) if risks else (category, values))
    return _table(("category", "risk", "values") if risks else ("category", "values"), rows)


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)
