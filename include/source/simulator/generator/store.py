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
from include.source.simulator.generator.rows import Compact, Recipe, make_rows
from include.source.simulator.generator.stamps import DAY, PUBLICATION_LAG
from include.source.simulator.instants import CHICAGO, Stamps, to_utc
from include.source.simulator.store import Rows, RowStore

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
        self._fill()

    def column(self, name: str, rows: Rows) -> pa.Array:
        """One published field, decoded."""
        return self._decoder.decode(name, lambda part: self._arrays[part][rows])

    def advance(self, weeks: int = 1) -> None:
        """Move the newest incident on by weeks: new rows, revisions, deletions."""
        self.as_of += timedelta(weeks=weeks)
        self._fill()

    def rearrange(self, positions: npt.NDArray[np.int64], *, ids: npt.NDArray[np.int64], touched: Stamps) -> None:
        """Become the rows at the given positions under new ids and stamps; the next `advance` makes all rows anew."""
        for name in list(self._arrays):
            self._arrays[name] = self._arrays[name][positions]
        self._arrays["id"] = ids.astype(np.uint32)
        self.ids, self.touched, self._by_update = ids, touched, None

    def _fill(self) -> None:
        calendar = self._recipe.calendar
        last = min((self.as_of - _EPOCH).days, (self._last_day - _EPOCH).days)
        now = ((self.as_of - _EPOCH).days + PUBLICATION_LAG + 1) * DAY
        parts: list[Compact] = []
        start = calendar.first
        while start <= last:
            most = calendar.before[start - calendar.first] + _CHUNK
            stop = int(np.searchsorted(calendar.before, most, side="right")) - 2 + calendar.first
            stop = min(max(stop, start), last)
            parts.append(make_rows(self._recipe, start, stop, now=now))
            start = stop + 1
        self._arrays = _joined(parts)
        order = np.argsort(self._arrays["id"], kind="stable")
        for name in list(self._arrays):
            self._arrays[name] = self._arrays[name][order]
        self.ids = self._arrays["id"].astype(np.int64)
        touched = to_utc(self._arrays["updated_on"].astype(np.int64)) + 421
        self.touched = np.maximum(touched, self.floor).astype(np.uint32)
        self._by_update = None


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


def _joined(parts: list[Compact]) -> dict[str, npt.NDArray[Any]]:
    # Column by column, each part freed once it is joined: the whole is never held twice.
    return {name: np.concatenate([part.pop(name) for part in parts]) for name in list(parts[0])}
