-- Every crime type and location description as published, with the value stored for it and its category.
-- Joining on the published value spares the work of normalising each row.
CREATE TABLE {schema}._value AS
SELECT primary_type, location_description, count(*) AS cells
FROM {schema}._source
GROUP BY primary_type, location_description;

CREATE TABLE {schema}._crime_type AS
SELECT
    v.primary_type AS published, v.stored, coalesce(k.category, 'OTHER') AS category,
    k.category IS NULL AS unseen, v.cells
FROM (
    SELECT primary_type, upper(btrim(primary_type, E' \t\r\n')) AS stored, sum(cells)::bigint AS cells
    FROM {schema}._value
    WHERE btrim(primary_type, E' \t\r\n') <> ''
    GROUP BY primary_type
) AS v
LEFT JOIN unnest({crime_types}::text[], {crime_categories}::text[]) AS k(value, category)
    ON k.value = regexp_replace(v.stored, '\s+', ' ', 'g');

CREATE TABLE {schema}._location AS
SELECT
    v.location_description AS published, v.stored, coalesce(k.category, 'OTHER') AS category, x.risk,
    k.category IS NULL AS unseen, v.cells
FROM (
    SELECT location_description, upper(btrim(location_description, E' \t\r\n')) AS stored, sum(cells)::bigint AS cells
    FROM {schema}._value
    WHERE btrim(location_description, E' \t\r\n') <> ''
    GROUP BY location_description
) AS v
LEFT JOIN unnest({locations}::text[], {location_categories}::text[]) AS k(value, category)
    ON k.value = regexp_replace(v.stored, '\s+', ' ', 'g')
JOIN unnest({categories}::text[], {risks}::text[]) AS x(category, risk)
    ON x.category = coalesce(k.category, 'OTHER');

ANALYZE {schema}._crime_type;
ANALYZE {schema}._location;
