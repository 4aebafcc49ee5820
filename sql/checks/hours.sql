SELECT "HOUR", count(*)
FROM {schema}.crime_incidents
WHERE "IMPUTED_FIELDS" !~ 'INCIDENT_DATE'
GROUP BY "HOUR";
