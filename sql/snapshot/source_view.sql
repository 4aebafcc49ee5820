-- The source rows as the rules read them: text in upper case without blanks at the ends, blank text null, codes typed.
-- A row with neither date nor year has no place in the snapshot; it is reported as rejected.
CREATE VIEW {schema}._source AS
SELECT
    r.id,
    upper(nullif(btrim(r.case_number, E' \t\r\n'), '')) AS case_number,
    r.date,
    upper(nullif(btrim(r.block, E' \t\r\n'), '')) AS block,
    upper(nullif(btrim(r.iucr, E' \t\r\n'), '')) AS iucr,
    r.primary_type,
    upper(nullif(btrim(r.description, E' \t\r\n'), '')) AS description,
    r.location_description,
    r.arrest,
    r.domestic,
    CASE
        WHEN length(btrim(r.beat, E' \t\r\n')) BETWEEN 1 AND 3 THEN lpad(upper(btrim(r.beat, E' \t\r\n')), 4, '0')
        ELSE upper(nullif(btrim(r.beat, E' \t\r\n'), ''))
    END AS beat,
    CASE WHEN btrim(r.district, E' \t\r\n') ~ '^[0-9]{{1,4}}$' THEN r.district::smallint END AS district,
    CASE WHEN r.ward BETWEEN 1 AND 32767 THEN r.ward::smallint END AS ward,
    CASE WHEN r.community_area BETWEEN 1 AND 32767 THEN r.community_area::smallint END AS community_area,
    upper(nullif(btrim(r.fbi_code, E' \t\r\n'), '')) AS fbi_code,
    r.x_coordinate,
    r.y_coordinate,
    r.year AS source_year,
    coalesce(r.year, date_part('year', r.date)::smallint) AS year,
    r.updated_on,
    r.latitude,
    r.longitude,
    c.placeholder,
    r.x_coordinate IS NOT NULL AND r.y_coordinate IS NOT NULL
        AND r.latitude IS NOT NULL AND r.longitude IS NOT NULL AND NOT c.placeholder AS located,
    coalesce(btrim(r.district, E' \t\r\n') !~ '^([0-9]{{1,4}})?$', false)
        OR coalesce(r.ward NOT BETWEEN 0 AND 32767, false)
        OR coalesce(r.community_area NOT BETWEEN 0 AND 32767, false) AS code_lost
FROM {raw} AS r
CROSS JOIN LATERAL (
    -- The projection of 0/0 feet.
    SELECT coalesce(r.x_coordinate = 0 AND r.y_coordinate = 0, false)
        OR coalesce(r.latitude = 0 AND r.longitude = 0, false)
        OR coalesce(r.latitude = 36.619446395 AND r.longitude = -91.686565684, false) AS placeholder
) AS c
WHERE r.deleted_at IS NULL AND (r.date IS NOT NULL OR r.year IS NOT NULL);
