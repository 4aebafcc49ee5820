SELECT "HOUR", count(*)
FROM {schema}.crime_incidents
WHERE strpos("IMPUTED_FIELDS", 'INCIDENT_DATE') = 0
GROUP BY "HOUR";
