"""Times: naive Chicago seconds to UTC seconds, without a time-zone library's per-row cost."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

Stamps = npt.NDArray[np.integer]
CHICAGO = ZoneInfo("America/Chicago")


def to_utc(local: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Chicago wall-clock seconds since 1970 to UTC seconds; an hour that occurs twice is taken the first time."""
    hours, where = np.unique(local // 3600, return_inverse=True)
    offsets = np.fromiter((_offset(int(hour) * 3600) for hour in hours), dtype=np.int64, count=len(hours))
    return local - offsets[where]


def touched_at(updated_on: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The `:updated_at` of rows that have none: the instant of `updated_on` and the minutes a publication takes."""
    return to_utc(updated_on) + 421


def to_milliseconds(seconds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Give whole seconds the milliseconds a server's stamps have: one value a second, so that ties stay ties."""
    return seconds * 1000 + seconds * 37 % 1000


def _offset(local: int) -> int:
    naive = datetime.fromtimestamp(local, UTC).replace(tzinfo=CHICAGO)
    shift = naive.utcoffset()
    return int(shift.total_seconds()) if shift else 0
