INSERT INTO ops.snapshot_diff
    (snapshot_id, predecessor_id, dimension, value, added, changed, removed, imputed, restamped)
VALUES (
    %(snapshot_id)s, %(predecessor_id)s, %(dimension)s, %(value)s,
    %(added)s, %(changed)s, %(removed)s, %(imputed)s, %(restamped)s
);
