"""The generated rows as a row store: compact arrays, decoded when asked for."""

from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from include.errors import UsageError
from include.source.simulator.fields import DATA_FIELDS, SYSTEM_FIELDS
from include.source.simulator.generator.calendar import plan_calendar
from include.source.simulator.generator.decode import Decoder
from include.source.simulator.generator.facts import FIRST_YEAR, LAST_YEAR, load_facts
from include.source.simulator.generator.mixture import plan_mixture
from include.source.simulator.generator.rows import Recipe, make_rows
from include.source.simulator.generator.stamps import DAY, PUBLICATION_LAG
from include.source.simulator.instants import CHICAGO
from include.source.simulator.store import Rows, RowStore, Whole

LEAST_ROWS, MOST_ROWS = 1_000, 9_000_000
_CHUNK = 262_144
_EPOCH = date(1970, 1, 1)


class GeneratedStore(RowStore):
    """Generated rows as they are on the day after the publication of `as_of`."""

    def __init__(self, recipe: Recipe, *, identity: str, as_of: date, last_day: date) -> None:
        self.identity = identity
        self.fields = DATA_FIELDS + SYSTEM_FIELDS
        self.as_of = as_of
        self._recipe = recipe
        self._last_day = last_day
        self._decoder = Decoder(recipe.facts)
        self._arrays: dict[str, npt.NDArray[Any]] = {}
        self._fill()

    def column(self, name: str, rows: Rows) -> pa.Array:
        """One published field, decoded."""
        if not _same(self._memo.get("rows"), rows):
            self._memo = {"rows": rows}
        return self._decoder.decode(name, lambda part: self._arrays[part][rows], self._memo)

    def advance(self, weeks: int = 1) -> None:
        """Move the newest incident on by weeks: new rows, revisions, deletions."""
        self.as_of += timedelta(weeks=weeks)
        self._fill()

    def rearrange(self, positions: npt.NDArray[np.int64], *, ids: Whole, touched: Whole) -> None:
        """Become the rows at the given positions under new ids and stamps; the next `advance` makes all rows anew."""
        arrays = {name: values[positions] for name, values in self._arrays.items()}
        arrays["id"] = ids.astype(np.uint32)
        self._arrays = arrays
        self._set_rows(arrays["id"], touched)

    def _fill(self) -> None:
        """Make the rows, a range of days at a time, straight into arrays of the full size."""
        calendar = self._recipe.calendar
        last = min((self.as_of - _EPOCH).days, (self._last_day - _EPOCH).days)
        now = ((self.as_of - _EPOCH).days + PUBLICATION_LAG + 1) * DAY
        arrays: dict[str, npt.NDArray[Any]] = {}
        filled, start = 0, calendar.first
        while start <= last:
            most = calendar.before[start - calendar.first] + _CHUNK
            stop = int(np.searchsorted(calendar.before, most, side="right")) - 2 + calendar.first
            stop = min(max(stop, start), last)
            part = make_rows(self._recipe, start, stop, now=now)
            if not arrays:
                arrays = {name: np.empty(calendar.rows(last), values.dtype) for name, values in part.items()}
            count = len(part["id"])
            for name, values in part.items():
                arrays[name][filled : filled + count] = values
            filled, start = filled + count, stop + 1
        order = np.argsort(arrays["id"][:filled], kind="stable").astype(np.uint32)
        for name in list(arrays):
            arrays[name] = arrays[name][order]
        self._arrays = arrays
        self._set_rows(arrays["id"], np.maximum(arrays.pop("touched"), np.uint32(self.floor)))


def generate_store(
    *,
    rows: int,
    seed: int = 7,
    years: tuple[int, int | None] = (FIRST_YEAR, None),
    as_of: date | None = None,
) -> GeneratedStore:
    """Generate about `rows` rows: exactly so many incidents lie before the end of the reference day.

    The rows of a day depend on seed, size and first year alone, never on `as_of`: a later day gives the same old rows,
    revised where the years have revised them, and new ones.

    Args:
        rows: size as of the reference day (`calendar.REFERENCE`).
        seed: any whole number.
        years: first and last year; None = no last one.
        as_of: day of the newest incident; None = eight days before today, as the City is seven days behind.

    Raises:
        UsageError: a size or years out of range.
    """
    if not LEAST_ROWS <= rows <= MOST_ROWS:
        raise UsageError(f"cannot generate {rows:,} rows", expected=f"{LEAST_ROWS:,} to {MOST_ROWS:,}")
    first, last = years[0], years[1] or LAST_YEAR
    if not FIRST_YEAR <= first <= last <= LAST_YEAR:
        raise UsageError(f"cannot generate the years {first} to {last}", expected=f"{FIRST_YEAR} to {LAST_YEAR}")
    facts = load_facts()
    calendar = plan_calendar(facts, rows=rows, seed=seed, years=years)
    recipe = Recipe(
        facts=facts,
        calendar=calendar,
        mixture=plan_mixture(facts, year_counts=np.diff(calendar.year_before).astype(np.float64)),
        seed=seed,
    )
    identity = f"generator:seed={seed},rows={rows},start={first}" + (f",end={years[1]}" if years[1] else "")
    newest = as_of or datetime.now(CHICAGO).date() - timedelta(days=PUBLICATION_LAG + 1)
    last_day = date(last, 12, 31)
    if newest.year < first:
        raise UsageError(f"the newest incident cannot be of {newest}", expected=f"a day from {first} on")
    return GeneratedStore(recipe, identity=identity, as_of=newest, last_day=last_day)


def _same(kept: Rows | None, rows: Rows) -> bool:
    """Whether two selections are one; positions are compared by identity, and kept, so that none is mistaken."""
    if isinstance(rows, slice):
        return isinstance(kept, slice) and kept == rows
    return kept is rows
