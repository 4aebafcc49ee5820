-- The newest earlier batch that measured the same arm with the same questions and finished.
SELECT b.bench_id, b.batch_id, b.snapshot_id, b.started_at, b.metrics
FROM ops.benchmark_run AS b
WHERE b.arm = %(arm)s
  AND b.question_set = %(question_set)s
  AND b.batch_id <> %(batch_id)s
  AND b.started_at < %(started_at)s
  AND b.status = 'finished'
ORDER BY b.started_at DESC, b.repeat_no
LIMIT 1;
