UPDATE ops.snapshot
SET state = 'published', published_at = clock_timestamp(), note = NULL
WHERE snapshot_id = %(snapshot_id)s
