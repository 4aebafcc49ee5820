-- Rows of the source that no rule can date.
CREATE TABLE {schema}._rejected AS
SELECT
    r.id,
    CASE
        WHEN r.year IS NULL THEN {undated}
        ELSE {no_year}
    END AS reason
FROM {raw} AS r
WHERE r.deleted_at IS NULL
    AND r.date IS NULL
    AND (r.year IS NULL OR r.year NOT IN (SELECT m.year FROM {schema}._mode AS m));
