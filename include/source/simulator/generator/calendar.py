"""How many rows each day has, and which ids and case numbers they get: all independent of the day one looks."""

from dataclasses import dataclass
from datetime import date

import numpy as np
import numpy.typing as npt

from include.source.simulator.generator.draws import Draws, Floats
from include.source.simulator.generator.facts import (
    FIRST_OF_MONTH,
    FIRST_YEAR,
    LAST_YEAR,
    MONTH_DAYS,
    MONTHS,
    NEW_YEARS_DAY,
    WEEKDAYS,
    Facts,
)

REFERENCE = date(2026, 11, 23)
"""Day on which a data set of N rows has N rows; before it has fewer, after it more."""

_EPOCH = date(1970, 1, 1)
_FIRST_ID, _LAST_ID = 1_310_000, 14_000_000


@dataclass(frozen=True)
class Calendar:
    """Days from `first` on (days since 1970) with their rows; `before[i]` rows lie before day i."""

    first: int
    years: npt.NDArray[np.int64]
    before: npt.NDArray[np.int64]
    id_step: float
    year_before: npt.NDArray[np.int64]
    """By year since `FIRST_YEAR`: rows before its first day."""

    def rows(self, day: int) -> int:
        """Rows before the end of a day (days since 1970)."""
        return int(self.before[min(max(day - self.first + 1, 0), len(self.before) - 1)])

    def ids(self, ordinal: npt.NDArray[np.int64], uniform: Floats) -> npt.NDArray[np.int64]:
        """Ids that grow with the ordinal, with gaps, none twice."""
        low = np.floor(ordinal * self.id_step)
        room = np.floor((ordinal + 1) * self.id_step) - low
        ids: npt.NDArray[np.int64] = (_FIRST_ID + low + np.floor(uniform * room)).astype(np.int64)
        return ids

    def case_digits(self, ordinal: npt.NDArray[np.int64], year: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The six digits of a case number, none twice in a year."""
        start = self.year_before[year - FIRST_YEAR]
        count = np.maximum(self.year_before[year - FIRST_YEAR + 1] - start, 1)
        digits: npt.NDArray[np.int64] = 100_000 + (ordinal - start) * 890_000 // count
        return digits


def plan_calendar(facts: Facts, *, rows: int, seed: int, years: tuple[int, int | None]) -> Calendar:
    """Spread `rows` over the days up to the reference day, as the real ones are spread."""
    first_year, last_year = years[0], years[1] or LAST_YEAR
    first, end = _number(date(first_year, 1, 1)), _number(date(last_year, 12, 31)) + 1
    numbers = np.arange(first, end)
    stamps = numbers.astype("datetime64[D]")
    year = stamps.astype("datetime64[Y]").astype(int) + 1970
    month = stamps.astype("datetime64[M]").astype(int) % 12
    day = (stamps - stamps.astype("datetime64[M]")).astype(int)
    weights = (MONTHS / MONTH_DAYS)[month] * WEEKDAYS[(numbers + 3) % 7]
    weights *= np.where(day == 0, np.where(month == 0, NEW_YEARS_DAY, FIRST_OF_MONTH), 1.0)
    weights *= np.exp(0.07 * Draws(numbers.astype(np.uint64), seed=seed ^ 0x5DA7).normal(0))
    for value in np.unique(year):
        here = year == value
        weights[here] *= facts.year_rows[value - FIRST_YEAR] / weights[here].sum()
    reference = min(_number(REFERENCE), end - 1)
    total = weights[: reference - first + 1].sum()
    before = np.concatenate([[0], np.floor(np.cumsum(weights) / total * rows + 1e-6)]).astype(np.int64)
    starts = [before[np.searchsorted(year, value)] for value in range(FIRST_YEAR, LAST_YEAR + 2)]
    step = (_LAST_ID - _FIRST_ID) / max(rows, 1)
    return Calendar(first=first, years=year, before=before, id_step=step, year_before=np.array(starts))


def _number(day: date) -> int:
    return (day - _EPOCH).days
