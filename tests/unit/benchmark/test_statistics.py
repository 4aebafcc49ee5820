"""Intervals and tests against published and hand-computed values."""

import pytest

from agent.benchmark.statistics import mcnemar_exact, mean_and_sd, percentile, smallest_detectable_loss, wilson_interval

# successes, of, low, high: 95 % Wilson intervals in percent.
WILSON = [(88, 96, 84.4, 95.7), (82, 96, 77.0, 91.1), (58, 96, 50.4, 69.6), (0, 10, 0.0, 27.8), (10, 10, 72.2, 100.0)]
MCNEMAR = [(5, 0, 0.063), (6, 0, 0.031), (7, 1, 0.070), (8, 1, 0.039), (8, 2, 0.109), (0, 0, 1.0), (3, 3, 1.0)]
PERCENTILES = [([1.0], 0.95, 1.0), ([4.0, 1.0, 3.0, 2.0], 0.5, 2.0), ([float(n) for n in range(1, 101)], 0.95, 95.0)]


@pytest.mark.parametrize(("successes", "of", "low", "high"), WILSON)
def test_wilson(successes, of, low, high):
    interval = wilson_interval(successes, of=of)
    assert (round(100 * interval.low, 1), round(100 * interval.high, 1)) == (low, high)


def test_wilson_of_nothing():
    assert wilson_interval(0, of=0) is None


@pytest.mark.parametrize(("lost", "gained", "p"), MCNEMAR)
def test_mcnemar(lost, gained, p):
    assert mcnemar_exact(lost=lost, gained=gained) == pytest.approx(p, abs=0.0006)
    assert mcnemar_exact(lost=gained, gained=lost) == mcnemar_exact(lost=lost, gained=gained)


def test_six_lost_questions_are_more_than_chance_and_five_are_not():
    assert smallest_detectable_loss() == 6


@pytest.mark.parametrize(("values", "share", "expected"), PERCENTILES)
def test_percentile(values, share, expected):
    assert percentile(values, share) == expected


def test_mean_and_sd():
    assert mean_and_sd([]) == (None, None)
    assert mean_and_sd([0.5]) == (0.5, None)
    mean, sd = mean_and_sd([1.0, 2.0, 3.0])
    assert (mean, sd) == (2.0, pytest.approx(1.0))
