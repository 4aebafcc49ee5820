INSERT INTO ops.benchmark_answer (
    bench_id, question_id, tier, outcome, sql, answer, row_count, ms, tokens_in, tokens_out, cost, verdicts, trace, error
)
VALUES (
    %(bench_id)s, %(question_id)s, %(tier)s, %(outcome)s, %(sql)s, %(answer)s, %(row_count)s, %(ms)s, %(tokens_in)s,
    %(tokens_out)s, %(cost)s, %(verdicts)s, %(trace)s, %(error)s
)
ON CONFLICT (bench_id, question_id) DO UPDATE SET
    outcome = excluded.outcome, sql = excluded.sql, answer = excluded.answer, row_count = excluded.row_count,
    ms = excluded.ms, tokens_in = excluded.tokens_in, tokens_out = excluded.tokens_out, cost = excluded.cost,
    verdicts = excluded.verdicts, trace = excluded.trace, error = excluded.error;
