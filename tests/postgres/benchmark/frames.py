"""The real rows as a pandas frame with the derived columns, written apart from the SQL that the platform runs."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from include.dataset import INDEX_CRIME_CODES, crime_category, location_category, location_risk

SEASONS = {12: "WINTER", 1: "WINTER", 2: "WINTER", 3: "SPRING", 4: "SPRING", 5: "SPRING", 6: "SUMMER", 7: "SUMMER"}
PARTS = ("NIGHT", "MORNING", "AFTERNOON", "EVENING")


@dataclass(frozen=True)
class Frames:
    """All incidents, and the names of districts, community areas and wards by code."""

    rows: pd.DataFrame
    districts: dict[int, str]
    areas: dict[int, str]
    wards: dict[int, str]

    def of_type(self, *types: str) -> pd.DataFrame:
        return self.rows[self.rows.kind.isin(types)]

    def of_year(self, *years: int) -> pd.DataFrame:
        return self.rows[self.rows.year.isin(years)]


def read_real_rows(shared_data: Path, *, every: int = 1) -> pd.DataFrame:
    """Return the source rows whose id divides by `every`, untouched."""
    rows = pd.read_parquet(shared_data / "real" / "crimes_2015_2018.parquet")
    return rows[rows.id % every == 0].reset_index(drop=True)


def make_frames(source: pd.DataFrame, shared_data: Path) -> Frames:
    """Derive the columns the golds use from source rows."""
    rows = source.rename(columns={"primary_type": "kind", "location_description": "place", "community_area": "area"})
    rows["date"] = pd.to_datetime(rows["date"])
    rows["day"] = rows.date.dt.normalize()
    rows["days_to_update"] = (pd.to_datetime(rows.updated_on).dt.normalize() - rows.day).dt.days
    for code in ("district", "ward", "area", "year"):
        rows[code] = pd.to_numeric(rows[code]).astype("Int64")
        rows[code] = rows[code].mask(rows[code] == 0)
    coordinates = pd.to_numeric(rows.latitude)
    rows["located"] = coordinates.notna() & (coordinates > 41)
    rows["filled"] = rows.place.isna() | (~rows.located & _has_donor(rows))
    for text in ("kind", "description", "place", "block"):
        rows[text] = rows[text].str.upper().fillna("OTHER OFFENSE")
    rows["month"], rows["hour"], rows["quarter"] = rows.date.dt.month, rows.date.dt.hour, rows.date.dt.quarter
    rows["weekday"] = rows.date.dt.day_name().str.upper()
    rows["weekend"] = rows.date.dt.day_of_week >= 5
    rows["season"] = rows.month.map(SEASONS | {8: "SUMMER", 9: "FALL", 10: "FALL", 11: "FALL"})
    rows["part"] = (rows.hour // 6).map(dict(enumerate(PARTS)))
    rows["category"] = rows.kind.map({kind: crime_category(kind) for kind in rows.kind.unique()})
    rows["place_kind"] = rows.place.map({place: location_category(place) for place in rows.place.unique()})
    rows["risk"] = rows.place_kind.map(location_risk)
    rows["index_crime"] = rows.fbi_code.isin(INDEX_CRIME_CODES)
    return Frames(rows, *_names(shared_data))


def _has_donor(rows: pd.DataFrame) -> pd.Series:
    blocks = set(rows.block[rows.located].str.upper())
    beats = set(rows.beat[rows.located])
    return rows.block.str.upper().isin(blocks) | rows.beat.isin(beats)


def _names(shared_data: Path) -> tuple[dict[int, str], dict[int, str], dict[int, str]]:
    folder = shared_data / "lookups"
    districts = pd.read_csv(folder / "police_districts.csv")
    labels = districts.district_name.fillna("District " + districts.district_num.astype(str))
    areas = pd.read_csv(folder / "community_areas.csv")
    wards = pd.read_csv(folder / "wards.csv")
    return (
        dict(zip(districts.district_num, labels, strict=True)),
        dict(zip(areas.community_area, areas.name_title, strict=True)),
        dict(zip(wards.ward_id, wards.ward_name, strict=True)),
    )
