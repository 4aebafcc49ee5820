"""The reviewed tables: crime type -> crime category, location description -> location category -> location risk.

They are CSV files beside this module. Values are matched in upper case with runs of white space collapsed, so spacing
and case do not matter; other spelling variants have a line of their own.
"""

import csv
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

OTHER = "OTHER"
_FOLDER = Path(__file__).parent


def crime_category(crime_type: str) -> str:
    """Return the category of a crime type; OTHER for one that the table does not list."""
    return CRIME_CATEGORY_BY_TYPE.get(normalised(crime_type), OTHER)


def location_category(location_description: str) -> str:
    """Return the category of a location description; OTHER for one that the table does not list."""
    return LOCATION_CATEGORY_BY_DESCRIPTION.get(normalised(location_description), OTHER)


def location_risk(category: str) -> str:
    """Return the risk of a location category.

    Raises:
        KeyError: when there is no such category.
    """
    return LOCATION_RISK_BY_CATEGORY[category]


def normalised(value: str) -> str:
    """Return the form in which values are matched: upper case, no blanks at the ends, single blanks inside."""
    return " ".join(value.upper().split())


def _mapping(name: str) -> Mapping[str, str]:
    with (_FOLDER / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    mapping = {normalised(row[0]): row[1] for row in rows}
    if len(mapping) != len(rows):
        raise ValueError(f"{name} lists a value twice")
    return MappingProxyType(mapping)


CRIME_CATEGORIES = ("VIOLENT", "PROPERTY", "DRUG", "SEX", "WEAPONS", "PUBLIC ORDER", "OTHER")
LOCATION_CATEGORIES = (
    "RESIDENTIAL", "STREET", "COMMERCIAL", "TRANSIT", "VEHICLE", "SCHOOL", "PARK", "GOVERNMENT", "MEDICAL", "OTHER",
)  # fmt: skip
LOCATION_RISKS = ("HIGH", "MEDIUM", "LOW")
CRIME_CATEGORY_BY_TYPE = _mapping("crime_categories.csv")
LOCATION_CATEGORY_BY_DESCRIPTION = _mapping("location_categories.csv")
LOCATION_RISK_BY_CATEGORY = _mapping("location_risks.csv")
