-- Rejected rows that are not in raw, by month.
SELECT
    coalesce(to_char(date_trunc('month', date), 'YYYY-MM'), '') AS month,
    count(*) AS row_count,
    sum(id) AS id_sum
FROM ({outstanding}) AS r
GROUP BY date_trunc('month', date);
