"""The 38 columns of the fact table: 22 from the source, 16 derived."""

from include.dataset.categories import CRIME_CATEGORIES, LOCATION_CATEGORIES, LOCATION_RISKS
from include.dataset.rules import FILLER, INDEX_CRIME_CODES, UNKNOWN
from include.dataset.tables import Column

_TEXT_RULE = f"becomes {FILLER}"
_COORDINATE_RULE = (
    "taken, all four together, from the earliest row of the same block that has them, else the mean of the beat, "
    "else left null"
)

SOURCE_COLUMNS: tuple[Column, ...] = (
    Column("ID", "bigint", "Unique number of the record.", source="id", nullable=False),
    Column(
        "CASE_NUMBER",
        "text",
        "Number of the police report (RD number).",
        source="case_number",
        prompt_note="not unique: one row per victim of a homicide",
    ),
    Column(
        "INCIDENT_DATE",
        "timestamp",
        "When the incident occurred, Chicago local time; sometimes an estimate.",
        source="date",
        null_rule="becomes the most frequent timestamp of the same year; rejected when the year is missing too",
        nullable=False,
    ),
    Column(
        "BLOCK",
        "text",
        "Address down to the block, the last two digits masked.",
        source="block",
        prompt_note="for example 001XX N STATE ST",
    ),
    Column(
        "IUCR",
        "text",
        "Illinois Uniform Crime Reporting code, four characters.",
        source="iucr",
        prompt_note="text with leading zeros, for example '0820'",
    ),
    Column(
        "CRIME_TYPE",
        "text",
        "Primary description of the IUCR code, for example THEFT.",
        source="primary_type",
        null_rule=_TEXT_RULE,
        nullable=False,
    ),
    Column(
        "DESCRIPTION",
        "text",
        "Secondary description of the IUCR code, for example OVER $500.",
        source="description",
        null_rule=_TEXT_RULE,
        nullable=False,
    ),
    Column(
        "LOCATION_DESCRIPTION",
        "text",
        "Kind of place, for example APARTMENT; spelling changed over the years.",
        source="location_description",
        null_rule=_TEXT_RULE,
        nullable=False,
    ),
    Column("ARREST", "boolean", "Whether an arrest was made.", source="arrest"),
    Column("DOMESTIC", "boolean", "Whether the incident was domestic-related.", source="domestic"),
    Column(
        "BEAT",
        "text",
        "Police beat, the smallest police area: four digits.",
        source="beat",
        prompt_note="text with leading zeros, for example '0111'",
    ),
    Column(
        "DISTRICT",
        "smallint",
        "Police district.",
        source="district",
        references="district_names(district_id)",
    ),
    Column(
        "WARD",
        "smallint",
        "Ward (City Council district); null when not assigned, as in most of 2001.",
        source="ward",
        references="ward_names(ward_id)",
    ),
    Column(
        "COMMUNITY_AREA",
        "smallint",
        "Community area, 1 to 77; null when not assigned.",
        source="community_area",
        references="community_area_names(community_area_id)",
    ),
    Column(
        "FBI_CODE",
        "text",
        "Crime classification of the FBI's reporting programme (NIBRS).",
        source="fbi_code",
        prompt_note="text, for example '01A', '06', '08B'",
    ),
    Column(
        "X_COORDINATE",
        "double precision",
        "East coordinate in feet, State Plane Illinois East, shifted within the block.",
        source="x_coordinate",
        null_rule=_COORDINATE_RULE,
    ),
    Column(
        "Y_COORDINATE",
        "double precision",
        "North coordinate in feet, State Plane Illinois East, shifted within the block.",
        source="y_coordinate",
        null_rule=_COORDINATE_RULE,
    ),
    Column(
        "YEAR",
        "smallint",
        "Year the incident occurred.",
        source="year",
        null_rule="taken from the date",
        nullable=False,
    ),
    Column("UPDATED_ON", "timestamp", "When the source last updated the record.", source="updated_on"),
    Column(
        "LATITUDE",
        "double precision",
        "Latitude in degrees, shifted within the block.",
        source="latitude",
        null_rule=_COORDINATE_RULE,
    ),
    Column(
        "LONGITUDE",
        "double precision",
        "Longitude in degrees, shifted within the block.",
        source="longitude",
        null_rule=_COORDINATE_RULE,
    ),
    Column(
        "LOCATION",
        "text",
        'Latitude and longitude as the text "(lat, lon)", made from the two stored columns.',
    ),
)

