UPDATE raw.crime
SET deleted_at = clock_timestamp(), last_run = %(run_id)s
WHERE id = ANY (%(ids)s)
  AND deleted_at IS NULL;
