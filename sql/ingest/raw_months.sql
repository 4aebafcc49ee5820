-- The living rows by month, '' for those without a date.
SELECT
    coalesce(to_char(date_trunc('month', date), 'YYYY-MM'), '') AS month,
    count(*) AS row_count,
    sum(id) AS id_sum
FROM raw.crime
WHERE deleted_at IS NULL
GROUP BY date_trunc('month', date);
