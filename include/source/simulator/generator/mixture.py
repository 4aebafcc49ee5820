"""What kind of crime a year has: combinations by year, with arrest and domestic rates that meet the year's."""

from dataclasses import dataclass

import numpy as np

from include.source.simulator.generator.calendar import REFERENCE
from include.source.simulator.generator.draws import Floats, Grouped
from include.source.simulator.generator.facts import FIRST_YEAR, NEW_WORDS_FROM, Facts

_LEAST = 12.0
"""Rows expected of the rarest type, whatever the size: every type shows."""
_CERTAIN = 0.9


@dataclass(frozen=True)
class Mixture:
    """Draws of combinations by year, and the rates of arrest and domestic by year and combination."""

    combos: Grouped
    same_type: Grouped
    """By type: the combinations a reclassified row may get."""
    arrest: Floats
    domestic: Floats


def plan_mixture(facts: Facts, *, year_counts: Floats) -> Mixture:
    """Mix combinations for each year; `year_counts` are the rows each year will have, from `FIRST_YEAR` on."""
    shares = facts.type_share.copy()
    past = REFERENCE.year - FIRST_YEAR + 1
    expected = (shares[:past] * year_counts[:past, None]).sum(axis=0)
    shares *= np.where((expected > 0) & (expected < _LEAST), _LEAST / np.maximum(expected, 1e-9), 1)
    calendar = np.arange(FIRST_YEAR, FIRST_YEAR + len(shares))
    weights = np.zeros((len(shares), len(facts.combos)))
    for fresh in (False, True):
        years = (calendar >= NEW_WORDS_FROM) == fresh
        has = np.bincount(facts.combo_type[facts.combo_new == fresh], minlength=len(facts.types)) > 0
        usable = (facts.combo_new == fresh) | ~has[facts.combo_type]
        weights[years] = np.where(usable, facts.combo_share, 0) * shares[years][:, facts.combo_type]
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
    kinds = np.zeros((len(facts.types), len(facts.combos)))
    kinds[facts.combo_type, np.arange(len(facts.combos))] = facts.combo_share
    return Mixture(
        combos=Grouped(weights),
        same_type=Grouped(kinds),
        arrest=_rates(weights, facts.arrest, facts.year_rates["arrest_pct"] / 100),
        domestic=_rates(weights, facts.domestic, facts.year_rates["domestic_pct"] / 100),
    )


def _rates(weights: Floats, rates: Floats, target: Floats) -> Floats:
    """Rates by year and combination: those below near-certainty scaled so that each year meets its mean."""
    movable = rates < _CERTAIN
    low, high = np.zeros(len(weights)), np.full(len(weights), 6.0)
    for _ in range(40):
        middle = (low + high) / 2
        mean = (weights * _scaled(rates, movable, middle)).sum(axis=1)
        low, high = np.where(mean < target, middle, low), np.where(mean < target, high, middle)
    return _scaled(rates, movable, (low + high) / 2)


def _scaled(rates: Floats, movable: np.ndarray[tuple[int], np.dtype[np.bool_]], factor: Floats) -> Floats:
    return np.where(movable, np.minimum(rates * factor[:, None], 0.97), rates)
