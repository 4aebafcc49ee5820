"""The four tables of a snapshot, their DDL, and the schema text for prompts."""

from collections.abc import Iterator

from include.dataset.categories import CRIME_CATEGORY_BY_TYPE
from include.dataset.columns import COLUMNS
from include.dataset.lookups import LOOKUPS
from include.dataset.tables import Column, Table

FACT = Table(
    name="crime_incidents",
    description="Reported incidents of crime in Chicago since 2001, one row per record of the City's data set.",
    key="ID",
    columns=COLUMNS,
)
TABLES: tuple[Table, ...] = (FACT, *LOOKUPS)
TABLE_NAMES: tuple[str, ...] = tuple(table.name for table in TABLES)
DISCLAIMER = (
    "This site provides applications using data that has been modified for use from its original source, "
    "www.cityofchicago.org, the official website of the City of Chicago. The City of Chicago makes no claims as "
    "to the content, accuracy, timeliness, or completeness of any of the data provided at this site. The data "
    "provided at this site is subject to change at any time. It is understood that the data provided at this site"
    " is being used at one's own risk."
)
"""The City's text, due on every page, report and export."""
_PROMPT_LABELS = {"CRIME_TYPE": tuple(sorted(CRIME_CATEGORY_BY_TYPE))}


def schema_text() -> str:
    """Return the schema as compact DDL with comments and value lists, for a prompt."""
    return "\n\n".join(_prompt_table(table) for table in TABLES)


def table_ddl(schema: str) -> str:
    """Return the CREATE TABLE and COMMENT statements of the four tables in a schema, lookups first."""
    ordered = (*LOOKUPS, FACT)
    return "\n\n".join(_create(table, schema) for table in ordered)


def comment_statements(schema: str) -> Iterator[str]:
    """Yield the COMMENT statements of the four tables in a schema."""
    for table in TABLES:
        yield from _comments(table, schema)


def column_comment(column: Column) -> str:
    """Return the COMMENT of a column: its description and its null rule."""
    return column.description + (f" Missing: {column.null_rule}." if column.null_rule else "")


def _create(table: Table, schema: str) -> str:
    lines = [f"{column.quoted} {column.pg_type}{'' if column.nullable else ' NOT NULL'}" for column in table.columns]
    lines += [f"PRIMARY KEY ({column.quoted})" for column in table.columns if column.name == table.key]
    for column in table.columns:
        if column.references:
            lines.append(f"FOREIGN KEY ({column.quoted}) REFERENCES {_quote(schema)}.{column.references}")
    body = ",\n    ".join(lines)
    comments = "".join(f"\n{comment};" for comment in _comments(table, schema))
    return f"CREATE TABLE {_quote(schema)}.{table.name} (\n    {body}\n);{comments}"


def _comments(table: Table, schema: str) -> Iterator[str]:
    target = f"{_quote(schema)}.{table.name}"
    yield f"COMMENT ON TABLE {target} IS {_literal(table.description)}"
    for column in table.columns:
        yield f"COMMENT ON COLUMN {target}.{column.quoted} IS {_literal(column_comment(column))}"


def _prompt_table(table: Table) -> str:
    lines = []
    for column in table.columns:
        ending = "," if column is not table.columns[-1] else ""
        lines.append(
            f"  {column.quoted} {column.pg_type}{_prompt_key(table, column)}{ending} -- {_prompt_note(column)}"
        )
    return f"CREATE TABLE {table.name} ( -- {table.description}\n" + "\n".join(lines) + "\n);"


def _prompt_key(table: Table, column: Column) -> str:
    if column.name == table.key:
        return " PRIMARY KEY"
    return f" REFERENCES {column.references}" if column.references else ""


def _prompt_note(column: Column) -> str:
    values = column.values or _PROMPT_LABELS.get(column.name, ())
    parts = [column.description]
    if column.prompt_note:
        parts.append(f"{column.prompt_note[0].upper()}{column.prompt_note[1:]}.")
    if values:
        parts.append("Values: " + ", ".join(f"'{value}'" for value in values))
    return " ".join(parts)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
