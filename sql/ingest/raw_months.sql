-- Rows the source should have, by month: the living ones, and the rejected ones that never came into raw.
WITH expected AS (
    SELECT id, date
    FROM raw.crime
    WHERE deleted_at IS NULL
    UNION ALL
    SELECT r.id, r.date
    FROM ({outstanding}) AS r
)
SELECT
    coalesce(to_char(date_trunc('month', date), 'YYYY-MM'), '') AS month,
    count(*) AS row_count,
    sum(id) AS id_sum
FROM expected
GROUP BY date_trunc('month', date);
