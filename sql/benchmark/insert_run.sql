INSERT INTO ops.benchmark_run (
    bench_id, batch_id, snapshot_id, fingerprint, question_set, arm, strategy, stage, relevance, answers, model, judge,
    repeat_no, git_sha, status
)
VALUES (
    %(bench_id)s, %(batch_id)s, %(snapshot_id)s, %(fingerprint)s, %(question_set)s, %(arm)s, %(strategy)s, %(stage)s,
    %(relevance)s, %(answers)s, %(model)s, %(judge)s, %(repeat_no)s, %(git_sha)s, 'running'
)
ON CONFLICT (bench_id) DO UPDATE SET status = 'running', started_at = clock_timestamp(), finished_at = NULL, error = NULL;
