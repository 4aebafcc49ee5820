import pytest

from include.dataset import SOURCE_FIELDS
from include.source import SchemaDriftError, check_columns

PUBLISHED = {field.name: field.header_type for field in SOURCE_FIELDS if not field.name.startswith(":")}


def test_the_published_columns_pass_in_both_namings_of_types():
    metadata = {"boolean": "checkbox", "floating_timestamp": "calendar_date"}
    extra = {"location": "location", ":@computed_region_awaf_s7ux": "number"}
    assert check_columns(PUBLISHED | extra) == []
    assert check_columns({name: metadata.get(kind, kind) for name, kind in PUBLISHED.items()}) == []


def test_a_new_column_warns():
    (warning,) = check_columns(PUBLISHED | {"district_name": "text"})
    assert "district_name (text)" in warning


def test_a_missing_and_a_retyped_column_stop():
    changed = {name: kind for name, kind in PUBLISHED.items() if name != "fbi_code"} | {"ward": "text"}
    with pytest.raises(SchemaDriftError, match=r"missing: fbi_code; retyped: ward is text, was number"):
        check_columns(changed)
