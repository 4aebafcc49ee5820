SELECT predecessor_id, dimension, value, added, changed, removed, imputed, restamped
FROM ops.snapshot_diff
WHERE snapshot_id = %s
ORDER BY array_position(ARRAY['total', 'type', 'year', 'column'], dimension), value;
