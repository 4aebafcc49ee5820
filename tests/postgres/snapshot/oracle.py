"""The rules of the snapshot a second time, in pandas, row by row and without regard to speed.

Written against the rules' text, not against the SQL; only the reviewed tables are shared with it.
"""

from collections import Counter
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

import pandas as pd

from include.dataset import COLUMNS, crime_category, location_category, location_risk

COORDINATES = {
    "X_COORDINATE": "x_coordinate",
    "Y_COORDINATE": "y_coordinate",
    "LATITUDE": "latitude",
    "LONGITUDE": "longitude",
}
SEASONS = {12: "WINTER", 1: "WINTER", 2: "WINTER", 3: "SPRING", 4: "SPRING", 5: "SPRING"} | {
    6: "SUMMER", 7: "SUMMER", 8: "SUMMER", 9: "FALL", 10: "FALL", 11: "FALL"
}  # fmt: skip
INDEX = {"01A", "02", "03", "04A", "04B", "05", "06", "07", "09"}


@dataclass(frozen=True)
class Expected:
    """`rows` has the 38 columns, ordered by ID, with None for null; `ledger` counts cells by column and rule."""

    rows: pd.DataFrame
    ledger: Counter[tuple[str, str]]
    rejected: frozenset[int]


def apply_rules(raw: pd.DataFrame) -> Expected:
    """Apply the rules to source rows whose missing cells are None, of the columns of `raw.crime`."""
    ledger: Counter[tuple[str, str]] = Counter()
    source = raw.astype(object).where(raw.notna(), None)
    source = source[source["deleted_at"].map(lambda value: value is None)] if "deleted_at" in source else source
    records = source.sort_values("id").to_dict("records")
    for record in records:
        record["filled"] = set()
        year = record["year"]
        record["YEAR"] = int(year) if year is not None else record["date"].year if record["date"] is not None else None
        if year is None and record["date"] is not None:
            record["filled"].add(("YEAR", "from date"))
    kept = _date_all(records)
    _locate_all(kept)
    rows = []
    for record in kept:
        row = _row(record)
        ledger.update(record["filled"])
        names = [column.name for column in COLUMNS]
        row["IMPUTED_FIELDS"] = ",".join(sorted({name for name, _ in record["filled"]}, key=names.index))
        rows.append([row[name] for name in names])
    ids = {int(record["id"]) for record in kept}
    return Expected(
        rows=pd.DataFrame(rows, columns=[column.name for column in COLUMNS], dtype=object),
        ledger=ledger,
        rejected=frozenset(int(record["id"]) for record in records if int(record["id"]) not in ids),
    )


def _date_all(records: list[dict]) -> list[dict]:
    kept = []
    by_year: dict[int, Counter] = {}
    for record in records:
        if record["date"] is not None:
            by_year.setdefault(record["YEAR"], Counter())[record["date"]] += 1
    for record in records:
        record["INCIDENT_DATE"] = record["date"]
        if record["date"] is None:
            counts = by_year.get(record["YEAR"])
            if not counts:
                continue
            most = max(counts.values())
            record["INCIDENT_DATE"] = min(date for date, count in counts.items() if count == most)
            record["filled"].add(("INCIDENT_DATE", "mode of year"))
        kept.append(record)
    return kept


def _locate_all(records: list[dict]) -> None:
    donors: dict[str, dict] = {}
    beats: dict[str, list[dict]] = {}
    for record in records:
        record["BLOCK"], record["BEAT"] = _upper(record["block"]), _padded(record["beat"])
        record["hidden"] = _is_placeholder(record)
        record["located"] = not record["hidden"] and all(record[name] is not None for name in COORDINATES.values())
        if record["located"]:
            beats.setdefault(record["BEAT"], []).append(record)
            best = donors.get(record["BLOCK"])
            if best is None or _age(record) < _age(best):
                donors[record["BLOCK"]] = record
    means: dict[str, dict] = {}
    for record in records:
        donor = donors.get(record["BLOCK"]) if record["BLOCK"] is not None else None
        beat = record["BEAT"]
        if record["located"]:
            chosen, rule = record, None
        elif donor is not None:
            chosen, rule = donor, "block donor"
        elif beat in beats and beat is not None:
            chosen, rule = means.setdefault(beat, _mean(beats[beat])), "beat mean"
        else:
            chosen, rule = (dict.fromkeys(COORDINATES.values()) if record["hidden"] else record), None
        for name, field in COORDINATES.items():
            record[name] = chosen[field]
            if rule:
                record["filled"].add((name, rule))


