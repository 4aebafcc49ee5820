-- Rows without a coordinate although another row of their block or beat has all four from the source.
SELECT count(*)
FROM {schema}.crime_incidents AS c
WHERE num_nulls(c."X_COORDINATE", c."Y_COORDINATE", c."LATITUDE", c."LONGITUDE") > 0
  AND EXISTS (
      SELECT
      FROM {schema}.crime_incidents AS d
      WHERE (upper(d."BLOCK") = upper(c."BLOCK") OR d."BEAT" = c."BEAT")
        AND num_nulls(d."X_COORDINATE", d."Y_COORDINATE", d."LATITUDE", d."LONGITUDE") = 0
        AND d."IMPUTED_FIELDS" !~ 'COORDINATE|LATITUDE|LONGITUDE'
  );
