INSERT INTO ops.query_audit
    (interface, caller, question, node, snapshot_id, sql_proposed, sql_run, verdict, rule, sqlstate, message, row_count,
     truncated, ms)
VALUES
    (%(interface)s, %(caller)s, %(question)s, %(node)s, %(snapshot_id)s, %(sql_proposed)s, %(sql_run)s, %(verdict)s,
     %(rule)s, %(sqlstate)s, %(message)s, %(row_count)s, %(truncated)s, %(ms)s)
