"""From compact arrays to published columns."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from include.source.simulator.generator import rows as bits
from include.source.simulator.generator.draws import Draws, Floats
from include.source.simulator.generator.facts import Facts
from include.source.simulator.generator.projection import to_feet

_ZERO_DEGREES = (36.619446395, -91.686565684)
"""Where the projection puts x = y = 0: the place of rows without one, until 2014."""
_PREFIXES = ("G", "HH", "HJ", "HK", "HL", "HM", "HN", "HP", "HR", "HS", "HT", "HV", "HW", "HX", "HY", "HZ")
_LATER = "ABCDEFGHJKLMNPQRSTVWXYZ"

Read = Callable[[str], npt.NDArray[Any]]


class Decoder:
    """Decodes columns of generated rows."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        combos = facts.combos
        self._combo_columns = {
            name: _dictionary([combo[part] for combo in combos])
            for part, name in enumerate(("primary_type", "iucr", "description", "fbi_code"))
        }
        # Each block also in mixed case, behind the others.
        self._blocks = pa.array([*facts.blocks, *(_mixed_case(block) for block in facts.blocks)])
        cells = [facts.cells[cell] for cell in facts.block_cell]
        self._districts = _dictionary([cell[0] for cell in cells])
        self._beats = _dictionary([cell[1] for cell in cells])
        self._wards = np.array([cell[2] for cell in cells], dtype=np.int16)
        self._areas = _dictionary([cell[3] for cell in cells])

    def decode(self, name: str, read: Read, memo: dict[str, Any]) -> pa.Array:
        """One published field; `read` gives the compact arrays of the rows, `memo` keeps what several fields need."""
        if name in self._combo_columns:
            return _look_up(self._combo_columns[name], read("combo"))
        if name in ("latitude", "longitude", "x_coordinate", "y_coordinate", "location"):
            return self._place(name, read, memo)
        decoders: dict[str, Callable[[Read], pa.Array]] = {
            "id": lambda r: pa.array(r("id").astype(np.int64)),
            "date": lambda r: _times(r("seconds")),
            "updated_on": lambda r: _times(r("updated_on")),
            "year": lambda r: pa.array(_years(r("seconds")).astype(np.int16)),
            "arrest": lambda r: pa.array((r("flags") & bits.ARREST) != 0),
            "domestic": lambda r: pa.array((r("flags") & bits.DOMESTIC) != 0),
            "location_description": self._location_description,
            "case_number": _case_numbers,
            "block": self._block,
            "beat": lambda r: _look_up(self._beats, r("block")),
            "district": self._district,
            "ward": self._ward,
            "community_area": self._area,
        }
        return decoders[name](read)

    def _block(self, read: Read) -> pa.Array:
        shift = np.where(read("quirk") == bits.MIXED_CASE, len(self._facts.blocks), 0)
        return pa.DictionaryArray.from_arrays(pa.array((read("block") + shift).astype(np.int32)), self._blocks)

    def _location_description(self, read: Read) -> pa.Array:
        missing = (read("flags") & bits.NO_LOCATION) != 0
        indices = pa.array(read("location").astype(np.int16), mask=missing)
        return pa.DictionaryArray.from_arrays(indices, pa.array(self._facts.locations))

    def _district(self, read: Read) -> pa.Array:
        quirk = read("quirk")
        odd = {bits.OUTSIDE: "061", bits.DISTRICT_31: "031", bits.UNPADDED: "16"}
        return _replaced(_look_up(self._districts, read("block")), quirk, odd)

    def _area(self, read: Read) -> pa.Array:
        area = _replaced(_look_up(self._areas, read("block")), read("quirk"), {bits.OUTSIDE: "0", bits.UNPLACED: "0"})
        return _masked(area, (read("flags") & bits.NO_WARD) != 0)

    def _ward(self, read: Read) -> pa.Array:
        ward = np.where(read("quirk") == bits.OUTSIDE, 0, self._wards[read("block")])
        return pa.array(ward.astype(np.int16), mask=(read("flags") & bits.NO_WARD) != 0)

    def _place(self, name: str, read: Read, memo: dict[str, Any]) -> pa.Array:
        flags = read("flags")
        missing, zero = (flags & bits.NO_COORDS) != 0, (flags & bits.ZERO_COORDS) != 0
        if "degrees" not in memo:
            degrees = self._degrees(read, flags)
            memo["degrees"] = tuple(np.where(zero, o, d) for o, d in zip(_ZERO_DEGREES, degrees, strict=True))
        latitude, longitude = memo["degrees"]
        if name in ("x_coordinate", "y_coordinate"):
            if "feet" not in memo:
                memo["feet"] = to_feet(latitude, longitude)
            feet = memo["feet"][0 if name == "x_coordinate" else 1]
            return pa.array(np.where(zero, 0, np.rint(feet)).astype(np.int32), mask=missing)
        if name == "latitude":
            return pa.array(latitude, mask=missing)
        if name == "longitude":
            return pa.array(longitude, mask=missing)
        texts = [pa.array(values, mask=missing).cast(pa.string()) for values in (latitude, longitude)]
        return pa.StructArray.from_arrays(texts, names=["latitude", "longitude"], mask=pa.array(missing))

    def _degrees(self, read: Read, flags: npt.NDArray[Any]) -> tuple[Floats, Floats]:
        """The block's place, shifted within the block by an amount that a revision changes."""
        block = read("block")
        moved = ((flags & bits.MOVED) != 0).astype(np.uint64) << np.uint64(40)
        draws = Draws(read("id").astype(np.uint64) + moved, seed=41)
        latitude = self._facts.block_lat[block] + 0.0009 * (draws.uniform(1) + draws.uniform(2) - 1)
        longitude = self._facts.block_lon[block] + 0.0011 * (draws.uniform(3) + draws.uniform(4) - 1)
        return np.round(latitude, 9), np.round(longitude, 9)


