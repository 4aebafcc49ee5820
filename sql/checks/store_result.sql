INSERT INTO ops.quality_result (snapshot_id, run_id, kind, name, severity, passed, seen, expected, action)
VALUES (%(snapshot_id)s, %(run_id)s, %(kind)s, %(name)s, %(severity)s, %(passed)s, %(seen)s, %(expected)s, %(action)s)
ON CONFLICT (snapshot_id, kind, name) DO UPDATE
SET run_id = excluded.run_id,
    severity = excluded.severity,
    passed = excluded.passed,
    seen = excluded.seen,
    expected = excluded.expected,
    action = excluded.action,
    checked_at = clock_timestamp();
