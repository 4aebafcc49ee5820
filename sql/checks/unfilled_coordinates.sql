-- Rows without a coordinate although another row of their block or beat has all four from the source.
WITH located AS (
    SELECT "BLOCK", "BEAT", num_nulls("X_COORDINATE", "Y_COORDINATE", "LATITUDE", "LONGITUDE") = 0 AS has_all,
        "IMPUTED_FIELDS" ~ 'COORDINATE|LATITUDE|LONGITUDE' AS imputed
    FROM {schema}.crime_incidents
),
unlocated AS MATERIALIZED (
    SELECT "BLOCK", "BEAT" FROM located WHERE NOT has_all
),
blocks AS (
    SELECT DISTINCT "BLOCK" FROM located
    WHERE has_all AND NOT imputed AND "BLOCK" IN (SELECT "BLOCK" FROM unlocated)
),
beats AS (
    SELECT DISTINCT "BEAT" FROM located
    WHERE has_all AND NOT imputed AND "BEAT" IN (SELECT "BEAT" FROM unlocated)
)
SELECT count(*)
FROM unlocated
WHERE "BLOCK" IN (SELECT "BLOCK" FROM blocks) OR "BEAT" IN (SELECT "BEAT" FROM beats);
