SELECT
    s.snapshot_id, s.state, s.row_count, s.newest_incident, s.fingerprint, s.predecessor_id, s.built_at, s.published_at,
    r.run_id, r.mode, r.rows_received, r.inserted, r.updated, r.restamped, r.unchanged, r.rejected, r.deleted, r.warnings,
    o.kind AS source_kind, o.identity AS source_identity
FROM ops.snapshot AS s
LEFT JOIN ops.ingest_run AS r ON r.run_id = s.run_id
LEFT JOIN ops.source AS o ON o.source_id = s.source_id
WHERE s.snapshot_id = %(snapshot_id)s;
