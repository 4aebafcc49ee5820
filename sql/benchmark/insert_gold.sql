INSERT INTO ops.gold_result (snapshot_id, question_set, question_id, gold_no, row_count, digest, result, ms)
VALUES (
    %(snapshot_id)s, %(question_set)s, %(question_id)s, %(gold_no)s, %(row_count)s, %(digest)s, %(result)s, %(ms)s
)
ON CONFLICT (snapshot_id, question_set, question_id, gold_no) DO NOTHING;
