-- The rows that can differ: those that changed in raw since the predecessor's run, and those that a null rule fills
-- from other rows, or would fill if there were one to take from.
CREATE TEMPORARY TABLE diff_candidate ON COMMIT DROP AS
SELECT id
FROM raw.crime
WHERE last_run > {run_id}
    OR date IS NULL
    OR x_coordinate IS NULL OR y_coordinate IS NULL OR latitude IS NULL OR longitude IS NULL
    OR (x_coordinate = 0 AND y_coordinate = 0)
    OR (latitude = 0 AND longitude = 0)
    OR (latitude = 36.619446395 AND longitude = -91.686565684);
