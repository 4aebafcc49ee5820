"""The null rules: what fills a missing cell, and the name under which the ledger counts it."""

from include.dataset.tables import NullRule

FILLER = "OTHER OFFENSE"
"""What the text rule fills in."""
UNKNOWN = "UNKNOWN"
"""Status of an arrest or domestic flag that the source leaves out."""
COORDINATES = ("X_COORDINATE", "Y_COORDINATE", "LATITUDE", "LONGITUDE")
INDEX_CRIME_CODES = ("01A", "02", "03", "04A", "04B", "05", "06", "07", "09")
"""FBI codes of the index crimes."""

NULL_RULES: tuple[NullRule, ...] = (
    NullRule(("CRIME_TYPE", "DESCRIPTION", "LOCATION_DESCRIPTION"), "constant", f"missing text becomes {FILLER}"),
    NullRule(
        ("INCIDENT_DATE",),
        "mode of year",
        "a missing date becomes the most frequent timestamp of the same YEAR (ties: the earliest); the row is rejected "
        "when YEAR is missing too or has no dated row",
    ),
    NullRule(("YEAR",), "from date", "a missing year is taken from the date"),
    NullRule(
        COORDINATES,
        "block donor",
        "when one of the four is missing, or they are the 0/0 placeholder, all four come from the earliest row "
        "(INCIDENT_DATE, then ID) of the same BLOCK that has them in the source",
    ),
    NullRule(
        COORDINATES,
        "beat mean",
        "without such a row all four become the mean of the BEAT's source values, rounded to 9 decimals (degrees) and "
        "0 decimals (feet); without one they stay null",
    ),
    NullRule(("ARREST_STATUS", "DOMESTIC_STATUS"), "unknown", f"a missing flag stays null and its status is {UNKNOWN}"),
)
