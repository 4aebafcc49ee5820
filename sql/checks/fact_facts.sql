-- One pass over the fact table: everything the gates want of it but the keys.
SELECT
    count(*) AS row_count,
    count(*) FILTER (WHERE "INCIDENT_DATE" IS NULL) AS null_incident_date,
    count(*) FILTER (WHERE "YEAR" IS NULL) AS null_year,
    count(*) FILTER (WHERE "CRIME_TYPE" IS NULL) AS null_crime_type,
    count(*) FILTER (WHERE "DESCRIPTION" IS NULL) AS null_description,
    count(*) FILTER (WHERE "LOCATION_DESCRIPTION" IS NULL) AS null_location_description,
    count(*) FILTER (WHERE "ARREST_STATUS" IS NULL) AS null_arrest_status,
    count(*) FILTER (WHERE "DOMESTIC_STATUS" IS NULL) AS null_domestic_status,
    count(*) FILTER (WHERE num_nulls("X_COORDINATE", "Y_COORDINATE", "LATITUDE", "LONGITUDE") > 0) AS unlocated,
    max("INCIDENT_DATE") AS newest_incident
FROM {schema}.crime_incidents;
