-- Rows that differ, by kind, crime type and year (those of a removed row: the last it had), with the cells that differ.
-- A cell is `filled` on both sides when neither holds a value of the row's own source: when only such cells differ, the
-- row is `imputed`.
SELECT
    k.kind,
    coalesce(n."CRIME_TYPE", p."CRIME_TYPE") AS crime_type,
    coalesce(n."YEAR", p."YEAR") AS year,
    count(*) AS rows,
    {cells}
FROM {new} AS n
FULL JOIN {old} AS p ON p."ID" = n."ID"
CROSS JOIN LATERAL (
    SELECT
        (n."IMPUTED_FIELDS" LIKE '%LATITUDE%' OR {new_open}) AND (p."IMPUTED_FIELDS" LIKE '%LATITUDE%' OR {old_open})
            AS place,
        n."IMPUTED_FIELDS" LIKE '%INCIDENT_DATE%' AND p."IMPUTED_FIELDS" LIKE '%INCIDENT_DATE%' AS date
) AS filled
CROSS JOIN LATERAL (
    SELECT CASE
        WHEN p."ID" IS NULL THEN 'added'
        WHEN n."ID" IS NULL THEN 'removed'
        WHEN {own_differ}
            OR NOT filled.date AND {dates_differ}
            OR NOT filled.place AND ({places_differ} OR n."IMPUTED_FIELDS" <> p."IMPUTED_FIELDS")
            OR ltrim(regexp_replace(',' || n."IMPUTED_FIELDS", {place_names}, '', 'g'), ',')
                <> ltrim(regexp_replace(',' || p."IMPUTED_FIELDS", {place_names}, '', 'g'), ',')
            THEN 'changed'
        WHEN {dates_differ} OR {places_differ} OR n."IMPUTED_FIELDS" <> p."IMPUTED_FIELDS" THEN 'imputed'
        ELSE 'restamped'
    END AS kind
) AS k
WHERE {differs}
GROUP BY 1, 2, 3;
