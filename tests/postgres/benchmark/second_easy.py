"""The easy and the simpler medium golds a second time, in pandas. Each returns the columns the question asks for."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from tests.postgres.benchmark.frames import Frames

Rows = list[tuple[Any, ...]]
Answer = Callable[[Frames], Rows]


def number(value: Any) -> Rows:
    return [(value,)]


def values(series: pd.Series) -> Rows:
    return [(value,) for value in series.unique()]


def pairs(series: pd.Series) -> Rows:
    return [(*(key if isinstance(key, tuple) else (key,)), value) for key, value in series.items()]


def percent(flags: pd.Series) -> float:
    return 100 * float(flags.mean())


def named(codes: pd.Series, names: dict[int, str]) -> pd.Series:
    return codes.dropna().astype(int).map(names)


def easy() -> dict[int, Answer]:
    return {
        1: lambda f: number(((f.rows.kind == "ROBBERY") & (f.rows.year == 2016)).sum()),
        2: lambda f: number((f.rows.domestic & f.rows.arrest).sum()),
        3: lambda f: pairs(f.rows.kind.value_counts().head(5)),
        4: lambda f: number(len(f.of_year(2018).query("kind == 'MOTOR VEHICLE THEFT'"))),
        5: lambda f: number(len(f.rows)),
        6: lambda f: number(len(f.of_type("HOMICIDE").query("year == 2016"))),
        7: lambda f: [(name,) for name in f.districts.values()],
        8: lambda f: number((~f.of_type("BATTERY").domestic).sum()),
        9: lambda f: number(f.rows.date.max()),
        10: lambda f: number(len(f.of_year(2015, 2016, 2017).query("kind == 'CRIMINAL DAMAGE'"))),
        11: lambda f: list(
            f.of_type("ARSON")
            .query("year == 2017")[["case_number", "date", "block"]]
            .itertuples(index=False, name=None)
        ),
        12: lambda f: number(f.rows.place.nunique()),
        13: lambda f: number(f.of_type("BURGLARY").weekday.isin(["SATURDAY", "SUNDAY"]).sum()),
        14: lambda f: values(f.rows.kind[f.rows.category == "VIOLENT"]),
        15: lambda f: number(f.rows.ward.isna().sum()),
        16: lambda f: number(((f.rows.iucr == "0860") & (f.rows.year > 2014)).sum()),
        17: lambda f: number(f.rows.days_to_update.max()),
        18: lambda f: number((f.rows.day == pd.Timestamp(2016, 12, 25)).sum()),
        19: lambda f: [(text,) for text in sorted(f.of_type("ARSON").description.unique())],
        20: lambda f: number(f.rows.description.str.contains("HANDGUN").sum()),
        21: lambda f: number((f.of_year(2018).part == "NIGHT").sum()),
        22: lambda f: number((f.of_type("HOMICIDE").ward == 28).sum()),
        23: lambda f: number(len(f.of_type("BURGLARY", "ROBBERY", "MOTOR VEHICLE THEFT").query("year == 2017"))),
        24: lambda f: number(percent(f.rows.arrest)),
        25: lambda f: number(f.rows.date.dt.year.min()),
        26: lambda f: number(f.rows.block.str.contains("MICHIGAN AVE", regex=False).sum()),
        27: lambda f: number(
            len(
                f.of_type("ASSAULT").query(
                    "hour >= 18 and month in (6, 7, 8) and weekday in ('FRIDAY', 'SATURDAY')", engine="python"
                )
            )
        ),
        28: lambda f: values(f.rows.risk),
        29: lambda f: number(f.rows.filled.sum()),
        30: lambda f: number(f.of_type("KIDNAPPING").date.min()),
    }


def medium() -> dict[int, Answer]:
    return {
        31: lambda f: [pair for pair in pairs(f.rows.kind.value_counts()) if pair[1] > 1000],
        32: lambda f: pairs(f.rows.groupby("year").size().sort_index()),
        33: lambda f: pairs(f.of_type("BURGLARY").place_kind.value_counts()),
        34: lambda f: pairs(
            named(f.of_type("CRIMINAL TRESPASS").query("arrest and year == 2017").district, f.districts).value_counts()
        ),
        35: lambda f: pairs(100 * f.rows.groupby("category").arrest.mean()),
        36: lambda f: pairs(named(f.of_type("MOTOR VEHICLE THEFT").area, f.areas).value_counts().head(10)),
        37: lambda f: [(n,) for n in named(f.rows.district[f.rows.arrest], f.districts).value_counts().head(5).index],
        38: lambda f: number(percent(f.of_type("BATTERY").query("domestic").arrest)),
        39: lambda f: number(f.of_type("THEFT").month.value_counts().idxmax()),
        40: lambda f: number(len(f.of_year(2017)) / 365),
        41: lambda f: pairs(100 * f.rows.groupby("weekend").arrest.mean()),
        43: lambda f: _more(f, "ward", f.wards, "DECEPTIVE PRACTICE", "ROBBERY"),
        44: lambda f: number(f.of_type("HOMICIDE").year.value_counts().idxmax()),
        45: lambda f: [(part, n, 100 * n / len(f.rows)) for part, n in f.rows.part.value_counts().items()],
        46: lambda f: number(
            named(f.rows.area[f.rows.arrest & (f.rows.fbi_code == "18")], f.areas).value_counts().idxmax()
        ),
        47: lambda f: pairs(f.rows.beat.value_counts().head(3)),
        48: lambda f: pairs(f.of_type("DECEPTIVE PRACTICE").query("year == 2016").groupby("quarter").size()),
        49: lambda f: pairs(100 * f.rows.groupby("season").domestic.mean()),
        50: lambda f: pairs(f.rows.groupby("category").days_to_update.mean()),
        51: lambda f: [
            (f.districts[int(code)], 100 * rate) for code, rate in f.rows.groupby("district").arrest.mean().items()
            if rate > 0.25
        ],
        52: lambda f: pairs(f.rows[f.rows.kind.str.endswith("SEXUAL ASSAULT")].groupby("year").size()),
        53: lambda f: [(kind,) for kind in f.rows[f.rows.place == "CTA BUS"].kind.value_counts().head(3).index],
        54: lambda f: [
            (percent(f.of_type("MOTOR VEHICLE THEFT").arrest), percent(f.rows.arrest[f.rows.iucr == "0860"])),
        ],
        55: lambda f: pairs(f.of_year(2017).query("place_kind == 'SCHOOL'").weekday.value_counts()),
        56: lambda f: number(f.rows.hour.value_counts().idxmin()),
        57: lambda f: [
            (f.wards[int(ward)], len(group), int(group.arrest.sum())) for ward, group in f.of_year(2018).groupby("ward")
        ],
        58: lambda f: [(kind,) for kind, rate in f.rows.groupby("kind").arrest.mean().items() if rate > 0.9],
        59: lambda f: pairs(100 * f.of_type("WEAPONS VIOLATION").risk.value_counts(normalize=True)),
        60: lambda f: [tuple((f.of_type("THEFT").query("year == 2016").month == month).sum() for month in (7, 12))],
        61: lambda f: number(f.of_type("HOMICIDE").query("year == 2016").area.nunique()),
        62: lambda f: [
            (name,) for name, n in named(f.rows.area[f.rows.category == "PROPERTY"], f.areas).value_counts().items()
            if n > 5000
        ],
        63: lambda f: pairs(f.of_type("MOTOR VEHICLE THEFT").place.value_counts().head(3)),
        64: lambda f: pairs(f.of_year(2017).query("area == 32").groupby("month").size()),
        65: lambda f: [
            (year, (group.category == "PROPERTY").sum() / (group.category == "VIOLENT").sum())
            for year, group in f.rows.groupby("year")
        ],
        66: lambda f: number(
            f.districts[
                int(f.rows.groupby("district").arrest.mean()[f.rows.district.value_counts() >= 1000].idxmin())
            ]
        ),
        67: lambda f: pairs(f.rows[f.rows.domestic & (f.rows.area == 68).fillna(False)].kind.value_counts()),
        68: lambda f: number(percent(f.rows[f.rows.index_crime].place_kind == "STREET")),
        69: lambda f: [
            (name,) for name, n in named(f.of_type("DECEPTIVE PRACTICE").ward, f.wards).value_counts().items()
            if n > 150
        ],
        70: lambda f: number(f.of_type("HOMICIDE").days_to_update.median()),
    }  # fmt: skip


def _more(frames: Frames, code: str, names: dict[int, str], first: str, second: str) -> Rows:
    counts = frames.of_type(first, second).groupby([code, "kind"]).size().unstack(fill_value=0)
    return [(names[int(key)],) for key, row in counts.iterrows() if row[first] > row[second]]
