SELECT
    b.bench_id, b.arm, b.strategy, b.stage, b.relevance, b.answers, b.model, b.judge, b.repeat_no, b.git_sha,
    b.status, b.started_at, b.metrics, b.error,
    extract(epoch FROM b.finished_at - b.started_at)::float8 AS seconds
FROM ops.benchmark_run AS b
WHERE b.batch_id = %(batch_id)s
ORDER BY b.arm, b.repeat_no;
