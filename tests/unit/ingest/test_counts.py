from include.ingest.counts import add_months, by_year, counts_from_dict, counts_to_dict, differing_months
from include.source import MonthCount

LEFT = {"2023-12": MonthCount(3, 30), "2024-01": MonthCount(2, 25), "": MonthCount(1, 9)}


def test_months_differ_by_count_or_sum_or_absence():
    right = {"2023-12": MonthCount(3, 31), "2024-01": MonthCount(2, 25), "2024-02": MonthCount(1, 1)}
    assert differing_months(LEFT, right) == ["", "2023-12", "2024-02"]
    assert differing_months(LEFT, dict(LEFT)) == []


def test_years_are_sums_of_months():
    assert by_year(LEFT) == {"": 1, "2023": 3, "2024": 2}


def test_counts_survive_json():
    assert counts_from_dict(counts_to_dict(LEFT)) == LEFT
    assert counts_to_dict(LEFT)["rows"] == 6


def test_sums():
    assert add_months(LEFT, {"2024-01": MonthCount(1, 5)})["2024-01"] == MonthCount(3, 30)
