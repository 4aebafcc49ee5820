"""When rows appear, are revised and are deleted: functions of the row, so that later days only add to earlier ones."""

from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
import numpy.typing as npt

from include.source.simulator.generator.draws import Draws

DAY = 86_400
PUBLICATION_LAG = 7
"""Days from an incident to its publication; the newest incident is that much older than the newest publication."""

_BULK = (
    (datetime(2015, 8, 17, 15, 3, 40), 0.05),
    (datetime(2016, 2, 4, 6, 33, 39), 0.12),
    (datetime(2018, 2, 10, 15, 50, 1), 0.74),
    (datetime(2018, 5, 4, 15, 51, 4), 0.10),
    (datetime(2023, 9, 14, 15, 41, 54), 0.06),
)
"""Days on which many old rows were stamped anew, with the share of them that was."""

_CHURN_FROM = (date(2025, 1, 1) - date(1970, 1, 1)).days
"""Rows published before are deleted already and never made."""
_REVISED, _RETOUCHED, _TOUCHED_UNTIL = 0.25, 0.12, 22_280


@dataclass(frozen=True)
class Life:
    """The state of rows at a moment; seconds are Chicago wall-clock seconds since 1970."""

    visible: npt.NDArray[np.bool_]
    updated_on: npt.NDArray[np.int64]
    revisable: npt.NDArray[np.bool_]
    """Whether the content is revised some day; what of it is for the caller to draw."""
    revised: npt.NDArray[np.bool_]
    """Whether it was by then."""


def life_of(draws: Draws, day: npt.NDArray[np.int64], *, now: int, rows_per_week: float) -> Life:
    """Place rows of the given days (since 1970) in their history as of `now`."""
    late = draws.below(40, 0.06) * np.floor(1 + 40 * draws.uniform(41) ** 2)
    published = _stamp(day + PUBLICATION_LAG + late.astype(np.int64))
    updated = published
    for number, (when, share) in enumerate(_BULK):
        stamp = int((when - datetime(1970, 1, 1)).total_seconds())
        chosen = draws.below(60 + number, share) & (published < stamp) & (stamp < now)
        updated = np.where(chosen, stamp, updated)
    revision_day = published // DAY + 1 + np.floor(np.exp(3.2 + 1.1 * draws.normal(43))).astype(np.int64)
    revision = _stamp(revision_day)
    revisable = draws.below(45, _REVISED)
    revised = revisable & (revision < now)
    touch = _stamp((18_000 + draws.uniform(46) * (_TOUCHED_UNTIL - 18_000)).astype(np.int64))
    retouched = draws.below(47, _RETOUCHED) & (touch > published) & (touch < now)
    updated = np.maximum(updated, np.where(revised, revision, 0))
    updated = np.maximum(updated, np.where(retouched, touch, 0))
    # A few rows go every week, whatever the size; the share is bounded for very small sets.
    share = min(0.05, max(0.0005, 2.5 / max(rows_per_week, 1)))
    gone = published + (1 + np.floor(120 * draws.uniform(48))).astype(np.int64) * DAY
    deleted = draws.below(49, share) & (published // DAY >= _CHURN_FROM) & (gone < now)
    return Life((published < now) & ~deleted, updated, revisable, revised)


def _stamp(day: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The second of the publication of a day: one batch a day, between 15:38 and 16:22."""
    return day * DAY + 15 * 3600 + 38 * 60 + (day * 2_654_435_761 % 2_640)
