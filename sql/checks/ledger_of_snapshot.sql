SELECT column_name, rule, cells
FROM ops.null_rule_ledger
WHERE snapshot_id = %s
ORDER BY column_name, rule;
