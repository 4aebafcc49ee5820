-- The fact table. CREATE TABLE AS, not INSERT: only its query may run in parallel.
CREATE TABLE {schema}.crime_incidents AS
SELECT
    s.id AS "ID",
    s.case_number AS "CASE_NUMBER",
    d.date AS "INCIDENT_DATE",
    s.block AS "BLOCK",
    s.iucr AS "IUCR",
    coalesce(t.stored, 'OTHER OFFENSE') AS "CRIME_TYPE",
    coalesce(s.description, 'OTHER OFFENSE') AS "DESCRIPTION",
    coalesce(l.stored, 'OTHER OFFENSE') AS "LOCATION_DESCRIPTION",
    s.arrest AS "ARREST",
    s.domestic AS "DOMESTIC",
    s.beat AS "BEAT",
    s.district AS "DISTRICT",
    s.ward AS "WARD",
    s.community_area AS "COMMUNITY_AREA",
    s.fbi_code AS "FBI_CODE",
    p.x AS "X_COORDINATE",
    p.y AS "Y_COORDINATE",
    s.year AS "YEAR",
    s.updated_on AS "UPDATED_ON",
    p.lat AS "LATITUDE",
    p.lon AS "LONGITUDE",
    '(' || p.lat || ', ' || p.lon || ')' AS "LOCATION",
    date_part('month', d.date)::smallint AS "MONTH",
    date_part('day', d.date)::smallint AS "DAY",
    date_part('hour', d.date)::smallint AS "HOUR",
    date_part('quarter', d.date)::smallint AS "QUARTER",
    (ARRAY['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'])
        [date_part('isodow', d.date)::int] AS "DAY_OF_WEEK",
    date_part('isodow', d.date) >= 6 AS "IS_WEEKEND",
    (ARRAY['WINTER', 'SPRING', 'SUMMER', 'FALL'])[date_part('month', d.date)::int % 12 / 3 + 1] AS "SEASON",
    (ARRAY['NIGHT', 'MORNING', 'AFTERNOON', 'EVENING'])[date_part('hour', d.date)::int / 6 + 1] AS "TIME_OF_DAY",
    coalesce(t.category, 'OTHER') AS "CRIME_CATEGORY",
    coalesce(l.category, 'OTHER') AS "LOCATION_CATEGORY",
    coalesce(l.risk, {other_risk}) AS "LOCATION_RISK",
    coalesce(s.fbi_code = ANY ({index_codes}::text[]), false) AS "IS_INDEX_CRIME",
    CASE s.arrest WHEN true THEN 'ARREST' WHEN false THEN 'NO ARREST' ELSE 'UNKNOWN' END AS "ARREST_STATUS",
    CASE s.domestic WHEN true THEN 'DOMESTIC' WHEN false THEN 'NOT DOMESTIC' ELSE 'UNKNOWN' END AS "DOMESTIC_STATUS",
    s.updated_on::date - d.date::date AS "DAYS_TO_UPDATE",
    CASE
        WHEN s.date IS NOT NULL AND t.stored IS NOT NULL AND s.description IS NOT NULL AND l.stored IS NOT NULL
            AND f.id IS NULL AND s.source_year IS NOT NULL AND s.arrest IS NOT NULL AND s.domestic IS NOT NULL
            THEN ''
        ELSE concat_ws(
            ',',
            CASE WHEN s.date IS NULL THEN 'INCIDENT_DATE' END,
            CASE WHEN t.stored IS NULL THEN 'CRIME_TYPE' END,
            CASE WHEN s.description IS NULL THEN 'DESCRIPTION' END,
            CASE WHEN l.stored IS NULL THEN 'LOCATION_DESCRIPTION' END,
            CASE WHEN f.id IS NOT NULL THEN 'X_COORDINATE,Y_COORDINATE' END,
            CASE WHEN s.source_year IS NULL THEN 'YEAR' END,
            CASE WHEN f.id IS NOT NULL THEN 'LATITUDE,LONGITUDE' END,
            CASE WHEN s.arrest IS NULL THEN 'ARREST_STATUS' END,
            CASE WHEN s.domestic IS NULL THEN 'DOMESTIC_STATUS' END
        )
    END AS "IMPUTED_FIELDS"
FROM {schema}._source AS s
LEFT JOIN {schema}._crime_type AS t ON t.published = s.primary_type
LEFT JOIN {schema}._location AS l ON l.published = s.location_description
LEFT JOIN {schema}._fill AS f ON f.id = s.id
LEFT JOIN {schema}._mode AS m ON m.year = s.year AND s.date IS NULL
CROSS JOIN LATERAL (SELECT coalesce(s.date, m.date) AS date) AS d
CROSS JOIN LATERAL (
    SELECT
        CASE WHEN f.id IS NOT NULL THEN f.x_coordinate WHEN NOT s.placeholder THEN s.x_coordinate END AS x,
        CASE WHEN f.id IS NOT NULL THEN f.y_coordinate WHEN NOT s.placeholder THEN s.y_coordinate END AS y,
        CASE WHEN f.id IS NOT NULL THEN f.latitude WHEN NOT s.placeholder THEN s.latitude END AS lat,
        CASE WHEN f.id IS NOT NULL THEN f.longitude WHEN NOT s.placeholder THEN s.longitude END AS lon
) AS p
WHERE s.date IS NOT NULL OR m.date IS NOT NULL;
