-- A run that was killed stays on record as running: after a day it no longer counts.
SELECT DISTINCT snapshot_id
FROM ops.benchmark_run
WHERE status = 'running' AND started_at > clock_timestamp() - interval '1 day'
