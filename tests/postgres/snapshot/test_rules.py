"""Each rule on hand-made rows: what is asserted first is worked out by hand, then the oracle must agree."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pandas as pd
import psycopg
import pytest

from include.errors import UsageError
from include.ingest import BuildResult, run_build, store_ledger
from tests.postgres.snapshot.conftest import add_raw, assert_as_oracle, complete, read_table

Row = dict[str, Any]
NOWHERE: Row = {"x_coordinate": None, "y_coordinate": None, "latitude": None, "longitude": None}
PLACEHOLDER: Row = {"x_coordinate": 0.0, "y_coordinate": 0.0, "latitude": 36.619446395, "longitude": -91.686565684}
DATES = [datetime(2015, 1, day) for day in range(1, 11)]


def at(number: int, **more: Any) -> Row:
    """Coordinates that tell rows apart."""
    return {
        "x_coordinate": 1_000_000.0 + number, "y_coordinate": 1_900_000.0 + number,
        "latitude": 41.0 + number / 1000, "longitude": -87.0 - number / 1000, **more,
    }  # fmt: skip


ALL_FOUR = "X_COORDINATE,Y_COORDINATE,LATITUDE,LONGITUDE"

# name, rows, {id: {column: value}}
CASES: list[tuple[str, list[Row], dict[int, Row]]] = [
    (
        "a typical row",
        [{}],
        {
            1: {
                "ID": 1,
                "CASE_NUMBER": "HX100001",
                "INCIDENT_DATE": datetime(2015, 3, 7, 14, 30),
                "CRIME_TYPE": "THEFT",
                "DISTRICT": 1,
                "WARD": 42,
                "COMMUNITY_AREA": 32,
                "YEAR": 2015,
                "LOCATION": "(41.88, -87.63)",
                "MONTH": 3,
                "DAY": 7,
                "HOUR": 14,
                "QUARTER": 1,
                "DAY_OF_WEEK": "SATURDAY",
                "IS_WEEKEND": True,
                "SEASON": "SPRING",
                "TIME_OF_DAY": "AFTERNOON",
                "CRIME_CATEGORY": "PROPERTY",
                "LOCATION_CATEGORY": "STREET",
                "LOCATION_RISK": "HIGH",
                "IS_INDEX_CRIME": True,
                "ARREST_STATUS": "NO ARREST",
                "DOMESTIC_STATUS": "NOT DOMESTIC",
                "DAYS_TO_UPDATE": 7,
                "IMPUTED_FIELDS": "",
            }
        },
    ),
    (
        "upper case, blanks at the ends, inner blanks kept",
        [
            {
                "block": " 003XX E Randolph St ",
                "case_number": "g 050552",
                "description": "MANUFACTURE / DELIVER -  HEROIN (WHITE)",
                "primary_type": "Narcotics ",
                "fbi_code": "01a",
                "iucr": "031a",
            }
        ],
        {
            1: {
                "BLOCK": "003XX E RANDOLPH ST",
                "CASE_NUMBER": "G 050552",
                "DESCRIPTION": "MANUFACTURE / DELIVER -  HEROIN (WHITE)",
                "CRIME_TYPE": "NARCOTICS",
                "CRIME_CATEGORY": "DRUG",
                "FBI_CODE": "01A",
                "IUCR": "031A",
                "IS_INDEX_CRIME": True,
            }
        },
    ),
    (
        "missing text",
        [{"primary_type": None, "description": None, "location_description": None}, {"primary_type": "  "}],
        {
            1: {
                "CRIME_TYPE": "OTHER OFFENSE",
                "DESCRIPTION": "OTHER OFFENSE",
                "LOCATION_DESCRIPTION": "OTHER OFFENSE",
                "CRIME_CATEGORY": "OTHER",
                "LOCATION_CATEGORY": "OTHER",
                "LOCATION_RISK": "LOW",
                "IMPUTED_FIELDS": "CRIME_TYPE,DESCRIPTION,LOCATION_DESCRIPTION",
            },
            2: {"CRIME_TYPE": "OTHER OFFENSE", "IMPUTED_FIELDS": "CRIME_TYPE"},
        },
    ),
    (
        "spelling variants share a category, the spelling stays",
        [
            {"location_description": "RESIDENCE-GARAGE"},
            {"location_description": "residence  -  garage"},
            {"location_description": "PARKING LOT/GARAGE(NON.RESID.)"},
        ],
        {
            1: {"LOCATION_DESCRIPTION": "RESIDENCE-GARAGE", "LOCATION_CATEGORY": "RESIDENTIAL"},
            2: {"LOCATION_DESCRIPTION": "RESIDENCE  -  GARAGE", "LOCATION_CATEGORY": "RESIDENTIAL"},
            3: {"LOCATION_CATEGORY": "STREET"},
        },
    ),
    (
        "flags unknown",
        [{"arrest": None, "domestic": None}, {"arrest": True, "domestic": True}],
        {
            1: {
                "ARREST": None,
                "ARREST_STATUS": "UNKNOWN",
                "DOMESTIC": None,
                "DOMESTIC_STATUS": "UNKNOWN",
                "IMPUTED_FIELDS": "ARREST_STATUS,DOMESTIC_STATUS",
            },
            2: {"ARREST_STATUS": "ARREST", "DOMESTIC_STATUS": "DOMESTIC"},
        },
    ),
    (
        "codes",
        [
            {"district": "031", "beat": "111", "ward": 0, "community_area": 0},
            {"district": "16"},
            {"district": None, "ward": None, "community_area": None, "beat": None, "fbi_code": None},
            {"district": "061"},
        ],
        {
            1: {"DISTRICT": 31, "BEAT": "0111", "WARD": None, "COMMUNITY_AREA": None, "IMPUTED_FIELDS": ""},
            2: {"DISTRICT": 16},
            3: {"DISTRICT": None, "BEAT": None, "IS_INDEX_CRIME": False, "IMPUTED_FIELDS": ""},
            4: {"DISTRICT": 61},
        },
    ),
    (
        "the earliest date of the block gives the coordinates, not the smallest id",
        [at(1, date=DATES[5]), at(2, date=DATES[2]), at(3, date=DATES[8]), NOWHERE],
        {
            4: {
                "LATITUDE": 41.002,
                "LONGITUDE": -87.002,
                "X_COORDINATE": 1_000_002.0,
                "Y_COORDINATE": 1_900_002.0,
                "LOCATION": "(41.002, -87.002)",
                "IMPUTED_FIELDS": ALL_FOUR,
            }
        },
    ),
    (
        "of equal dates the smallest id",
        [at(1, id=9, date=DATES[0]), at(2, id=5, date=DATES[0]), {"id": 7, **NOWHERE}],
        {7: {"LATITUDE": 41.002}},
    ),
    (
        "a block in mixed case is the same block",
        [at(1, block="003XX E Randolph St"), {"block": "003XX E RANDOLPH ST", **NOWHERE}],
        {2: {"LATITUDE": 41.001, "BLOCK": "003XX E RANDOLPH ST"}},
    ),
    (
        "a donor of a later date than the receiver, of another beat",
        [
            at(1, date=DATES[9], beat="2525"),
            {"date": DATES[0], "beat": "0111", **NOWHERE},
            at(5, block="B", beat="0111"),
        ],
        {2: {"LATITUDE": 41.001}},
    ),
    (
        "the placeholder is missing and gives nothing",
        [{**PLACEHOLDER, "date": DATES[0]}, at(3, date=DATES[4]), NOWHERE],
        {1: {"LATITUDE": 41.003, "IMPUTED_FIELDS": ALL_FOUR}, 3: {"LATITUDE": 41.003}},
    ),
    (
        "either half of the placeholder is enough",
        [
            at(1, date=DATES[0]) | {"x_coordinate": 0.0, "y_coordinate": 0.0},
            at(2, date=DATES[1]) | {"latitude": 0.0, "longitude": 0.0},
            at(3, date=DATES[2]) | {"latitude": 36.619446395, "longitude": -91.686565684},
            at(4, date=DATES[3]) | {"x_coordinate": 0.0},
        ],
        {
            1: {"LATITUDE": 41.004, "X_COORDINATE": 0.0, "IMPUTED_FIELDS": ALL_FOUR},
            2: {"LATITUDE": 41.004},
            3: {"LATITUDE": 41.004},
            4: {"LATITUDE": 41.004, "IMPUTED_FIELDS": ""},
        },
    ),
    (
        "one of the four missing takes all four",
        [at(1, date=DATES[3]), at(8, date=DATES[0]) | {"x_coordinate": None}],
        {2: {"LATITUDE": 41.001, "X_COORDINATE": 1_000_001.0, "IMPUTED_FIELDS": ALL_FOUR}},
    ),
    (
        "a filled row gives nothing: the mean of the beat reaches both rows of another block",
        [at(1, block="A"), at(2, block="B"), {"block": "C", **NOWHERE}, {"block": "C", **NOWHERE}],
        {
            3: {"LATITUDE": 41.0015, "LONGITUDE": -87.0015, "X_COORDINATE": 1_000_002.0, "IMPUTED_FIELDS": ALL_FOUR},
            4: {"LATITUDE": 41.0015},
        },
    ),
    (
        "a tie in the ninth decimal rounds away from zero",
        [
            at(1, block="A") | {"latitude": 41.000000001, "longitude": -87.000000001},
            at(1, block="B") | {"latitude": 41.000000002, "longitude": -87.000000002},
            {"block": "C", **NOWHERE},
        ],
        {3: {"LATITUDE": 41.000000002, "LONGITUDE": -87.000000002}},
    ),
    (
        "the padded beat counts, a missing block has no donor",
        [at(1, beat="111", block=None), {"beat": "0111", "block": None, **NOWHERE}],
        {2: {"LATITUDE": 41.001, "IMPUTED_FIELDS": ALL_FOUR}},
    ),
    (
        "nothing to take: null stays, the placeholder becomes null, a lone latitude stays",
        [
            {**NOWHERE, "block": "A", "beat": "0001"},
            {**PLACEHOLDER, "block": "B", "beat": "0002"},
            {**NOWHERE, "latitude": 41.5, "block": "C", "beat": None},
        ],
        {
            1: {"LATITUDE": None, "LOCATION": None, "IMPUTED_FIELDS": ""},
            2: {"X_COORDINATE": None, "LONGITUDE": None, "LOCATION": None, "IMPUTED_FIELDS": ""},
            3: {"LATITUDE": 41.5, "LOCATION": None, "IMPUTED_FIELDS": ""},
        },
    ),
    (
        "the most frequent timestamp of the year",
        [
            {"date": DATES[7]},
            {"date": DATES[7]},
            {"date": DATES[1]},
            {"date": datetime(2014, 5, 5), "year": 2014},
            {"date": datetime(2014, 5, 5), "year": 2014},
            {"date": datetime(2014, 5, 5), "year": 2014},
            {"date": None},
        ],
        {7: {"INCIDENT_DATE": DATES[7], "DAY": 8, "IMPUTED_FIELDS": "INCIDENT_DATE"}},
    ),
    (
        "of equally frequent timestamps the earliest",
        [{"date": DATES[7]}, {"date": DATES[1]}, {"date": None}],
        {3: {"INCIDENT_DATE": DATES[1]}},
    ),
    (
        "the year counts as published, and missing years count by their date",
        [
            {"date": datetime(2014, 12, 31, 23, 59), "year": 2015},
            {"date": DATES[3], "year": None},
            {"date": DATES[3], "year": 2015},
            {"date": None, "year": 2015},
        ],
        {
            1: {"YEAR": 2015, "MONTH": 12, "SEASON": "WINTER"},
            2: {"YEAR": 2015, "IMPUTED_FIELDS": "YEAR"},
            4: {"INCIDENT_DATE": DATES[3]},
        },
    ),
    (
        "an undated row gives coordinates only when no dated row can",
        [
            at(1, date=None, year=2015),
            at(2),
            NOWHERE,
            at(9, date=None, year=1999, block="B"),
            at(3, date=None, block="B"),
            {"block": "B", **NOWHERE},
        ],
        {3: {"LATITUDE": 41.002}, 6: {"LATITUDE": 41.003}},
    ),
    (
        "rejected rows, deleted rows, and what they hold",
        [
            at(1, date=None, year=None),
            at(2, date=None, year=1999),
            at(3, deleted_at=datetime(2020, 1, 1)),
            NOWHERE,
            at(4, block="B"),
        ],
        {4: {"LATITUDE": 41.004}},
    ),
    (
        "the edges of the day and of the year",
        [
            {"date": datetime(2016, 2, 29, 0, 0)},
            {"date": datetime(2016, 12, 31, 5, 59, 59)},
            {"date": datetime(2016, 6, 1, 6, 0)},
            {"date": datetime(2016, 8, 31, 11, 59)},
            {"date": datetime(2016, 9, 4, 12, 0)},
            {"date": datetime(2016, 11, 30, 18, 0)},
        ],
        {
            1: {"SEASON": "WINTER", "TIME_OF_DAY": "NIGHT", "QUARTER": 1, "DAY_OF_WEEK": "MONDAY", "IS_WEEKEND": False},
            2: {
                "SEASON": "WINTER",
                "TIME_OF_DAY": "NIGHT",
                "QUARTER": 4,
                "DAY_OF_WEEK": "SATURDAY",
                "IS_WEEKEND": True,
            },
            3: {"SEASON": "SUMMER", "TIME_OF_DAY": "MORNING", "QUARTER": 2},
            4: {"SEASON": "SUMMER", "TIME_OF_DAY": "MORNING"},
            5: {"SEASON": "FALL", "TIME_OF_DAY": "AFTERNOON", "DAY_OF_WEEK": "SUNDAY", "IS_WEEKEND": True},
            6: {"SEASON": "FALL", "TIME_OF_DAY": "EVENING"},
        },
    ),
    (
        "days to update: calendar days, below zero, unknown",
        [
            {"date": datetime(2015, 3, 7, 23, 59), "updated_on": datetime(2015, 3, 8, 0, 1)},
            {"date": datetime(2015, 3, 7), "updated_on": datetime(2015, 3, 1)},
            {"updated_on": None},
        ],
        {1: {"DAYS_TO_UPDATE": 1}, 2: {"DAYS_TO_UPDATE": -6}, 3: {"DAYS_TO_UPDATE": None, "UPDATED_ON": None}},
    ),
    (
        "homicides share a case number",
        [{"case_number": "HV145603."}, {"case_number": "HV145603."}, {"case_number": None}],
        {1: {"CASE_NUMBER": "HV145603."}, 2: {"CASE_NUMBER": "HV145603."}, 3: {"CASE_NUMBER": None}},
    ),
]


@pytest.mark.parametrize(("rows", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_rule(
    conn: psycopg.Connection, build: Callable[..., BuildResult], rows: list[Row], wanted: dict[int, Row]
) -> None:
    result = build(rows)
    built = read_table(conn, f"{result.schema}.crime_incidents", key="ID").set_index("ID", drop=False)
    for key, cells in wanted.items():
        assert {name: built.at[key, name] for name in cells} == cells
    assert_as_oracle(conn, result, pd.DataFrame(complete(rows), dtype=object))


def test_rejected_rows_are_stored_under_the_run_once(
    conn: psycopg.Connection, build: Callable[..., BuildResult]
) -> None:
    rows = [{}, {"date": None, "year": None, "case_number": "HX1"}, {"date": None, "year": 1999}]
    for _ in range(2):
        result = build(rows, run_id="run_1")
    assert (result.row_count, result.rejected) == (
        1, {"neither date nor year": 1, "no date, and no dated row of its year to take one from": 1}
    )  # fmt: skip
    stored = conn.execute("SELECT source_row->>'case_number', column_name, reason FROM ops.rejected_row ORDER BY 3")
    assert stored.fetchall() == [
        ("HX1", "INCIDENT_DATE", "neither date nor year"),
        ("HX100001", "INCIDENT_DATE", "no date, and no dated row of its year to take one from"),
    ]
    assert "1 rows rejected: neither date nor year" in result.warnings


def test_codes_without_a_name_get_one(conn: psycopg.Connection, build: Callable[..., BuildResult]) -> None:
    result = build(
        [{"district": "061", "ward": 51, "community_area": 78}, {"district": "013"}, {"district": "031", "ward": 0}]
    )
    assert result.placeholders == (
        "District 13 (unlisted)", "District 61 (unlisted)", "Community Area 78 (unlisted)", "Ward 51 (unlisted)"
    )  # fmt: skip
    names = conn.execute(
        f'SELECT i."ID", d.district_name, w.ward_name FROM {result.schema}.crime_incidents AS i'
        f' JOIN {result.schema}.district_names AS d ON d.district_id = i."DISTRICT"'
        f' LEFT JOIN {result.schema}.ward_names AS w ON w.ward_id = i."WARD" ORDER BY 1'
    ).fetchall()
    assert names == [
        (1, "District 61 (unlisted)", "Ward 51 (unlisted)"),
        (2, "District 13 (unlisted)", "Ward 42"),
        (3, "District 31", None),
    ]
    assert len(result.warnings) == 4


def test_values_without_a_category_are_told(build: Callable[..., BuildResult]) -> None:
    result = build(
        [{"primary_type": "PIRACY", "location_description": "Moon Base"}, {"location_description": "MOON BASE"}, {}]
    )
    assert result.unseen == {"CRIME_TYPE": {"PIRACY": 1}, "LOCATION_DESCRIPTION": {"MOON BASE": 2}}
    assert "LOCATION_DESCRIPTION 'MOON BASE' (2 rows) is in no category: counted as OTHER" in result.warnings


def test_codes_that_are_no_numbers_become_null_and_are_told(
    conn: psycopg.Connection, build: Callable[..., BuildResult]
) -> None:
    result = build([{"district": "D1"}, {"ward": -3}, {"community_area": 99_999}, {"district": " "}])
    assert result.codes_lost == 3
    codes = conn.execute(
        f'SELECT "DISTRICT", "WARD", "COMMUNITY_AREA" FROM {result.schema}.crime_incidents ORDER BY "ID"'
    )
    assert codes.fetchall() == [(None, 42, 32), (1, None, 32), (1, 42, None), (None, 42, 32)]


def test_ledger_counts_each_rule_and_can_be_stored(conn: psycopg.Connection, build: Callable[..., BuildResult]) -> None:
    result = build([at(1), NOWHERE, {"block": "Z", **NOWHERE}, {"description": None, "domestic": None}])
    store_ledger(conn, result.schema, result.ledger)
    store_ledger(conn, result.schema, result.ledger)
    stored = conn.execute(
        "SELECT column_name, rule, cells FROM ops.null_rule_ledger WHERE cells > 0 ORDER BY 1, 2"
    ).fetchall()
    assert stored == [
        ("DESCRIPTION", "constant", 1), ("DOMESTIC_STATUS", "unknown", 1),
        ("LATITUDE", "beat mean", 1), ("LATITUDE", "block donor", 1),
        ("LONGITUDE", "beat mean", 1), ("LONGITUDE", "block donor", 1),
        ("X_COORDINATE", "beat mean", 1), ("X_COORDINATE", "block donor", 1),
        ("Y_COORDINATE", "beat mean", 1), ("Y_COORDINATE", "block donor", 1),
    ]  # fmt: skip


def test_an_empty_source_builds_empty_tables(build: Callable[..., BuildResult]) -> None:
    result = build([])
    assert (result.row_count, result.newest_incident, result.unlocated, result.warnings) == (0, None, 0, ())


def test_an_existing_schema_is_refused_and_left_alone(conn: psycopg.Connection) -> None:
    raw = add_raw(conn, [{}])
    conn.execute("CREATE SCHEMA snap_taken")
    with pytest.raises(UsageError, match="snap_taken exists already"):
        run_build(conn, schema="snap_taken", raw=raw)
    assert conn.execute("SELECT count(*) FROM pg_class WHERE relnamespace = 'snap_taken'::regnamespace").fetchone() == (
        0,
    )