def _case_numbers(read: Read) -> pa.Array:
    year = _years(read("seconds"))
    names = [_prefix(int(value)) for value in range(2001, 2061)]
    prefix = pa.DictionaryArray.from_arrays(pa.array((year - 2001).astype(np.int16)), pa.array(names)).cast(pa.string())
    number = pa.array(read("case")).cast(pa.string())
    plain = pc.binary_join_element_wise(prefix, number, "")
    quirk = read("quirk")
    odd = np.flatnonzero(quirk >= bits.TRAILING_LETTER)
    if not len(odd):
        return plain
    values = [_odd_case(plain[int(at)].as_py(), int(quirk[at])) for at in odd]
    mask = np.zeros(len(quirk), dtype=bool)
    mask[odd] = True
    return pc.replace_with_mask(plain, pa.array(mask), pa.array(values, pa.string()))


def _odd_case(case: str, quirk: int) -> str | None:
    digits = case[-6:]
    forms: dict[int, str | None] = {
        bits.TRAILING_LETTER: case + "A",
        bits.TRAILING_DOT: case + ".",
        bits.INNER_BLANK: f"{case[0]} {digits}",
        bits.DIGITS_ONLY: digits,
        bits.SEVEN_DIGITS: case + digits[0],
        bits.NO_CASE: None,
        bits.TEST_CASE: "TESTTEST",
    }
    return forms[quirk]


def _prefix(year: int) -> str:
    at = year - 2001
    if at < len(_PREFIXES):
        return _PREFIXES[at]
    at -= len(_PREFIXES)
    return "JKLM"[at // len(_LATER)] + _LATER[at % len(_LATER)]


def _mixed_case(block: str) -> str:
    number, _, street = block.partition(" ")
    return f"{number} {street.title()}"


def _years(seconds: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    return seconds.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int64) + 1970


def _times(seconds: npt.NDArray[Any]) -> pa.Array:
    return pa.array(seconds.astype(np.int64), pa.timestamp("s"))


def _dictionary(values: list[str]) -> pa.DictionaryArray:
    return pa.array(values).dictionary_encode()


def _look_up(table: pa.DictionaryArray, at: npt.NDArray[Any]) -> pa.DictionaryArray:
    indices = np.asarray(table.indices)[at].astype(np.int16)
    return pa.DictionaryArray.from_arrays(pa.array(indices), table.dictionary)


def _replaced(values: pa.DictionaryArray, quirk: npt.NDArray[Any], odd: dict[int, str]) -> pa.Array:
    words = [*values.dictionary.to_pylist(), *odd.values()]
    indices = np.asarray(values.indices).copy()
    for place, kind in enumerate(odd):
        indices[quirk == kind] = len(values.dictionary) + place
    return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(words))


def _masked(values: pa.DictionaryArray, mask: npt.NDArray[np.bool_]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(np.asarray(values.indices), mask=mask), values.dictionary)
