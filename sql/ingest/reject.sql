-- Moves the rows that cannot be typed out of the staged ones; the first fault of a row is the one recorded.
WITH faults AS (
    SELECT s.ctid AS place, to_jsonb(s) AS source_row, f.column_name, f.value, f.reason
    FROM {staged} AS s
    CROSS JOIN LATERAL (
        SELECT v.column_name, v.value, v.reason
        FROM (VALUES {checks}) AS v (position, is_fault, column_name, value, reason)
        WHERE v.is_fault
        ORDER BY v.position
        LIMIT 1
    ) AS f
),
removed AS (
    DELETE FROM {staged} AS s
    USING faults
    WHERE s.ctid = faults.place
)
INSERT INTO ops.rejected_row (run_id, source_row, column_name, value, reason)
SELECT {run_id}, source_row, column_name, value, reason
FROM faults;