def _row(record: dict) -> dict:
    date, updated = record["INCIDENT_DATE"], record["updated_on"]
    row = {name: record[name] for name in ("INCIDENT_DATE", "BLOCK", "BEAT", "YEAR", *COORDINATES)}
    row |= {"ID": int(record["id"]), "ARREST": record["arrest"], "DOMESTIC": record["domestic"], "UPDATED_ON": updated}
    row |= {name: _upper(record[name.lower()]) for name in ("CASE_NUMBER", "IUCR", "FBI_CODE")}
    for name, field in (
        ("CRIME_TYPE", "primary_type"),
        ("DESCRIPTION", "description"),
        ("LOCATION_DESCRIPTION", "location_description"),
    ):
        row[name] = _upper(record[field])
        if row[name] is None:
            row[name] = "OTHER OFFENSE"
            record["filled"].add((name, "constant"))
    district = (record["district"] or "").strip(" \t\r\n")
    row["DISTRICT"] = int(district) if district.isascii() and district.isdigit() and len(district) < 5 else None
    for name in ("WARD", "COMMUNITY_AREA"):
        code = record[name.lower()]
        row[name] = int(code) if code is not None and 1 <= code <= 32767 else None
    row["LOCATION"] = (
        None
        if row["LATITUDE"] is None or row["LONGITUDE"] is None
        else f"({_number(row['LATITUDE'])}, {_number(row['LONGITUDE'])})"
    )
    row |= {"MONTH": date.month, "DAY": date.day, "HOUR": date.hour, "QUARTER": (date.month + 2) // 3}
    row |= {"DAY_OF_WEEK": date.strftime("%A").upper(), "IS_WEEKEND": date.strftime("%a") in ("Sat", "Sun")}
    row |= {"SEASON": SEASONS[date.month], "TIME_OF_DAY": _time_of_day(date.hour)}
    row["CRIME_CATEGORY"] = crime_category(row["CRIME_TYPE"])
    row["LOCATION_CATEGORY"] = location_category(row["LOCATION_DESCRIPTION"])
    row["LOCATION_RISK"] = location_risk(row["LOCATION_CATEGORY"])
    row["IS_INDEX_CRIME"] = row["FBI_CODE"] in INDEX
    for name, word in (("ARREST", "ARREST"), ("DOMESTIC", "DOMESTIC")):
        flag = record[name.lower()]
        row[f"{name}_STATUS"] = (
            "UNKNOWN" if flag is None else word if flag else f"N{'O' if word == 'ARREST' else 'OT'} {word}"
        )
        if flag is None:
            record["filled"].add((f"{name}_STATUS", "unknown"))
    row["DAYS_TO_UPDATE"] = None if updated is None else (updated.date() - date.date()).days
    return row


def _age(record: dict) -> tuple:
    return record["date"] is None, record["date"] or pd.Timestamp(0), record["id"]


def _is_placeholder(record: dict) -> bool:
    x, y, lat, lon = (record[name] for name in COORDINATES.values())
    return (x == 0 and y == 0) or (lat == 0 and lon == 0) or (lat == 36.619446395 and lon == -91.686565684)


def _mean(records: list[dict]) -> dict:
    return {
        field: float(
            (sum(Decimal(f"{record[field]:.15g}") for record in records) / len(records)).quantize(
                Decimal(1) if "coordinate" in field else Decimal("1e-9"), ROUND_HALF_UP
            )
        )
        for field in COORDINATES.values()
    }


def _upper(value: str | None) -> str | None:
    return ((value or "").strip(" \t\r\n") or None) and value.strip(" \t\r\n").upper()


def _padded(beat: str | None) -> str | None:
    text = _upper(beat)
    return text and text.rjust(4, "0")


def _number(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def _time_of_day(hour: int) -> str:
    return "NIGHT" if hour < 6 else "MORNING" if hour < 12 else "AFTERNOON" if hour < 18 else "EVENING"
