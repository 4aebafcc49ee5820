"""The fields of the crimes data set as the City publishes them, and the system fields the server adds.

The simulator plays the outside world, so it has its own list and takes nothing from the project's definition of the
data set: a test that compares the two would otherwise compare a thing with itself.
"""

from dataclasses import dataclass
from typing import Literal

DATASET_ID = "ijzp-q8t2"
DATASET_NAME = "Crimes - 2001 to Present"

SodaType = Literal[
    "number", "text", "checkbox", "calendar_date", "location", "fixed_timestamp", "row_id", "row_version"
]


@dataclass(frozen=True)
class Field:
    """One field: its API name, its type and its header in a portal export."""

    name: str
    type: SodaType
    title: str


DATA_FIELDS: tuple[Field, ...] = (
    Field("id", "number", "ID"),
    Field("case_number", "text", "Case Number"),
    Field("date", "calendar_date", "Date"),
    Field("block", "text", "Block"),
    Field("iucr", "text", "IUCR"),
    Field("primary_type", "text", "Primary Type"),
    Field("description", "text", "Description"),
    Field("location_description", "text", "Location Description"),
    Field("arrest", "checkbox", "Arrest"),
    Field("domestic", "checkbox", "Domestic"),
    Field("beat", "text", "Beat"),
    Field("district", "text", "District"),
    Field("ward", "number", "Ward"),
    Field("community_area", "text", "Community Area"),
    Field("fbi_code", "text", "FBI Code"),
    Field("x_coordinate", "number", "X Coordinate"),
    Field("y_coordinate", "number", "Y Coordinate"),
    Field("year", "number", "Year"),
    Field("updated_on", "calendar_date", "Updated On"),
    Field("latitude", "number", "Latitude"),
    Field("longitude", "number", "Longitude"),
    Field("location", "location", "Location"),
)

SYSTEM_FIELDS: tuple[Field, ...] = (
    Field(":id", "row_id", ":id"),
    Field(":created_at", "fixed_timestamp", ":created_at"),
    Field(":updated_at", "fixed_timestamp", ":updated_at"),
    Field(":version", "row_version", ":version"),
)

COMPUTED_REGIONS: dict[str, str] = {
    ":@computed_region_awaf_s7ux": "ward",
    ":@computed_region_6mkv_f3dw": "beat",
    ":@computed_region_vrxf_vc4k": "community_area",
    ":@computed_region_bdys_3d7i": "beat",
    ":@computed_region_43wa_7qmu": "ward",
    ":@computed_region_rpca_8um6": "beat",
    ":@computed_region_d9mm_jgwp": "district",
    ":@computed_region_d3ds_rm58": "beat",
    ":@computed_region_8hcu_yrd4": "ward",
}
"""Internal polygon numbers the server adds to every row with coordinates, with the field each is derived from here."""

COMPUTED_FIELDS: tuple[Field, ...] = tuple(Field(name, "number", name) for name in COMPUTED_REGIONS)

FIELDS: dict[str, Field] = {field.name: field for field in DATA_FIELDS + SYSTEM_FIELDS + COMPUTED_FIELDS}

# The type names of the SODA 2.1 headers; /api/views has the names above.
HEADER_TYPES: dict[SodaType, str] = {
    "number": "number",
    "text": "text",
    "checkbox": "boolean",
    "calendar_date": "floating_timestamp",
    "location": "location",
    "fixed_timestamp": "fixed_timestamp",
    "row_id": "row_identifier",
    "row_version": "row_version",
}
