INSERT INTO ops.watermark AS w (source_id, updated_at, last_id, run_id)
VALUES (%(source_id)s, %(updated_at)s, %(last_id)s, %(run_id)s)
ON CONFLICT (source_id) DO UPDATE
SET updated_at = excluded.updated_at, last_id = excluded.last_id, run_id = excluded.run_id, set_at = clock_timestamp()
WHERE (excluded.updated_at, coalesce(excluded.last_id, 0)) > (w.updated_at, coalesce(w.last_id, 0));
