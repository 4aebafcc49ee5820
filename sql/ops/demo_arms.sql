SELECT
    b.arm,
    b.strategy,
    b.repeat_no,
    b.metrics
FROM ops.benchmark_run AS b
WHERE b.status = 'finished'
  AND b.batch_id = (SELECT batch_id FROM ops.benchmark_run WHERE status = 'finished' ORDER BY finished_at DESC LIMIT 1)
ORDER BY b.arm, b.repeat_no;
