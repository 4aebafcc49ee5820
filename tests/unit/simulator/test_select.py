import pytest
from requests import HTTPError


def ids(rows):
    return [int(row["id"]) for row in rows]


@pytest.mark.parametrize(
    ("select", "first"),
    [
        ("id", {"id": "9"}),
        ("id, primary_type as kind", {"id": "9", "kind": "HOMICIDE"}),
        ("ward", {}),
        ("arrest, domestic", {"arrest": True, "domestic": False}),
        ("latitude, x_coordinate", {"latitude": "41.865156224", "x_coordinate": "1153021"}),
        ("date, updated_on", {"date": "2001-01-04T22:30:00.000", "updated_on": "2018-02-10T15:50:01.000"}),
        ("date_trunc_y(date) as y", {"y": "2001-01-01T00:00:00.000"}),
        ("date_trunc_ym(date)", {"date_trunc_ym_date": "2001-01-01T00:00:00.000"}),
        ("'x' as letter, 1 as one", {"letter": "x", "one": "1"}),
        (":updated_at", {":updated_at": "2018-02-10T21:57:02.414Z"}),
    ],
)
def test_selected_values(small, select, first):
    assert small(select=select, order="id", limit=1)[0] == first


def test_without_select_all_fields_and_the_regions_come_but_no_system_field(small):
    row = small(limit=1, where="id = 20")[0]
    assert list(row)[:3] == ["id", "case_number", "date"]
    assert len([name for name in row if name.startswith(":@computed_region_")]) == 9
    assert not {":id", ":updated_at"} & set(row)
    assert row["location"] == {
        "latitude": "41.883500187",
        "longitude": "-87.627876698",
        "human_address": '{"address": "", "city": "", "state": "", "zip": ""}',
    }


def test_a_row_without_coordinates_has_no_place_at_all(small):
    row = small(where="id = 100")[0]
    absent = {"x_coordinate", "y_coordinate", "latitude", "longitude", "location", "location_description"}
    assert not absent & set(row)
    assert not [name for name in row if name.startswith(":@")]


def test_stars_give_system_and_data_fields(small):
    row = small(select=":*, *", where="id = 20")[0]
    assert list(row)[:4] == [":id", ":created_at", ":updated_at", ":version"]
    assert row[":id"].startswith("row-")
    assert row["id"] == "20"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("id", [9, 20, 100, 1000, 1001, 1002, 1003, 1004]),
        ("id desc", [1004, 1003, 1002, 1001, 1000, 100, 20, 9]),
        (":id", [9, 20, 100, 1000, 1001, 1002, 1003, 1004]),
        ("ward, id", [1003, 100, 1000, 1002, 1001, 1004, 20, 9]),
        ("ward desc, id", [9, 20, 1004, 1001, 1002, 1000, 100, 1003]),
        ("primary_type ASC, date DESC", [1001, 1000, 9, 1003, 1004, 1002, 20, 100]),
        (":updated_at, id", [1000, 9, 20, 100, 1002, 1003, 1004, 1001]),
        (":updated_at desc, id desc", [1001, 1004, 1003, 1002, 100, 20, 9, 1000]),
        (":updated_at desc, id", [1001, 1002, 1003, 1004, 9, 20, 100, 1000]),
        ("date_extract_y(date) desc, id", [1003, 1004, 1001, 1002, 1000, 20, 100, 9]),
    ],
)
def test_order_is_the_servers(small, order, expected):
    assert ids(small(order=order)) == expected
    assert ids(small(order=order, limit=3, offset=2)) == expected[2:5]
    assert ids(small(order=order, where="id < 1004 and id > 9")) == [n for n in expected if 9 < n < 1004]


def test_pages_end_where_the_rows_do(small):
    assert ids(small(order="id", limit=3, offset=6)) == [1003, 1004]
    assert small(order="id", offset=8) == []
    assert small(order="id", limit=0) == small(where="id < 9")


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"select": "count(*)"}, [{"count": "8"}]),
        ({"select": "count(*) as n, count(ward)"}, [{"n": "8", "count_ward": "7"}]),
        ({"select": "max(id), min(id), sum(id)"}, [{"max_id": "1004", "min_id": "9", "sum_id": "5139"}]),
        ({"select": "max(:updated_at) as m"}, [{"m": "2026-11-02T21:48:01.997Z"}]),
        ({"select": "max(id) - min(id) as spread"}, [{"spread": "995"}]),
        ({"select": "max(ward)", "where": "id < 9"}, [{}]),
        ({"select": "count(*)", "where": "id < 9"}, [{"count": "0"}]),
        (
            {"select": "primary_type, count(*) as n", "group": "primary_type", "order": "n desc, primary_type"},
            [
                {"primary_type": "THEFT", "n": "4"},
                {"primary_type": "BATTERY", "n": "2"},
                {"primary_type": "HOMICIDE", "n": "1"},
                {"primary_type": "NARCOTICS", "n": "1"},
            ],
        ),
        (
            {"select": "date_trunc_ym(date) as ym, count(*), sum(id)", "group": "ym", "order": "ym desc", "limit": 2},
            [
                {"ym": "2024-12-01T00:00:00.000", "count": "2", "sum_id": "2007"},
                {"ym": "2017-07-01T00:00:00.000", "count": "1", "sum_id": "1002"},
            ],
        ),
        (
            {"select": "year, sum(ward) as w", "group": "year", "order": "year", "where": "year < 2003"},
            [{"year": "2001"}, {"year": "2002", "w": "2"}],
        ),
        ({"group": "arrest", "select": "arrest, count(*)", "where": "arrest is null"}, [{"count": "1"}]),
    ],
)
def test_groups_and_aggregates(small, parameters, expected):
    assert small(**parameters) == expected


def test_having_filters_groups(small):
    # sodapy maps no `having`: a parameter with its dollar passes as it is.
    rows = small(select="primary_type, count(*) as n", group="primary_type", order="n", **{"$having": "n > 1"})
    assert [row["primary_type"] for row in rows] == ["BATTERY", "THEFT"]


@pytest.mark.parametrize(
    ("parameters", "kind"),
    [
        ({"select": "nope"}, "no-such-column"),
        ({"select": "id,"}, "Could not parse"),
        ({"select": "id, count(*)"}, "column-not-in-group-bys"),
        ({"select": "sum(block)"}, "type-mismatch"),
        ({"select": "id, ward as id"}, "duplicate-alias"),
        ({"order": "nope"}, "no-such-column"),
        ({"order": "id sideways"}, "Could not parse"),
        ({"limit": "many"}, "invalid-parameter"),
        ({"$frobnicate": "1"}, "unrecognized-parameter"),
    ],
)
def test_a_wrong_request_is_a_400_that_says_why(small, parameters, kind):
    with pytest.raises(HTTPError, match="400") as caught:
        small(**parameters)
    assert kind in str(caught.value)