DERIVED_COLUMNS: tuple[Column, ...] = (
    Column("MONTH", "smallint", "Month of INCIDENT_DATE, 1 to 12.", derived=True, nullable=False),
    Column("DAY", "smallint", "Day of the month of INCIDENT_DATE, 1 to 31.", derived=True, nullable=False),
    Column("HOUR", "smallint", "Hour of INCIDENT_DATE, 0 to 23.", derived=True, nullable=False),
    Column("QUARTER", "smallint", "Quarter of INCIDENT_DATE, 1 to 4.", derived=True, nullable=False),
    Column(
        "DAY_OF_WEEK",
        "text",
        "Day of the week of INCIDENT_DATE.",
        derived=True,
        nullable=False,
        values=("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"),
    ),
    Column("IS_WEEKEND", "boolean", "Whether the day is a Saturday or Sunday.", derived=True, nullable=False),
    Column(
        "SEASON",
        "text",
        "WINTER is December to February, SPRING March to May, SUMMER June to August, FALL September to November.",
        derived=True,
        nullable=False,
        values=("WINTER", "SPRING", "SUMMER", "FALL"),
    ),
    Column(
        "TIME_OF_DAY",
        "text",
        "NIGHT is hour 0 to 5, MORNING 6 to 11, AFTERNOON 12 to 17, EVENING 18 to 23.",
        derived=True,
        nullable=False,
        values=("NIGHT", "MORNING", "AFTERNOON", "EVENING"),
    ),
    Column(
        "CRIME_CATEGORY",
        "text",
        "Group of CRIME_TYPE, by a reviewed table.",
        derived=True,
        nullable=False,
        values=CRIME_CATEGORIES,
    ),
    Column(
        "LOCATION_CATEGORY",
        "text",
        "Group of LOCATION_DESCRIPTION, by a reviewed table; spelling variants fall together.",
        derived=True,
        nullable=False,
        values=LOCATION_CATEGORIES,
    ),
    Column(
        "LOCATION_RISK",
        "text",
        "Risk of LOCATION_CATEGORY: its share of serious violent crime, from 10 % HIGH, from 5 % MEDIUM, else LOW.",
        derived=True,
        nullable=False,
        values=LOCATION_RISKS,
    ),
    Column(
        "IS_INDEX_CRIME",
        "boolean",
        f"Whether FBI_CODE is one of the index crimes: {', '.join(INDEX_CRIME_CODES)}.",
        null_rule="false when FBI_CODE is missing",
        derived=True,
        nullable=False,
    ),
    Column(
        "ARREST_STATUS",
        "text",
        "ARREST in words.",
        null_rule=f"{UNKNOWN} when ARREST is missing",
        derived=True,
        nullable=False,
        values=("ARREST", "NO ARREST", UNKNOWN),
    ),
    Column(
        "DOMESTIC_STATUS",
        "text",
        "DOMESTIC in words.",
        null_rule=f"{UNKNOWN} when DOMESTIC is missing",
        derived=True,
        nullable=False,
        values=("DOMESTIC", "NOT DOMESTIC", UNKNOWN),
    ),
    Column(
        "DAYS_TO_UPDATE",
        "integer",
        "Days from INCIDENT_DATE to UPDATED_ON: not the time until the case was solved.",
        derived=True,
    ),
    Column(
        "IMPUTED_FIELDS",
        "text",
        "Names of the columns that the null rules filled in this row, separated by commas; empty when none.",
        derived=True,
        nullable=False,
    ),
)

COLUMNS: tuple[Column, ...] = SOURCE_COLUMNS + DERIVED_COLUMNS
