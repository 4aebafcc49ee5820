"""The statistics of the real rows that the generator draws from (`facts/*.csv`)."""

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from include.source.simulator.generator.draws import Floats, Grouped

FACTS_DIR = Path(__file__).resolve().parent.parent / "facts"
FIRST_YEAR, LAST_YEAR = 2001, 2060
NEW_WORDS_FROM = 2019
"""Year from which descriptions and locations carry their new wording."""

MONTHS = np.array([7.856, 6.837, 8.133, 8.144, 8.922, 9.003, 9.361, 9.238, 8.575, 8.549, 7.794, 7.588])
WEEKDAYS = np.array([14.166, 14.122, 14.238, 14.153, 14.993, 14.423, 13.906])
MONTH_DAYS = np.array([31, 28.25, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
FIRST_OF_MONTH, NEW_YEARS_DAY = 1.22, 1.72
_OLD_NAMES = {"CRIMINAL SEXUAL ASSAULT": "CRIM SEXUAL ASSAULT", "RITUALISM": "BATTERY", "DOMESTIC VIOLENCE": "BATTERY"}
_RARE = (
    ("RITUALISM", "0490", "AGG RITUAL MUT:HANDGUN", "04B", 0.1, 0.05),
    ("RITUALISM", "0492", "AGG RIT MUT: OTH DANG WEAPON", "04B", 0.1, 0.05),
    ("RITUALISM", "0493", "AGG RIT MUT: HANDS/FIST/FEET", "04B", 0.1, 0.05),
    ("DOMESTIC VIOLENCE", "9901", "DOMESTIC VIOLENCE", "08B", 1.0, 1.0),
)


@dataclass(frozen=True)
class Facts:
    """Names and distributions; arrays by year start at `FIRST_YEAR`."""

    types: tuple[str, ...]
    combos: tuple[tuple[str, str, str, str], ...]
    """(primary_type, iucr, description, fbi_code)."""
    combo_type: npt.NDArray[np.int64]
    combo_new: npt.NDArray[np.bool_]
    """Whether a combination has the wording of 2023-25."""
    combo_share: Floats
    """Within the combinations of its type and wording."""
    arrest: Floats
    domestic: Floats
    year_rows: Floats
    year_rates: dict[str, Floats]
    type_share: Floats
    """By year and type."""
    no_coords: Floats
    """By type, relative to the mean of all types."""
    no_location: Floats
    locations: tuple[str, ...]
    location_draw: tuple[Grouped, Grouped]
    """By type: the old words and the new."""
    hour_draw: Grouped
    district_draw: Grouped
    block_draw: Grouped
    """By district."""
    blocks: tuple[str, ...]
    block_cell: npt.NDArray[np.int64]
    block_lat: Floats
    block_lon: Floats
    cells: tuple[tuple[str, str, int, str], ...]
    """(district, beat, ward, community_area)."""


@lru_cache(maxsize=1)
def load_facts() -> Facts:
    """Read the statistics, once."""
    types = _read("types.csv")
    names = tuple(row["primary_type"] for row in types)
    number = {name: index for index, name in enumerate(names)}
    combos = _combos()
    kinds = np.array([number[c[0]] for c in combos])
    fresh = np.array([c[7] for c in combos], dtype=bool)
    counts = np.array([c[6] for c in combos])
    sums = np.zeros((2, len(names)))
    np.add.at(sums, (fresh.astype(int), kinds), counts)
    years = _years()
    old, new, location_names = _locations(names)
    cells = tuple((r["district"], r["beat"], int(r["ward"]), r["community_area"]) for r in _read("cells.csv"))
    blocks = _read("blocks.csv")
    districts = sorted({cell[0] for cell in cells})
    block_cell = np.array([int(r["cell"]) for r in blocks])
    weights = np.zeros((len(districts), len(blocks)))
    home = np.array([districts.index(cell[0]) for cell in cells])[block_cell]
    weights[home, np.arange(len(blocks))] = [float(r["weight"]) for r in blocks]
    return Facts(
        types=names,
        combos=tuple(c[:4] for c in combos),
        combo_type=kinds,
        combo_new=fresh,
        combo_share=counts / sums[fresh.astype(int), kinds],
        arrest=np.array([c[4] for c in combos]),
        domestic=np.array([c[5] for c in combos]),
        year_rows=years["rows"],
        year_rates=years,
        type_share=_type_shares(types, years),
        no_coords=np.array([float(r["no_coords_pct"]) for r in types]) / 0.732,
        no_location=np.array([{"DECEPTIVE PRACTICE": 15.2, "THEFT": 0.56}.get(name, 0.002) for name in names]),
        locations=location_names,
        location_draw=(Grouped(old), Grouped(new)),
        hour_draw=Grouped(_by_type(names, "type_hour.csv", "hour", [str(h) for h in range(24)])),
        district_draw=Grouped(_by_type(names, "type_district.csv", "district", districts)),
        block_draw=Grouped(weights),
        blocks=tuple(r["block"] for r in blocks),
        block_cell=block_cell,
        block_lat=np.array([float(r["lat"]) for r in blocks]),
        block_lon=np.array([float(r["lon"]) for r in blocks]),
        cells=cells,
    )


def _read(name: str) -> list[dict[str, str]]:
    with (FACTS_DIR / name).open(newline="") as stream:
        return list(csv.DictReader(stream))


def _combos() -> list[tuple[str, str, str, str, float, float, float, bool]]:
    found: list[tuple[str, str, str, str, float, float, float, bool]] = []
    for name, fresh in (("combos_2012_2018.csv", False), ("combos_2023_2025.csv", True)):
        for row in _read(name):
            rates = float(row["arrest_rate"]), float(row["domestic_rate"]), float(row["n"])
            found.append((row["primary_type"], row["iucr"], row["description"], row["fbi_code"], *rates, fresh))
    found += [(*row, 1.0, False) for row in _RARE]
    return found


def _years() -> dict[str, Floats]:
    rows = {int(row["year"]): row for row in _read("years.csv")}
    last = max(rows)
    columns = [name for name in rows[last] if name != "year"]
    years = range(FIRST_YEAR, LAST_YEAR + 1)
    return {name: np.array([float(rows[min(year, last)][name]) for year in years]) for name in columns}


def _type_shares(types: list[dict[str, str]], years: dict[str, Floats]) -> Floats:
    calendar = np.arange(FIRST_YEAR, LAST_YEAR + 1)
    drift = np.clip((calendar - 2018) / 7, 0, 1)
    shares = np.zeros((len(calendar), len(types)))
    for index, row in enumerate(types):
        old, new = float(row["share_2012_2018"]), float(row["share_2025"])
        shares[:, index] = old * (1 - drift) + new * drift
        if row["primary_type"] == "CRIMINAL SEXUAL ASSAULT":
            shares[calendar >= NEW_WORDS_FROM, index] = new
        if row["primary_type"] == "HOMICIDE":
            shares[:, index] = years["homicides"] / years["rows"]
        first, last = int(row["first_year"] or FIRST_YEAR), int(row["last_year"] or LAST_YEAR)
        shares[(calendar < first) | (calendar > last), index] = 0
    normal: Floats = shares / shares.sum(axis=1, keepdims=True)
    return normal


def _locations(types: tuple[str, ...]) -> tuple[Floats, Floats, tuple[str, ...]]:
    drift = _read("location_drift.csv")
    names = list(dict.fromkeys([r["location_2012_2018"] for r in drift] + [r["location_2023_2025"] for r in drift]))
    names.append("CASINO/GAMBLING ESTABLISHMENT")
    old = _by_type(types, "type_location.csv", "location_description", names)
    new = np.zeros_like(old)
    for row in drift:
        source, target = names.index(row["location_2012_2018"]), names.index(row["location_2023_2025"])
        new[:, target] += old[:, source] * float(row["share_ratio"])
    # Opened in 2023: no old place has its share.
    new[:, -1] = new.sum(axis=1) * 0.00023
    return old, new, tuple(names)


def _by_type(types: tuple[str, ...], file: str, column: str, items: list[str]) -> Floats:
    counts = np.zeros((len(types), len(items)))
    place = {item: index for index, item in enumerate(items)}
    rows = _read(file)
    for index, name in enumerate(types):
        known = name if any(r["primary_type"] == name for r in rows) else _OLD_NAMES.get(name, name)
        for row in rows:
            if row["primary_type"] == known and row[column] in place:
                counts[index, place[row[column]]] += float(row["n"])
    return counts
