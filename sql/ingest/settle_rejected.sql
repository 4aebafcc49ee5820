-- Rejected rows that the source no longer has, in the months whose ids were pulled.
UPDATE ops.rejected_row AS x
SET settled_at = clock_timestamp()
FROM ({outstanding}) AS r
WHERE x.settled_at IS NULL
  AND x.source_row ->> 'id' = r.id::text
  AND coalesce(to_char(r.date, 'YYYY-MM'), '') = ANY (%(months)s)
  AND NOT EXISTS (SELECT FROM source_id AS s WHERE s.id = r.id);
