"""The definition: what the design fixes, and that its parts agree with each other."""

import re
from collections import Counter

import pytest

from include.dataset import (
    COLUMNS,
    DERIVED_COLUMNS,
    DISCLAIMER,
    LOOKUPS,
    NULL_RULES,
    SOURCE_COLUMNS,
    SOURCE_FIELDS,
    TABLE_NAMES,
    TABLES,
    dictionary_markdown,
    schema_text,
)
from include.settings import PROJECT_ROOT

NAMES = [
    "ID", "CASE_NUMBER", "INCIDENT_DATE", "BLOCK", "IUCR", "CRIME_TYPE", "DESCRIPTION", "LOCATION_DESCRIPTION",
    "ARREST", "DOMESTIC", "BEAT", "DISTRICT", "WARD", "COMMUNITY_AREA", "FBI_CODE", "X_COORDINATE", "Y_COORDINATE",
    "YEAR", "UPDATED_ON", "LATITUDE", "LONGITUDE", "LOCATION", "MONTH", "DAY", "HOUR", "QUARTER", "DAY_OF_WEEK",
    "IS_WEEKEND", "SEASON", "TIME_OF_DAY", "CRIME_CATEGORY", "LOCATION_CATEGORY", "LOCATION_RISK", "IS_INDEX_CRIME",
    "ARREST_STATUS", "DOMESTIC_STATUS", "DAYS_TO_UPDATE", "IMPUTED_FIELDS",
]  # fmt: skip


def test_columns_are_the_38_in_order() -> None:
    assert [column.name for column in COLUMNS] == NAMES
    assert (len(SOURCE_COLUMNS), len(DERIVED_COLUMNS)) == (22, 16)
    assert {column.derived for column in SOURCE_COLUMNS} == {False}
    assert {column.derived for column in DERIVED_COLUMNS} == {True}


def test_each_requested_field_but_the_systems_feeds_one_column() -> None:
    assert len(SOURCE_FIELDS) == 22
    assert SOURCE_FIELDS[-1].name == ":updated_at"
    assert Counter(column.source for column in COLUMNS if column.source) == Counter(
        field.name for field in SOURCE_FIELDS[:-1]
    )


def test_raw_types_are_those_of_the_raw_table() -> None:
    ddl = (PROJECT_ROOT / "sql" / "ops" / "0002_raw.sql").read_text()
    for field in SOURCE_FIELDS:
        assert re.search(rf"^    {field.raw_name} +{field.raw_type}\b", ddl, re.MULTILINE), field.raw_name


def test_lookups_have_their_rows() -> None:
    assert TABLE_NAMES == ("crime_incidents", "district_names", "community_area_names", "ward_names")
    rows = {lookup.name: dict(lookup.rows) for lookup in LOOKUPS}
    assert {name: len(found) for name, found in rows.items()} == {
        "district_names": 23, "community_area_names": 77, "ward_names": 50
    }  # fmt: skip
    assert [rows["district_names"][code] for code in (1, 11, 31)] == ["Central", "Harrison", "District 31"]
    assert set(rows["district_names"]) == set(range(1, 26)) - {13, 21, 23} | {31}
    assert [rows["community_area_names"][code] for code in (1, 32, 59, 76, 77)] == [
        "Rogers Park", "Loop", "McKinley Park", "O'Hare", "Edgewater"
    ]  # fmt: skip
    assert set(rows["community_area_names"]) == set(range(1, 78))
    assert rows["ward_names"] == {code: f"Ward {code}" for code in range(1, 51)}
    assert LOOKUPS[0].placeholder(61) == "District 61 (unlisted)"


def test_references_point_to_lookups_and_back() -> None:
    references = {column.name: column.references for column in COLUMNS if column.references}
    assert references == {lookup.fact_column: f"{lookup.name}({lookup.key})" for lookup in LOOKUPS}


def test_each_column_that_a_rule_fills_says_so() -> None:
    filled = {column for rule in NULL_RULES for column in rule.columns}
    assert filled == {column.name for column in COLUMNS if column.null_rule} - {"IS_INDEX_CRIME"}
    assert len({(column, rule.rule) for rule in NULL_RULES for column in rule.columns}) == 15


@pytest.mark.parametrize(
    "part", [f'"{name}"' for name in NAMES] + ["'PUBLIC ORDER'", "'HIGH', 'MEDIUM', 'LOW'", "'THEFT'"]
)
def test_schema_text_shows(part: str) -> None:
    assert part in schema_text()


def test_schema_text_shows_keys_and_stays_compact() -> None:
    text = schema_text()
    assert text.count("PRIMARY KEY") == 4
    for lookup in LOOKUPS:
        assert f'"{lookup.fact_column}" smallint REFERENCES {lookup.name}({lookup.key})' in text
    assert len(text) < 6_500


def test_descriptions_are_sentences() -> None:
    for table in TABLES:
        for text in (table.description, *(column.description for column in table.columns)):
            assert text.endswith(".")
            assert text[0].isupper()


def test_disclaimer_is_the_citys() -> None:
    assert DISCLAIMER.startswith("This site provides applications using data that has been modified for use from its")
    assert "subject to change at any time" in DISCLAIMER
    assert DISCLAIMER.endswith("is being used at one's own risk.")


def test_dictionary_page_is_up_to_date() -> None:
    page = (PROJECT_ROOT / "docs" / "data-dictionary.md").read_text(encoding="utf-8")
    assert page == dictionary_markdown(), "run: python -m include.dataset > docs/data-dictionary.md"
