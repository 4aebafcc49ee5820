SELECT a.question_id, a.tier, a.outcome, a.sql, a.answer, a.row_count, a.ms, a.verdicts, a.trace, a.error
FROM ops.benchmark_answer AS a
WHERE a.bench_id = %(bench_id)s
ORDER BY a.question_id;
