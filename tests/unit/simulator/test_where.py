import pytest
from requests import HTTPError

# Condition on the eight rows of crimes_small.csv -> ids, in id order.
CASES = [
    ("id > 20", [100, 1000, 1001, 1002, 1003, 1004]),
    ("id > '20' and id <= 1000", [100, 1000]),
    ("20 < id and 1001 > id", [100, 1000]),
    ("id between 20 and 100", [20, 100]),
    ("id not between 20 and 1003", [9, 1004]),
    ("id in (9, '1004', 5)", [9, 1004]),
    ("id in(9)", [9]),
    ("not id in (9, 20, 100, 1000)", [1001, 1002, 1003, 1004]),
    ("primary_type = 'THEFT'", [20, 100, 1002, 1004]),
    ("primary_type != 'THEFT'", [9, 1000, 1001, 1003]),
    ("primary_type <> 'THEFT' AND arrest", [9, 1003]),
    ("arrest = true", [9, 20, 1003]),
    ("arrest = 'true'", [9, 20, 1003]),
    ("NOT arrest", [100, 1000, 1001, 1002]),
    ("arrest is null", [1004]),
    ("arrest IS NOT NULL and domestic", [1000]),
    ("ward is null", [9]),
    ("ward = null", []),
    ("not (ward = 5)", [20, 100, 1001, 1002, 1003, 1004]),
    ("ward < 10", [100, 1000, 1003]),
    ("ward = '5'", [1000]),
    ("community_area = '42'", [1001, 1002]),
    ("district > '005'", [9, 1003, 1004]),
    ("primary_type = 'THEFT' or primary_type = 'BATTERY' and ward = 5", [20, 100, 1000, 1002, 1004]),
    ("(primary_type = 'THEFT' or primary_type = 'BATTERY') and ward = 5", [1000]),
    ("block = '0000X W O''BRIEN ST'", [100]),
    ("block like '%KING% DR'", [1001, 1002]),
    ("block not like '%KING%'", [9, 20, 100, 1000, 1003, 1004]),
    ("starts_with(description, '$500')", [100, 1002, 1004]),
    ("contains(location_description, 'PUBLIC')", [1000]),
    ("upper(lower(primary_type)) = 'NARCOTICS'", [1003]),
    ("date >= '2017-01-01'", [1001, 1002, 1003, 1004]),
    ("date between '2017-01-01T00:00:00' and '2017-12-31T23:59:59.999'", [1001, 1002]),
    ("date = '2024-12-31T23:59:59.000'", [1003]),
    ("date_trunc_ym(date) = '2024-12-01'", [1003, 1004]),
    ("date_extract_hh(date) < 2 and date_extract_y(date) = 2017", [1001]),
    (":updated_at > '2026-07-03T00:00:00.000Z'", [1001]),
    (":updated_at >= '2026-07-02T20:41:00Z'", [1001, 1002, 1003, 1004]),
    (":updated_at > '2026-07-02' and id > 1002", [1003, 1004]),
    ("latitude < 41", [1001]),
    ("x_coordinate = 0", [1001]),
    ("latitude * 2 > 83.94", [1003, 1004]),
    ("id + 1 = 10 or id - 1 = 19", [9, 20]),
    ("id % 2 = 1 and id / 2 < 10", [9]),
    ("-id = -9", [9]),
    ("`primary_type` = 'HOMICIDE'", [9]),
    ("case_number || '' = 'G000009'", [9]),
    ("1 = 1 and id = 9", [9]),
    ("id > 5 or true", [9, 20, 100, 1000, 1001, 1002, 1003, 1004]),
]


@pytest.mark.parametrize(("where", "ids"), CASES)
def test_conditions_choose_rows(small, where, ids):
    assert [int(row["id"]) for row in small(where=where, select="id")] == ids


@pytest.mark.parametrize(("where", "ids"), CASES)
def test_conditions_count_what_they_choose(small, where, ids):
    assert small(where=where, select="count(*)") == [{"count": str(len(ids))}]


@pytest.mark.parametrize(
    ("where", "kind"),
    [
        ("nosuchcolumn = 1", "query.soql.no-such-column"),
        ("district = 5", "query.soql.type-mismatch"),
        ("ward = 'five'", "query.soql.type-mismatch"),
        ("date > 2017", "query.soql.type-mismatch"),
        ("date > '2017-01-01T00:00:00Z'", "query.soql.type-mismatch"),
        ("date > 'yesterday'", "query.soql.type-mismatch"),
        ("arrest = 1", "query.soql.type-mismatch"),
        ("id", "query.soql.non-boolean-where"),
        ("frobnicate(id) = 1", "query.soql.no-such-function"),
        ("count(*) > 1", "query.soql.aggregate-in-ungrouped-context"),
        ("id >", "Could not parse SoQL query"),
        ("id = 1 and", "Could not parse SoQL query"),
        ("(id = 1", "Could not parse SoQL query"),
        ("id = 'abc", "Could not parse SoQL query"),
        ("id between 1 or 2", "Could not parse SoQL query"),
        ("id = 1; drop", "Could not parse SoQL query"),
    ],
)
def test_a_wrong_condition_is_a_400_that_says_why(small, where, kind):
    with pytest.raises(HTTPError, match="400") as caught:
        small(where=where)
    assert kind in str(caught.value)


def test_plain_filters_are_equalities(small):
    assert [row["id"] for row in small(ward="5")] == ["1000"]
    assert [row["id"] for row in small(primary_type="THEFT", arrest="true")] == ["20"]
    assert [row["id"] for row in small(district="061", where="id > 5")] == ["1003"]
    with pytest.raises(HTTPError, match="no-such-column"):
        small(were="ward = 5")
