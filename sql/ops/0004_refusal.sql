-- What was refused or failed, the newest first, for the operator: `SELECT * FROM ops.refusal LIMIT 50`.
CREATE VIEW ops.refusal AS
SELECT at, interface, caller, question, node, snapshot_id, verdict, rule, sqlstate, message, sql_proposed, ms
FROM ops.query_audit
WHERE verdict IN ('refused', 'failed')
ORDER BY at DESC;
