"""The three tables of names. Their rows are CSV files beside this module."""

import csv
from pathlib import Path

from include.dataset.tables import Column, Lookup

_FOLDER = Path(__file__).parent


def _lookup(name: str, *, label: str, fact_column: str, what: str, description: str) -> Lookup:
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return Lookup(
        name=name,
        description=description,
        key=header[0],
        columns=(
            Column(header[0], "smallint", f"Number of the {what}.", nullable=False),
            Column(header[1], "text", f"Name of the {what}, in title case.", nullable=False),
        ),
        label=label,
        fact_column=fact_column,
        rows=tuple((int(code), title) for code, title in rows),
    )


DISTRICT_NAMES = _lookup(
    "district_names",
    label="District",
    fact_column="DISTRICT",
    what="police district",
    description="Names of the 22 police districts, and District 31 (outside the patrol districts).",
)
COMMUNITY_AREA_NAMES = _lookup(
    "community_area_names",
    label="Community Area",
    fact_column="COMMUNITY_AREA",
    what="community area",
    description="Names of the 77 community areas.",
)
WARD_NAMES = _lookup(
    "ward_names",
    label="Ward",
    fact_column="WARD",
    what="ward",
    description="Names of the 50 wards: Ward 1 to Ward 50.",
)
LOOKUPS: tuple[Lookup, ...] = (DISTRICT_NAMES, COMMUNITY_AREA_NAMES, WARD_NAMES)
