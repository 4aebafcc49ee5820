-- Why the ids that changed in raw would not tell all that differs; no row when they do.
-- Rows that the source deleted stay in raw, so one that was never emptied keeps its first rows.
SELECT CASE
    WHEN n.rules IS NULL OR p.rules IS DISTINCT FROM n.rules THEN 'the rules changed'
    WHEN p.run_id IS NULL THEN 'the predecessor has no run'
    WHEN n.source_id IS DISTINCT FROM (SELECT source_id FROM ops.source WHERE is_current) THEN 'raw holds another source'
    WHEN NOT EXISTS (SELECT FROM raw.crime WHERE first_run <= p.run_id) THEN 'raw was loaded anew'
END
FROM ops.snapshot AS n, ops.snapshot AS p
WHERE n.snapshot_id = %(new)s AND p.snapshot_id = %(old)s;
