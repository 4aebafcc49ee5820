-- Golds whose result differs between two snapshots.
SELECT n.question_id
FROM ops.gold_result AS n
JOIN ops.gold_result AS o USING (question_set, question_id, gold_no)
WHERE n.snapshot_id = %(snapshot_id)s
  AND o.snapshot_id = %(earlier)s
  AND n.question_set = %(question_set)s
  AND n.digest <> o.digest
GROUP BY n.question_id
ORDER BY n.question_id;
