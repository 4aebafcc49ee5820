SELECT source_row::text, column_name, value, reason
FROM ops.rejected_row
WHERE run_id = %s
LIMIT %s;
