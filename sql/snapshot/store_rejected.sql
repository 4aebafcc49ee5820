-- A repeated build of a run replaces what the run rejected before.
DELETE FROM ops.rejected_row
WHERE run_id = {run_id} AND reason IN ({undated}, {no_year});

INSERT INTO ops.rejected_row (run_id, source_row, column_name, value, reason)
SELECT {run_id}, to_jsonb(r), 'INCIDENT_DATE', NULL, j.reason
FROM {schema}._rejected AS j
JOIN {raw} AS r ON r.id = j.id;
