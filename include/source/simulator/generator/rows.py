"""Making the rows of a range of days as compact arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from include.source.simulator.generator.calendar import Calendar
from include.source.simulator.generator.clock import seconds_of_day
from include.source.simulator.generator.draws import Draws
from include.source.simulator.generator.facts import FIRST_YEAR, NEW_WORDS_FROM, Facts
from include.source.simulator.generator.mixture import Mixture
from include.source.simulator.generator.stamps import DAY, Life, life_of
from include.source.simulator.instants import touched_at

ARREST, DOMESTIC, NO_COORDS, ZERO_COORDS, NO_WARD, MOVED, NO_LOCATION = (1 << bit for bit in range(7))
"""Bits of the array `flags`."""

PLAIN, OUTSIDE, UNPLACED, DISTRICT_31, UNPADDED, MIXED_CASE = range(6)
TRAILING_LETTER, TRAILING_DOT, INNER_BLANK, DIGITS_ONLY, SEVEN_DIGITS, NO_CASE, TEST_CASE = range(6, 13)
"""Values of the array `quirk`: what is odd about the codes or the case number."""

_QUIRKS = (
    (OUTSIDE, 0.00135, 2023),
    (UNPLACED, 0.00004, FIRST_YEAR),
    (DISTRICT_31, 0.00006, FIRST_YEAR),
    (UNPADDED, 0.00003, 2023),
    (MIXED_CASE, 0.001, FIRST_YEAR),
    (TRAILING_LETTER, 0.00005, FIRST_YEAR),
    (TRAILING_DOT, 0.00003, FIRST_YEAR),
    (INNER_BLANK, 0.00003, FIRST_YEAR),
    (DIGITS_ONLY, 0.00004, FIRST_YEAR),
    (SEVEN_DIGITS, 0.00003, FIRST_YEAR),
    (NO_CASE, 0.00003, FIRST_YEAR),
    (TEST_CASE, 0.00001, FIRST_YEAR),
)
_HOMICIDE_IDS, _HOMICIDES_A_DAY = 634, 24

Numbers = npt.NDArray[np.int64]
Compact = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Recipe:
    """Everything the rows of a data set are made from."""

    facts: Facts
    calendar: Calendar
    mixture: Mixture
    seed: int

    @property
    def rows_per_week(self) -> float:
        """Rows of a week of recent years."""
        days = self.calendar.before
        at = min(len(days) - 1, 9_400)
        return float(days[at] - days[max(at - 700, 0)]) / 100


def make_rows(recipe: Recipe, first: int, last: int, *, now: int) -> Compact:
    """The rows of the days `first` to `last` (days since 1970) as they are at `now`, those visible then."""
    facts, calendar = recipe.facts, recipe.calendar
    offsets = np.arange(first, last + 1) - calendar.first
    counts = calendar.before[offsets + 1] - calendar.before[offsets]
    place = np.repeat(offsets, counts)
    day = place + calendar.first
    ordinal = np.arange(calendar.before[offsets[0]], calendar.before[offsets[-1] + 1])
    within = ordinal - calendar.before[place]
    draws = Draws((day.astype(np.uint64) << np.uint64(24)) + within.astype(np.uint64), seed=recipe.seed)
    year = calendar.years[place]
    fresh = year >= NEW_WORDS_FROM

    combo = recipe.mixture.combos.draw(year - FIRST_YEAR, draws.uniform(1))
    twin = _twins(facts, combo, day, draws)
    combo = combo[twin]
    kind = facts.combo_type[combo]
    block = facts.block_draw.draw(facts.district_draw.draw(kind, draws.uniform(2)), draws.uniform(3))[twin]
    seconds = seconds_of_day(facts.hour_draw.draw(kind, draws.uniform(4)), draws)[twin]
    life = life_of(draws, day, now=now, rows_per_week=recipe.rows_per_week)
    location = np.where(
        fresh,
        facts.location_draw[1].draw(kind, draws.uniform(5)),
        facts.location_draw[0].draw(kind, draws.uniform(5)),
    )
    rows: Compact = {
        "id": _ids(recipe, draws, ordinal, day, kind == facts.types.index("HOMICIDE")),
        "seconds": day * DAY + seconds,
        "combo": combo,
        "block": block,
        "location": location,
        "flags": _flags(recipe, draws, year - FIRST_YEAR, combo),
        "quirk": _quirks(draws, year),
        "case": calendar.case_digits(ordinal[twin], year),
        "updated_on": life.updated_on,
        "touched": touched_at(life.updated_on),
    }
    _revise(recipe, rows, draws, life)
    types = {"combo": np.uint16, "block": np.uint16, "location": np.uint8, "flags": np.uint8, "quirk": np.uint8}
    return {name: values[life.visible].astype(types.get(name, np.uint32)) for name, values in rows.items()}


def _twins(facts: Facts, combo: Numbers, day: Numbers, draws: Draws) -> Numbers:
    """For each row the row whose incident it shares: itself, or a homicide of the same day just before it."""
    homicide = facts.combo_type[combo] == facts.types.index("HOMICIDE")
    twin = np.arange(len(combo))
    shared = draws.uniform(6)
    for chance in (0.03, 0.2, 0.2):
        follows = np.zeros(len(combo), dtype=bool)
        follows[1:] = homicide[:-1] & ~homicide[1:] & (day[1:] == day[:-1]) & (shared[:-1] < chance)
        twin[follows] = twin[np.flatnonzero(follows) - 1]
        homicide = follows
    return twin


def _ids(
    recipe: Recipe,
    draws: Draws,
    ordinal: Numbers,
    day: Numbers,
    homicide: npt.NDArray[np.bool_],
) -> Numbers:
    ids = recipe.calendar.ids(ordinal, draws.uniform(7))
    # Homicides are numbered apart, from small numbers on.
    at = np.flatnonzero(homicide)
    start = np.searchsorted(day[at], day[at], side="left")
    number = np.arange(len(at)) - start
    fits = number < _HOMICIDES_A_DAY
    ids[at[fits]] = _HOMICIDE_IDS + (day[at] - recipe.calendar.first)[fits] * _HOMICIDES_A_DAY + number[fits]
    return ids


def _flags(recipe: Recipe, draws: Draws, year: Numbers, combo: Numbers) -> Numbers:
    facts, rates = recipe.facts, recipe.facts.year_rates
    kind = facts.combo_type[combo]
    chances = {
        ARREST: recipe.mixture.arrest[year, combo],
        DOMESTIC: recipe.mixture.domestic[year, combo],
        NO_COORDS: rates["no_coords_pct"][year] / 100 * facts.no_coords[kind],
        ZERO_COORDS: np.where(year + FIRST_YEAR <= 2014, 0.00015, 0.0),
        NO_WARD: rates["no_ward_pct"][year] / 100,
        NO_LOCATION: rates["no_location_pct"][year] / 100 * facts.no_location[kind],
    }
    flags = np.zeros(len(combo), dtype=np.int64)
    for stream, (bit, chance) in enumerate(chances.items(), start=10):
        flags |= np.where(draws.below(stream, chance), bit, 0)
    return flags


def _quirks(draws: Draws, year: Numbers) -> Numbers:
    uniform = draws.uniform(17)
    quirk = np.zeros(len(year), dtype=np.int64)
    passed = 0.0
    for value, share, since in _QUIRKS:
        quirk[(uniform >= passed) & (uniform < passed + share) & (year >= since)] = value
        passed += share
    return quirk


def _revise(recipe: Recipe, rows: Compact, draws: Draws, life: Life) -> None:
    """Change what a revision changes: the arrest, the place, the time, the class, or nothing but the stamp."""
    what = draws.uniform(30)
    # The rates are those of old rows, whose arrests were made: a row that waits for its arrest shows none yet.
    waiting = life.revisable & ~life.revised & (what < 0.40)
    rows["flags"] = rows["flags"] & ~np.where(waiting, ARREST, 0)
    moved = life.revised & (what >= 0.40) & (what < 0.65)
    rows["flags"] = rows["flags"] | np.where(moved, MOVED, 0)
    retimed = life.revised & (what >= 0.65) & (what < 0.72)
    within = rows["seconds"] % DAY
    rows["seconds"] = np.where(retimed, rows["seconds"] - within // 7200 * 3600, rows["seconds"])
    classed = np.flatnonzero(life.revised & (what >= 0.72) & (what < 0.80))
    kind = recipe.facts.combo_type[rows["combo"][classed]]
    drawn = recipe.mixture.same_type.draw(kind, draws.uniform(32)[classed])
    same_words = recipe.facts.combo_new[drawn] == recipe.facts.combo_new[rows["combo"][classed]]
    rows["combo"][classed[same_words]] = drawn[same_words]
