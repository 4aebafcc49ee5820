"""The hard golds a second time, in pandas."""

from itertools import pairwise

import pandas as pd

from tests.postgres.benchmark.frames import Frames
from tests.postgres.benchmark.second_easy import Answer, Rows, named, number, pairs, percent, values


def hard() -> dict[int, Answer]:
    return {
        71: _commonest_by_district,
        72: _yearly_change,
        73: lambda f: [
            (f.areas[int(area)],)
            for area, share in f.rows.groupby("area").domestic.mean().items()
            if share > f.rows.domestic.mean()
        ],
        74: _two_per_category,
        75: _rising_types,
        76: _running_robberies,
        77: _peak_hours,
        78: lambda f: [
            (f.districts[int(district)],)
            for district, rates in _rates(f, 2015, 2017).iterrows()
            if rates[2015] - rates[2017] > 0.05
        ],
        79: lambda f: number(100 * f.rows.beat.value_counts().head(10).sum() / len(f.rows)),
        80: lambda f: values(pd.Series(sorted(_top_five(f, "NIGHT") & _top_five(f, "MORNING")))),
        81: lambda f: number(f.of_type("HOMICIDE").day.sort_values().diff().dt.days.max()),
        82: lambda f: [
            (year, *pairs(named(f.of_year(year).area, f.areas).value_counts().head(1))[0])
            for year in (2015, 2016, 2017)
        ],
        83: _busy_days,
        84: lambda f: [(f.wards[ward],) for ward in _top_wards(f, "VIOLENT") & _top_wards(f, "PROPERTY")],
        85: lambda f: [(kind,) for kind in set(f.rows.kind[_in(f, 7)]) - set(f.rows.kind[_in(f, 9)])],
        86: lambda f: [
            (f.districts[int(code)], 100 * rate - percent(f.rows.arrest))
            for code, rate in f.rows.groupby("district").arrest.mean().items()
        ],
        87: lambda f: number(
            100 * f.of_type("HOMICIDE").area.value_counts().head(5).sum() / len(f.of_type("HOMICIDE"))
        ),
        88: lambda f: number(
            len(
                set(f.of_type("ROBBERY").query("year == 2017").block)
                & set(f.of_type("BURGLARY").query("year == 2017").block)
            )
        ),
        89: _violent_part_of_season,
        90: _violent_ranking,
        91: lambda f: number(sum(n * (n - 1) // 2 for n in f.of_type("THEFT").groupby(["block", "day"]).size())),
        92: lambda f: [
            (kind,) for kind, n in f.rows[f.rows.area.between(1, 77)].groupby("kind").area.nunique().items() if n == 77
        ],
        93: _steepest_month,
        94: _shared_case_numbers,
        95: _share_shift,
        96: lambda f: [
            (f.areas[area], category, 100 * share)
            for area in (25, 32)
            for category, share in f.rows.category[_in(f, area)].value_counts(normalize=True).items()
        ],
        97: _largest_losses,
        98: _beat_groups,
        99: lambda f: number(
            len(set(f.of_year(2017).day) - set(f.of_type("BURGLARY").query("year == 2017 and district == 11").day))
        ),
        100: _above_average,
    }


def _in(frames: Frames, area: int) -> pd.Series:
    return (frames.rows.area == area).fillna(False).astype(bool)


def _rates(frames: Frames, *years: int) -> pd.DataFrame:
    return frames.of_year(*years).groupby(["district", "year"]).arrest.mean().unstack()


def _top_five(frames: Frames, part: str) -> set[str]:
    return set(frames.rows.kind[frames.rows.part == part].value_counts().head(5).index)


def _busy_days(frames: Frames) -> Rows:
    counts = frames.of_year(2016).day.value_counts()
    return pairs(counts[counts > 1.4 * counts.sum() / 366])


def _top_wards(frames: Frames, category: str) -> set[int]:
    return set(frames.rows.ward[frames.rows.category == category].value_counts().head(5).index)


def _commonest_by_district(frames: Frames) -> Rows:
    groups = [(code, group) for code, group in frames.rows.groupby("district") if len(group) >= 1000]
    return [(frames.districts[int(code)], *pairs(group.kind.value_counts().head(1))[0]) for code, group in groups]


def _yearly_change(frames: Frames) -> Rows:
    counts = frames.rows.year.value_counts().sort_index()
    changes = 100 * counts.astype(float).pct_change()
    return [(year, counts[year], None if pd.isna(changes[year]) else changes[year]) for year in counts.index]


def _two_per_category(frames: Frames) -> Rows:
    return [
        (category, kind, n)
        for category, group in frames.rows.groupby("category")
        for kind, n in group.kind.value_counts().head(2).items()
    ]


def _rising_types(frames: Frames) -> Rows:
    before, after = (frames.of_year(year).kind.value_counts() for year in (2015, 2016))
    return [
        (kind, n, after.get(kind, 0)) for kind, n in before.items() if n >= 100 and after.get(kind, 0) / n - 1 > 0.05
    ]


def _running_robberies(frames: Frames) -> Rows:
    counts = frames.of_type("ROBBERY").query("year == 2016").groupby("month").size()
    return list(zip(counts.index, counts, counts.cumsum(), strict=True))


def _peak_hours(frames: Frames) -> Rows:
    hours = {c: frames.rows.hour[frames.rows.category == c].value_counts() for c in ("PROPERTY", "VIOLENT", "DRUG")}
    return [
        (category, hour, n) for category, counts in hours.items() for hour, n in counts[counts == max(counts)].items()
    ]


def _violent_part_of_season(frames: Frames) -> Rows:
    violent = frames.rows[frames.rows.category == "VIOLENT"]
    shares = {season: group.part.value_counts(normalize=True) for season, group in violent.groupby("season")}
    return [(season, share.idxmax(), 100 * share.max()) for season, share in shares.items()]


def _violent_ranking(frames: Frames) -> Rows:
    groups = {code: group for code, group in frames.rows.groupby("district") if len(group) >= 1000}
    shares = sorted(
        ((percent(g.category == "VIOLENT"), frames.districts[int(c)]) for c, g in groups.items()), reverse=True
    )
    return [(name, share, place) for place, (share, name) in enumerate(shares, start=1)]


def _steepest_month(frames: Frames) -> Rows:
    rises = frames.of_year(2016).groupby("month").size().diff()
    return [(rises.idxmax(), int(rises.max()))]


def _shared_case_numbers(frames: Frames) -> Rows:
    numbers: dict[str, list[int]] = {}
    for row in frames.of_type("HOMICIDE").dropna(subset="case_number").itertuples():
        numbers.setdefault(row.case_number, []).append(row.id)
    return [(key, case, len(ids)) for case, ids in numbers.items() if len(ids) > 1 for key in ids]


def _share_shift(frames: Frames) -> Rows:
    before, after = (100 * frames.of_year(year).category.value_counts(normalize=True) for year in (2015, 2017))
    return [(category, after[category] - before[category]) for category in before.index]


def _largest_losses(frames: Frames) -> Rows:
    before, after = (named(frames.of_year(year).area, frames.areas).value_counts() for year in (2015, 2017))
    losses = {name: 100 * (n - after.get(name, 0)) / n for name, n in before.items() if n >= 100}
    return sorted(losses.items(), key=lambda item: (-item[1], item[0]))[:5]


def _beat_groups(frames: Frames) -> Rows:
    beats = frames.rows.groupby("beat").arrest.agg(["size", "sum"]).reset_index()
    beats = beats.sort_values(["size", "beat"], ascending=[False, True], ignore_index=True)
    quarter, rest = divmod(len(beats), 4)
    edges = [0]
    for group in range(4):
        edges.append(edges[-1] + quarter + (group < rest))
    parts = [beats.iloc[start:end] for start, end in pairwise(edges)]
    return [
        (group, part["size"].sum(), 100 * part["sum"].sum() / part["size"].sum())
        for group, part in enumerate(parts, start=1)
    ]


def _above_average(frames: Frames) -> Rows:
    rows = frames.of_year(2016).dropna(subset="district")
    counts = rows.groupby(["district", "category"]).size().unstack(fill_value=0)[["VIOLENT", "PROPERTY"]]
    above = counts[(counts > counts.mean()).all(axis=1)]
    return [(frames.districts[int(code)],) for code in above.index]
