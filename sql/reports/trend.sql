-- EX by default reading of each batch of the last 12 weeks, mean over repeats.
SELECT
    b.arm,
    min(b.started_at) AS at,
    b.snapshot_id,
    b.git_sha,
    avg((b.metrics ->> 'ex_default')::float8) AS ex_default
FROM ops.benchmark_run AS b
WHERE b.status = 'finished'
  AND b.question_set = %(question_set)s
  AND b.started_at > %(until)s::timestamptz - interval '12 weeks'
  AND b.started_at <= %(until)s::timestamptz
GROUP BY b.batch_id, b.arm, b.snapshot_id, b.git_sha
ORDER BY at, b.arm;
