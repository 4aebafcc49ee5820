SELECT
    s.snapshot_id,
    r.mode,
    r.rows_received,
    r.inserted AS rows_inserted,
    r.updated AS rows_updated,
    r.deleted AS rows_deleted,
    s.row_count AS rows_published,
    s.newest_incident::text AS newest_incident,
    coalesce(
        (SELECT jsonb_object_agg(l.column_name || ' (' || l.rule || ')', l.cells)
         FROM ops.null_rule_ledger AS l
         WHERE l.snapshot_id = s.snapshot_id),
        '{}'
    ) AS cells_imputed
FROM ops.snapshot AS s
JOIN ops.ingest_run AS r ON r.run_id = s.run_id
WHERE s.state = 'published';
