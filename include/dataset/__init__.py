"""The one definition of the data set. Everything that speaks about columns, rules or codes takes them from here."""

from include.dataset.categories import (
    CRIME_CATEGORIES,
    CRIME_CATEGORY_BY_TYPE,
    LOCATION_CATEGORIES,
    LOCATION_CATEGORY_BY_DESCRIPTION,
    LOCATION_RISK_BY_CATEGORY,
    LOCATION_RISKS,
    crime_category,
    location_category,
    location_risk,
    normalised,
)
from include.dataset.columns import COLUMNS, DERIVED_COLUMNS, SOURCE_COLUMNS
from include.dataset.dictionary import dictionary_markdown
from include.dataset.lookups import COMMUNITY_AREA_NAMES, DISTRICT_NAMES, LOOKUPS, WARD_NAMES
from include.dataset.rules import COORDINATES, FILLER, INDEX_CRIME_CODES, NULL_RULES, UNKNOWN
from include.dataset.schema import (
    DISCLAIMER,
    FACT,
    TABLE_NAMES,
    TABLES,
    column_comment,
    comment_statements,
    schema_text,
    table_ddl,
)
from include.dataset.source_fields import SOURCE_FIELDS, UPDATED_AT
from include.dataset.tables import Column, Lookup, NullRule, SourceField, Table

__all__ = [
    "COLUMNS",
    "COMMUNITY_AREA_NAMES",
    "COORDINATES",
    "CRIME_CATEGORIES",
    "CRIME_CATEGORY_BY_TYPE",
    "DERIVED_COLUMNS",
    "DISCLAIMER",
    "DISTRICT_NAMES",
    "FACT",
    "FILLER",
    "INDEX_CRIME_CODES",
    "LOCATION_CATEGORIES",
    "LOCATION_CATEGORY_BY_DESCRIPTION",
    "LOCATION_RISKS",
    "LOCATION_RISK_BY_CATEGORY",
    "LOOKUPS",
    "NULL_RULES",
    "SOURCE_COLUMNS",
    "SOURCE_FIELDS",
    "TABLES",
    "TABLE_NAMES",
    "UNKNOWN",
    "UPDATED_AT",
    "WARD_NAMES",
    "Column",
    "Lookup",
    "NullRule",
    "SourceField",
    "Table",
    "column_comment",
    "comment_statements",
    "crime_category",
    "dictionary_markdown",
    "location_category",
    "location_risk",
    "normalised",
    "schema_text",
    "table_ddl",
]
