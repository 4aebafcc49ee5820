"""Dates and clock times as people write them, and the conditions they become."""

import pytest

from agent.semantic import Vocabulary, interpret

CASES = {
    "in 2019": '"YEAR" = 2019',
    "since 2015": '"YEAR" >= 2015',
    "2015 onwards": '"YEAR" >= 2015',
    "after 2015": '"YEAR" > 2015',
    "before 2010": '"YEAR" < 2010',
    "until 2010": '"YEAR" <= 2010',
    "from 2015 to 2018": '"YEAR" >= 2015 AND "YEAR" <= 2018',
    "2015-2018": '"YEAR" >= 2015 AND "YEAR" <= 2018',
    "between 2015 and 2018": '"YEAR" >= 2015 AND "YEAR" <= 2018',
    "in 2015 and 2018": '"YEAR" IN (2015, 2018)',
    "in the 2010s": '"YEAR" >= 2010 AND "YEAR" <= 2019',
    "in March 2020": '"YEAR" = 2020 AND "MONTH" = 3',
    "between March and May 2020": "\"INCIDENT_DATE\" >= '2020-03-01' AND \"INCIDENT_DATE\" < '2020-06-01'",
    "from June 2012 to August 2013": "\"INCIDENT_DATE\" >= '2012-06-01' AND \"INCIDENT_DATE\" < '2013-09-01'",
    "in January and February 2020": '"MONTH" IN (1, 2) AND "YEAR" = 2020',
    "from June to August": '"MONTH" >= 6 AND "MONTH" <= 8',
    "in December": '"MONTH" = 12',
    "in the last quarter of 2019": '"YEAR" = 2019 AND "QUARTER" = 4',
    "in Q1 2019": '"YEAR" = 2019 AND "QUARTER" = 1',
    "in the first half of 2020": '"YEAR" = 2020 AND "MONTH" >= 1 AND "MONTH" <= 6',
    "in the last three months of 2016": '"YEAR" = 2016 AND "QUARTER" = 4',
    "in the first two months of 2016": '"YEAR" = 2016 AND "MONTH" >= 1 AND "MONTH" <= 2',
    "on July 4th, 2016": "\"INCIDENT_DATE\" >= '2016-07-04' AND \"INCIDENT_DATE\" < '2016-07-05'",
    "on 4 July 2016": "\"INCIDENT_DATE\" >= '2016-07-04' AND \"INCIDENT_DATE\" < '2016-07-05'",
    "on 2016-07-04": "\"INCIDENT_DATE\" >= '2016-07-04' AND \"INCIDENT_DATE\" < '2016-07-05'",
    "on July 4th": '"MONTH" = 7 AND "DAY" = 4',
    "on Christmas Day": '"MONTH" = 12 AND "DAY" = 25',
    "after 8 pm": '"HOUR" >= 20',
    "before noon": '"HOUR" < 12',
    "at 3 am": '"HOUR" = 3',
    "between 10 pm and 4 am": '("HOUR" >= 22 OR "HOUR" < 4)',
    "between 8 and 11 pm": '"HOUR" >= 20 AND "HOUR" < 23',
    "from midnight up to, but not including, 6 am": '"HOUR" >= 0 AND "HOUR" < 6',
    "in the summer of 2018": '"SEASON" = \'SUMMER\' AND "YEAR" = 2018',
}


@pytest.mark.parametrize(("phrase", "condition"), CASES.items())
def test_date_becomes_condition(phrase: str, condition: str, vocabulary: Vocabulary) -> None:
    read = interpret(f"How many incidents were there {phrase}?", vocabulary=vocabulary)
    assert read.sql is not None, read.refusal
    assert " ".join(read.sql.replace("(\n", "(").split()).replace("( ", "(").replace(" )", ")") == (
        f"SELECT COUNT(*) AS incidents FROM crime_incidents WHERE {condition}"
    )
