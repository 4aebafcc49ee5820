-- After a query, `SET TRANSACTION READ WRITE` is refused: hence the harmless one. pg_temp is searched last.
BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT 1;
SET LOCAL statement_timeout = {timeout_ms};
SET LOCAL lock_timeout = {lock_ms};
SET LOCAL idle_in_transaction_session_timeout = {idle_ms};
SET LOCAL standard_conforming_strings = on;
SET LOCAL search_path = "{schema}", pg_temp;
