"""The semantic model is true to the data set, and the grammar stays small."""

import yaml

from agent.semantic.model import MODEL_FILE, load_model
from agent.semantic.rules import BRACKETS, CALENDAR_STAGES, STAGES
from include.dataset import COLUMNS, LOOKUPS

DOCUMENT = yaml.safe_load(MODEL_FILE.read_text(encoding="utf-8"))
NAMES = {column.name for column in COLUMNS}


def test_dimensions_read_columns_of_the_data_set() -> None:
    for dimension in load_model().dimensions.values():
        assert dimension.column in NAMES


def test_lookups_are_those_of_the_data_set() -> None:
    named = {d.lookup.table for d in load_model().dimensions.values() if d.lookup is not None}
    assert named == {lookup.name for lookup in LOOKUPS}


def test_filters_read_columns_of_the_data_set() -> None:
    for spec in [entry["where"] for entry in DOCUMENT["filters"]] + [m["share"] for m in DOCUMENT["measures"].values()]:
        assert _columns(spec) <= NAMES, spec


def _columns(where: dict[str, object]) -> set[str]:
    found: set[str] = set()
    for key, inner in where.items():
        if key in {"all", "any"}:
            found |= set().union(*(_columns(part) for part in inner))  # type: ignore[attr-defined]  # a list
        elif key == "not":
            found |= _columns(inner)  # type: ignore[arg-type]  # a mapping
        else:
            found.add(key)
    return found


def test_sides_cover_every_community_area_once() -> None:
    areas = [area for side, listed in DOCUMENT["sides"].items() if side != "downtown" for area in listed]
    assert sorted(areas) == list(range(1, 78))


def test_the_grammar_stays_small() -> None:
    books = (BRACKETS, *CALENDAR_STAGES, *STAGES)
    names = [rule.name for book in books for rule in book.rules]
    assert len(names) <= 120
    assert len(set(names)) == len(names)
