-- The three roles, shared by all databases of the server. Idempotent. The passwords are set by the program.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['crime_owner', 'crime_reader', 'crime_analyst'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I LOGIN', wanted);
        END IF;
    END LOOP;
END $$;

-- An administrator without superuser rights gives objects to the owner as a member of it.
DO $$
BEGIN
    IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
        EXECUTE format('GRANT crime_owner TO %I', current_user);
    END IF;
END $$;

ALTER ROLE crime_owner LOGIN NOCREATEDB NOCREATEROLE;
ALTER ROLE crime_reader LOGIN NOCREATEDB NOCREATEROLE NOINHERIT CONNECTION LIMIT 64;
ALTER ROLE crime_analyst LOGIN NOCREATEDB NOCREATEROLE NOINHERIT CONNECTION LIMIT 50;

-- The agent and the analysts are members of nothing, whatever was granted before.
DO $$
DECLARE
    membership record;
BEGIN
    FOR membership IN
        SELECT granted.rolname AS granted, member.rolname AS member
        FROM pg_catalog.pg_auth_members AS m
        JOIN pg_catalog.pg_roles AS granted ON granted.oid = m.roleid
        JOIN pg_catalog.pg_roles AS member ON member.oid = m.member
        WHERE member.rolname IN ('crime_reader', 'crime_analyst')
    LOOP
        EXECUTE format('REVOKE %I FROM %I', membership.granted, membership.member);
    END LOOP;
END $$;

ALTER ROLE crime_owner SET idle_in_transaction_session_timeout = '1h';

ALTER ROLE crime_reader SET default_transaction_read_only = on;
ALTER ROLE crime_reader SET statement_timeout = '30s';
ALTER ROLE crime_reader SET lock_timeout = '2s';
ALTER ROLE crime_reader SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE crime_reader SET work_mem = '32MB';
ALTER ROLE crime_reader SET search_path = public;

ALTER ROLE crime_analyst SET statement_timeout = '5min';
ALTER ROLE crime_analyst SET lock_timeout = '5s';
-- Under the patience of a publication (10 minutes): a forgotten transaction does not hold it up.
ALTER ROLE crime_analyst SET idle_in_transaction_session_timeout = '5min';
ALTER ROLE crime_analyst SET work_mem = '64MB';
ALTER ROLE crime_analyst SET search_path = sandbox, public;

-- Only a superuser may do the rest. A managed server's administrator gets warnings, and `crime doctor` says what is left.
DO $$
DECLARE
    command text;
BEGIN
    FOREACH command IN ARRAY ARRAY[
        'ALTER ROLE crime_owner NOSUPERUSER NOREPLICATION NOBYPASSRLS',
        'ALTER ROLE crime_reader NOSUPERUSER NOREPLICATION NOBYPASSRLS',
        'ALTER ROLE crime_analyst NOSUPERUSER NOREPLICATION NOBYPASSRLS',
        'ALTER ROLE crime_reader SET temp_file_limit = ''2GB''',
        'ALTER ROLE crime_analyst SET temp_file_limit = ''8GB''',
        'GRANT pg_read_all_stats TO crime_owner'
    ] LOOP
        BEGIN
            EXECUTE command;
        EXCEPTION WHEN insufficient_privilege THEN
            RAISE WARNING 'not allowed: %', command;
        END;
    END LOOP;
END $$;
