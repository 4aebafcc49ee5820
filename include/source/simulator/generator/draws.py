"""Random numbers that are a function of a key: the same row gets the same numbers whatever is generated around it."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Keys = npt.NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class Draws:
    """Uniform numbers for an array of keys; each named stream is independent of the others."""

    def __init__(self, keys: Keys, *, seed: int) -> None:
        with np.errstate(over="ignore"):
            self._base = _mix(keys + np.uint64(seed % 2**63) * _GOLDEN + _GOLDEN)

    def uniform(self, stream: int) -> Floats:
        """Numbers in [0, 1)."""
        with np.errstate(over="ignore"):
            mixed = _mix(self._base + np.uint64(stream) * _GOLDEN)
        numbers: Floats = (mixed >> np.uint64(11)).astype(np.float64) * np.float64(2.0**-53)
        return numbers

    def below(self, stream: int, share: Floats | float) -> npt.NDArray[np.bool_]:
        """True with the given probability."""
        return self.uniform(stream) < share

    def normal(self, stream: int) -> Floats:
        """Numbers of mean 0 and deviation 1, from two streams (this one and the next)."""
        radius: Floats = np.sqrt(-2 * np.log1p(-self.uniform(stream)))
        angle: Floats = np.cos(2 * np.pi * self.uniform(stream + 1))
        return radius * angle


class Grouped:
    """Categorical distributions by group, drawn for many rows at once.

    Args:
        weights: one row a group, one column an item; a group without weight gives the item of the largest column sum.
    """

    def __init__(self, weights: Floats) -> None:
        total = weights.sum(axis=1, keepdims=True)
        fallback = np.zeros(weights.shape[1])
        fallback[int(np.argmax(weights.sum(axis=0)))] = 1
        shares = np.where(total > 0, weights / np.where(total > 0, total, 1), fallback)
        group, item = np.nonzero(shares)
        steps = np.cumsum(shares, axis=1)[group, item]
        # The last item of a group must reach the next group in spite of rounding.
        last = np.append(group[1:] != group[:-1], True)
        self._edges = group + np.where(last, 1.0, np.minimum(steps, 1.0))
        self._items = item

    def draw(self, groups: npt.NDArray[np.integer], uniform: Floats) -> npt.NDArray[np.int64]:
        """One item for each pair of group and uniform number."""
        at = np.searchsorted(self._edges, groups + np.minimum(uniform, 1 - 2.0**-30), side="right")
        return self._items[at]


def _mix(values: Keys) -> Keys:
    values = (values ^ (values >> np.uint64(30))) * _FIRST
    values = (values ^ (values >> np.uint64(27))) * _SECOND
    return values ^ (values >> np.uint64(31))
