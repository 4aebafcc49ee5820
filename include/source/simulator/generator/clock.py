"""Times of day as people report them: full and half hours, noon, midnight and a minute past it."""

import numpy as np
import numpy.typing as npt

from include.source.simulator.generator.draws import Draws

_MIDNIGHT, _MINUTE_PAST = 0.242, 0.236
"""Of the incidents of hour 0: those at 00:00 and at 00:01."""
_NOON = 0.426
_FULL, _HALF, _FIVES = 0.340, 0.153, 0.28
"""Of the incidents of other hours: minute 00, minute 30, another multiple of five."""
_OTHER_FIVES = np.array([5, 10, 15, 20, 25, 35, 40, 45, 50, 55])


def seconds_of_day(hour: npt.NDArray[np.int64], draws: Draws) -> npt.NDArray[np.int64]:
    """Seconds since midnight for incidents of the given hours."""
    choice, spread = draws.uniform(20), draws.uniform(21)
    minute = np.floor(spread * 60).astype(np.int64)
    fives = _OTHER_FIVES[np.floor(spread * len(_OTHER_FIVES)).astype(np.int64)]
    full = np.where(hour == 12, _NOON, _FULL)
    minute = np.where(choice < full + _HALF + _FIVES, fives, minute)
    minute = np.where(choice < full + _HALF, 30, minute)
    minute = np.where(choice < full, 0, minute)
    midnight = np.where(choice < _MIDNIGHT + _MINUTE_PAST, 1, minute)
    midnight = np.where(choice < _MIDNIGHT, 0, midnight)
    minute = np.where(hour == 0, midnight, minute)
    second = np.where(draws.below(22, 0.002), np.floor(draws.uniform(23) * 60).astype(np.int64), 0)
    return hour * 3600 + minute * 60 + second
