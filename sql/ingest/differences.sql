-- Ids that raw and the source do not have alike, in the months whose counts differ.
WITH ours AS (
    SELECT id, coalesce(to_char(date, 'YYYY-MM'), '') AS month
    FROM raw.crime
    WHERE deleted_at IS NULL
      AND coalesce(to_char(date, 'YYYY-MM'), '') = ANY (%(months)s)
)
SELECT 'deleted' AS kind, o.id
FROM ours AS o
WHERE NOT EXISTS (SELECT FROM source_id AS s WHERE s.id = o.id)
UNION
SELECT 'missed', s.id
FROM source_id AS s
WHERE NOT EXISTS (SELECT FROM ours AS o WHERE o.id = s.id AND o.month = s.month)
  AND s.id NOT IN (SELECT id FROM ({outstanding}) AS r)
ORDER BY 1, 2;
