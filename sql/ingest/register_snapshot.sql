INSERT INTO ops.snapshot (snapshot_id, state, source_id, run_id, predecessor_id)
VALUES (%(snapshot_id)s, 'building', %(source_id)s, %(run_id)s, %(predecessor_id)s)
ON CONFLICT DO NOTHING;
