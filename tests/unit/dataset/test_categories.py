"""The reviewed tables: every known value has its place."""

import csv
import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

from include.dataset import (
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


def values(shared_data: Path, *names: str) -> set[str]:
    """Every value of the columns of these names in all files of the real data."""
    found: set[str] = set()
    for path in (*shared_data.glob("lookups/*.csv"), *shared_data.glob("real/*.csv*")):
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found |= {row[name] for name in names if row.get(name)}
    frame = pd.read_parquet(
        shared_data / "real" / "crimes_2015_2018.parquet", columns=["primary_type", "location_description"]
    )
    for path in shared_data.glob("real/*.json"):
        found |= {row[name] for row in json.loads(path.read_text()) for name in names if row.get(name)}
    return found | {value for name in names if name in frame for value in frame[name].dropna().unique()}


@pytest.mark.real_rows
def test_every_known_crime_type_has_a_category(shared_data: Path) -> None:
    known = values(shared_data, "primary_type", "Primary Type", "primary_description")
    assert len(known) > 35
    assert {value for value in known if normalised(value) not in CRIME_CATEGORY_BY_TYPE} == set()


@pytest.mark.real_rows
def test_every_known_location_has_a_category(shared_data: Path) -> None:
    known = values(shared_data, "location_description", "Location Description")
    assert len(known) > 200
    assert {value for value in known if normalised(value) not in LOCATION_CATEGORY_BY_DESCRIPTION} == set()


def test_every_category_is_used_and_known() -> None:
    assert set(CRIME_CATEGORY_BY_TYPE.values()) == set(CRIME_CATEGORIES)
    assert set(LOCATION_CATEGORY_BY_DESCRIPTION.values()) == set(LOCATION_CATEGORIES) == set(LOCATION_RISK_BY_CATEGORY)
    assert set(LOCATION_RISK_BY_CATEGORY.values()) == set(LOCATION_RISKS)


def test_spelling_variants_have_the_same_category() -> None:
    """Two values that agree in their letters are one place."""
    by_letters: dict[str, set[str]] = {}
    for value, category in LOCATION_CATEGORY_BY_DESCRIPTION.items():
        by_letters.setdefault("".join(filter(str.isalnum, value)), set()).add(category)
    assert {letters: found for letters, found in by_letters.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("crime_type", "category"),
    [
        ("HOMICIDE", "VIOLENT"),
        ("Robbery", "VIOLENT"),
        ("BURGLARY", "PROPERTY"),
        ("DECEPTIVE PRACTICE", "PROPERTY"),
        ("NARCOTICS", "DRUG"),
        ("CRIM SEXUAL ASSAULT", "SEX"),
        ("CRIMINAL SEXUAL ASSAULT", "SEX"),
        ("CONCEALED CARRY LICENSE VIOLATION", "WEAPONS"),
        ("GAMBLING", "PUBLIC ORDER"),
        ("NON - CRIMINAL", "OTHER"),
        ("NON-CRIMINAL", "OTHER"),
        ("  non-criminal  (subject   specified) ", "OTHER"),
        ("PIRACY", "OTHER"),
        ("", "OTHER"),
    ],
)
def test_crime_category(crime_type: str, category: str) -> None:
    assert crime_category(crime_type) == category


@pytest.mark.parametrize(
    ("location", "category", "risk"),
    [
        ("STREET", "STREET", "HIGH"),
        ("RESIDENCE-GARAGE", "RESIDENTIAL", "MEDIUM"),
        ("RESIDENCE - GARAGE", "RESIDENTIAL", "MEDIUM"),
        ("VEHICLE-COMMERCIAL", "VEHICLE", "MEDIUM"),
        ("VEHICLE - COMMERCIAL", "VEHICLE", "MEDIUM"),
        ('CTA "L" TRAIN', "TRANSIT", "HIGH"),
        ("SCHOOL, PUBLIC, BUILDING", "SCHOOL", "LOW"),
        ("SCHOOL - PUBLIC BUILDING", "SCHOOL", "LOW"),
        ("LAGOON", "PARK", "HIGH"),
        ("LIBRARY", "GOVERNMENT", "LOW"),
        ("HOSPITAL BUILDING / GROUNDS", "MEDICAL", "MEDIUM"),
        ("ANIMAL HOSPITAL", "COMMERCIAL", "MEDIUM"),
        ("OTHER (SPECIFY)", "OTHER", "LOW"),
        ("OTHER OFFENSE", "OTHER", "LOW"),
        ("MOON BASE", "OTHER", "LOW"),
    ],
)
def test_location_category(location: str, category: str, risk: str) -> None:
    assert location_category(location) == category
    assert location_risk(category) == risk
