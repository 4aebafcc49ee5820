SELECT column_name, sum(cells)
FROM ops.null_rule_ledger
WHERE snapshot_id = %s
GROUP BY column_name
HAVING sum(cells) > 0
ORDER BY column_name;
