-- The newest version of each rejected row whose id is not in raw.
SELECT DISTINCT ON (x.id) x.id, x.date
FROM (
    SELECT
        CASE WHEN ops.is_castable(source_row ->> 'id', 'bigint') THEN (source_row ->> 'id')::bigint END AS id,
        CASE WHEN ops.is_castable(source_row ->> 'date', 'timestamp') THEN (source_row ->> 'date')::timestamp END AS date,
        rejected_at
    FROM ops.rejected_row
    WHERE settled_at IS NULL
) AS x
WHERE x.id IS NOT NULL
  AND NOT EXISTS (SELECT FROM raw.crime AS c WHERE c.id = x.id)
ORDER BY x.id, x.rejected_at DESC
