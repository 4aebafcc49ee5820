INSERT INTO ops.rejected_row (run_id, source_row, column_name, value, reason, settled_at)
VALUES (%s, %s, %s, %s, %s, clock_timestamp());
