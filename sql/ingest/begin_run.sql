WITH known AS (
    INSERT INTO ops.source (kind, identity)
    VALUES (%(kind)s, %(identity)s)
    ON CONFLICT (identity) DO UPDATE SET identity = excluded.identity
    RETURNING source_id
)
INSERT INTO ops.ingest_run (run_id, source_id, mode, status, orchestrator, plan)
SELECT %(run_id)s, source_id, %(mode)s, 'running', %(orchestrator)s, %(plan)s
FROM known;
