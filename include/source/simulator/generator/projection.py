"""Degrees to the Illinois East state plane (NAD 83, US survey feet), as the published coordinates are."""

import numpy as np

from include.source.simulator.generator.draws import Floats

_A, _F = 6378137.0, 1 / 298.257222101
_E2 = _F * (2 - _F)
_EP2 = _E2 / (1 - _E2)
_SCALE, _LAT0, _LON0 = 0.999975, np.radians(36 + 2 / 3), np.radians(-(88 + 1 / 3))
_EASTING = 300_000.0
_FEET = 3937 / 1200


def to_feet(latitude: Floats, longitude: Floats) -> tuple[Floats, Floats]:
    """Transverse Mercator x and y in feet, good to a foot within the city."""
    phi = np.radians(latitude)
    cosine = np.cos(phi)
    tangent2 = np.tan(phi) ** 2
    radius = _A / np.sqrt(1 - _E2 * np.sin(phi) ** 2)
    c = _EP2 * cosine**2
    a = (np.radians(longitude) - _LON0) * cosine
    x = a + (1 - tangent2 + c) * a**3 / 6 + (5 - 18 * tangent2 + tangent2**2 + 72 * c - 58 * _EP2) * a**5 / 120
    y = a**2 / 2 + (5 - tangent2 + 9 * c + 4 * c**2) * a**4 / 24
    east = _EASTING + _SCALE * radius * x
    north = _SCALE * (_arc(phi) - _arc(np.float64(_LAT0)) + radius * np.tan(phi) * y)
    return east * _FEET, north * _FEET


def _arc(phi: Floats | np.float64) -> Floats:
    e4, e6 = _E2**2, _E2**3
    return np.asarray(
        _A
        * (
            (1 - _E2 / 4 - 3 * e4 / 64 - 5 * e6 / 256) * phi
            - (3 * _E2 / 8 + 3 * e4 / 32 + 45 * e6 / 1024) * np.sin(2 * phi)
            + (15 * e4 / 256 + 45 * e6 / 1024) * np.sin(4 * phi)
            - 35 * e6 / 3072 * np.sin(6 * phi)
        )
    )
