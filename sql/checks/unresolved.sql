SELECT count(*)
FROM {schema}.crime_incidents AS c
WHERE c.{fact_column} IS NOT NULL
  AND NOT EXISTS (SELECT FROM {schema}.{lookup} AS l WHERE l.{key} = c.{fact_column});
