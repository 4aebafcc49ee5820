"""Intervals and paired tests of the benchmark.

Wilson, E. B. (1927) for one share; the exact McNemar test (two-sided binomial on the discordant pairs) for two arms or
two runs on the same questions. With 96 questions one question is 1.04 points: the smallest detectable loss says what
that means.
"""

from dataclasses import dataclass
from math import ceil, comb, sqrt

Z_95 = 1.959963984540054


@dataclass(frozen=True)
class Interval:
    """A 95 % interval of a share, both ends from 0 to 1."""

    low: float
    high: float


def wilson_interval(successes: int, *, of: int) -> Interval | None:
    """Return the 95 % Wilson interval; None of nothing."""
    if of == 0:
        return None
    share, z2 = successes / of, Z_95**2
    centre = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = Z_95 * sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return Interval(low=max(0.0, centre - half), high=min(1.0, centre + half))


def mcnemar_exact(*, lost: int, gained: int) -> float:
    """Return the two-sided p-value of `lost` against `gained` questions."""
    discordant = lost + gained
    if discordant == 0:
        return 1.0
    tail = sum(comb(discordant, k) for k in range(min(lost, gained) + 1))
    return min(1.0, 2.0 * float(tail) / float(2**discordant))


def smallest_detectable_loss() -> int:
    """Return how many questions must be lost, with none gained, to reach p < 0.05: six."""
    lost = 1
    while mcnemar_exact(lost=lost, gained=0) >= 0.05:
        lost += 1
    return lost


def mean_and_sd(values: list[float]) -> tuple[float | None, float | None]:
    """Return mean and sample standard deviation; the latter None below two values."""
    if not values:
        return None, None
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, None
    return mean, sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def percentile(values: list[float], share: float) -> float | None:
    """Return the nearest-rank percentile, `share` from 0 to 1."""
    if not values:
        return None
    ranked = sorted(values)
    return ranked[max(0, ceil(share * len(ranked)) - 1)]
