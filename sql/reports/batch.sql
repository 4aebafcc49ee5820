-- The newest batch that left a finished or failed run.
SELECT b.batch_id, b.snapshot_id, b.question_set, min(b.started_at) AS started_at
FROM ops.benchmark_run AS b
WHERE b.status IN ('finished', 'failed')
GROUP BY b.batch_id, b.snapshot_id, b.question_set
ORDER BY min(b.started_at) DESC
LIMIT 1;
