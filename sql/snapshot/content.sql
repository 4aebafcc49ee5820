-- What the snapshot holds, by the set of filled cells. The sum of row hashes does not depend on the order of rows.
SELECT
    c."IMPUTED_FIELDS",
    count(*),
    sum(hash_record_extended(c, 0)),
    min(c."INCIDENT_DATE"),
    max(c."INCIDENT_DATE"),
    max(c."UPDATED_ON"),
    count(*) FILTER (WHERE c."LATITUDE" IS NULL)
FROM {schema}.crime_incidents AS c
GROUP BY c."IMPUTED_FIELDS";
