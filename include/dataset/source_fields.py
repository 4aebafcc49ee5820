"""The fields requested from the source: 21 of its own, and the time the source last touched the row."""

from include.dataset.tables import SourceField


def _field(name: str, label: str, soda_type: str, raw_type: str, *, header_type: str = "") -> SourceField:
    return SourceField(
        name=name,
        label=label,
        soda_type=soda_type,
        header_type=header_type or soda_type,
        raw_name=name,
        raw_type=raw_type,
    )


def _text(name: str, label: str) -> SourceField:
    return _field(name, label, "text", "text")


def _number(name: str, label: str, raw_type: str) -> SourceField:
    return _field(name, label, "number", raw_type)


def _boolean(name: str, label: str) -> SourceField:
    return _field(name, label, "checkbox", "boolean", header_type="boolean")


def _timestamp(name: str, label: str) -> SourceField:
    return _field(name, label, "calendar_date", "timestamp", header_type="floating_timestamp")


UPDATED_AT = SourceField(
    name=":updated_at",
    label="",
    soda_type="fixed_timestamp",
    header_type="fixed_timestamp",
    raw_name="source_updated_at",
    raw_type="timestamptz",
)

SOURCE_FIELDS: tuple[SourceField, ...] = (
    _number("id", "ID", "bigint"),
    _text("case_number", "Case Number"),
    _timestamp("date", "Date"),
    _text("block", "Block"),
    _text("iucr", "IUCR"),
    _text("primary_type", "Primary Type"),
    _text("description", "Description"),
    _text("location_description", "Location Description"),
    _boolean("arrest", "Arrest"),
    _boolean("domestic", "Domestic"),
    _text("beat", "Beat"),
    _text("district", "District"),
    _number("ward", "Ward", "integer"),
    _field("community_area", "Community Area", "text", "integer"),
    _text("fbi_code", "FBI Code"),
    _number("x_coordinate", "X Coordinate", "double precision"),
    _number("y_coordinate", "Y Coordinate", "double precision"),
    _number("year", "Year", "smallint"),
    _timestamp("updated_on", "Updated On"),
    _number("latitude", "Latitude", "double precision"),
    _number("longitude", "Longitude", "double precision"),
    UPDATED_AT,
)
"""The last one is the system field; `location` is not requested (its form has changed three times)."""
