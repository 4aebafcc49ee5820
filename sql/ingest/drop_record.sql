UPDATE ops.snapshot
SET state = 'dropped', note = 'the build failed'
WHERE snapshot_id = %(snapshot_id)s AND state = 'building';
