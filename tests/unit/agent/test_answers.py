from datetime import datetime
from decimal import Decimal

import pytest
import yaml

from agent.guard import QueryResult
from agent.nodes.answers import compute_facts, narrate, unsupported_numbers
from include.settings import PROJECT_ROOT

CASES = yaml.safe_load((PROJECT_ROOT / "tests" / "fixtures" / "agent" / "narrations.yaml").read_text())


def cell(value: object) -> object:
    if isinstance(value, str) and value.startswith("decimal "):
        return Decimal(value.removeprefix("decimal "))
    if isinstance(value, str) and value.startswith("datetime "):
        return datetime.fromisoformat(value.removeprefix("datetime "))
    return value


def made(columns, rows, *, sql="SELECT 1", truncated=False) -> QueryResult:
    cells = tuple(tuple(cell(value) for value in row) for row in rows)
    return QueryResult(tuple(columns), ("",) * len(columns), cells, len(cells), truncated, 1.0, sql, "snap_x")


def result_of(case) -> QueryResult:
    return made(case["columns"], case["rows"], sql=case["sql"], truncated=case.get("truncated", False))


def check(case, text) -> tuple[str, ...]:
    result = result_of(case)
    return unsupported_numbers(text, question=case["question"], result=result, facts=compute_facts(result))


@pytest.mark.parametrize(("case", "text"), [(case, text) for case in CASES for text in case["right"]])
def test_right_narrations_pass(case, text):
    assert check(case, text) == ()


@pytest.mark.parametrize(
    ("case", "text", "found"), [(case, text, found) for case in CASES for text, found in case["wrong"].items()]
)
def test_wrong_narrations_are_caught(case, text, found):
    assert check(case, text) == tuple(found)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_deterministic_answers_pass_the_check(case):
    result = result_of(case)
    assert check(case, narrate(result, compute_facts(result))) == ()


@pytest.mark.parametrize(
    ("columns", "rows", "text"),
    [
        (["thefts"], [[64376]], "Thefts: 64,376."),
        (["n"], [[0]], "N: 0."),
        (["arrest_rate_pct"], [["decimal 23.170"]], "Arrest rate pct: 23.17%."),
        (["share"], [["decimal 0.0012345"]], "Share: 0.001235."),
        (["avg_days"], [["decimal 7.005"]], "Avg days: 7.01."),
        (["first"], [["datetime 2016-01-01T01:33:00"]], "First: 2016-01-01 01:33."),
        (["first"], [["datetime 2016-01-01T00:00:00"]], "First: 2016-01-01."),
        (["median"], [[None]], "There is no value for median: no row of the data has one."),
        (["arrest"], [[True]], "Arrest: yes."),
        (["YEAR"], [[2016]], "Year: 2016."),
        (["YEAR", "homicides"], [[2016, 790]], "Year 2016: 790."),
        (["arrests", "incidents"], [[10, 4000]], "Arrests 10, incidents 4,000."),
        (["name"], [], "Nothing in the data matches: the query returned no rows."),
        (["LOCATION_RISK"], [["HIGH"], ["LOW"]], "2 rows of location risk: HIGH, LOW."),
        (["YEAR", "n"], [[2015, 1000], [2016, None]], "2 rows: 2015: 1,000; 2016: unknown."),
        (
            ["CRIME_TYPE", "arrests", "rate_pct"],
            [["THEFT", 5, "decimal 1.50"], ["ARSON", 2, "decimal 20"]],
            "2 rows: THEFT: arrests 5, rate pct 1.5%; ARSON: arrests 2, rate pct 20%.",
        ),
    ],
)
def test_templates(columns, rows, text):
    result = made(columns, rows)
    assert narrate(result, compute_facts(result)) == text


def test_a_long_table_names_its_extremes_and_total():
    result = made(["ward_name", "n"], [[f"Ward {number}", number * 10] for number in range(1, 13)])
    text = narrate(result, compute_facts(result))
    assert text.startswith("12 rows, the first 10 of which are: Ward 1: 10; Ward 2: 20;")
    assert text.endswith("Highest: Ward 12 with 120. Lowest: Ward 1 with 10. Total over all rows: 780.")


def test_tied_extremes_and_percentages_have_no_row_and_no_total():
    result = made(["ward_name", "arrest_pct"], [[f"Ward {number}", Decimal(number % 2)] for number in range(1, 13)])
    facts = compute_facts(result)
    assert (facts.columns[1].highest_row, facts.columns[1].total) == (None, None)
    assert narrate(result, facts).count("Total") == 0


def test_a_truncated_table_says_so_and_gives_no_totals():
    result = made(["ward_name", "n"], [[f"Ward {number}", number] for number in range(1, 13)], truncated=True)
    text = narrate(result, compute_facts(result))
    assert "Only the first 12 rows were fetched" in text
    assert "Highest" not in text
    assert "Total" not in text


def test_names_that_are_numbers_have_no_total():
    columns = compute_facts(made(["YEAR", "district_id", "n"], [[2015, 1, 5], [2016, 2, 7]])).columns
    assert [column.total for column in columns] == [None, None, 12]
    assert [column.names for column in columns] == [True, True, False]
