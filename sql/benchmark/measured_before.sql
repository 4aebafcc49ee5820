-- Whether every planned run was finished before with the same data, questions, arm, model, judge and code.
SELECT bool_and(EXISTS (
    SELECT
    FROM ops.benchmark_run AS b
    WHERE b.status = 'finished'
      AND jsonb_build_array(b.fingerprint, b.question_set, b.arm, b.model, b.judge, b.git_sha, b.repeat_no) = k.key
))
FROM jsonb_array_elements(%(keys)s::jsonb) AS k (key);
