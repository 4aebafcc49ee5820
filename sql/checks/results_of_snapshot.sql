SELECT kind, name, severity, passed, seen, expected, action, checked_at
FROM ops.quality_result
WHERE snapshot_id = %s
ORDER BY passed, kind DESC, severity, name;
