-- A backup holds the record of snapshots and not their tables.
UPDATE ops.snapshot
SET state = 'dropped', note = concat_ws('; ', note, 'restored from a backup without its tables')
WHERE state <> 'dropped' AND to_regnamespace(snapshot_id) IS NULL
RETURNING snapshot_id
