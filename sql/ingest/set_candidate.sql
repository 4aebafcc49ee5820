UPDATE ops.snapshot
SET state = 'candidate',
    row_count = %(row_count)s,
    newest_incident = %(newest_incident)s,
    oldest_incident = %(oldest_incident)s,
    newest_update = %(newest_update)s,
    fingerprint = %(fingerprint)s,
    rules = %(rules)s,
    build_seconds = %(seconds)s,
    built_at = clock_timestamp()
WHERE snapshot_id = %(snapshot_id)s;
