-- Schemas and privileges of the warehouse's database, run in it by the administrator. Idempotent.
DO $$
BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO crime_reader', current_database());
    EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO crime_analyst', current_database());
    EXECUTE format('REVOKE CREATE, TEMPORARY ON DATABASE %I FROM crime_reader', current_database());
    EXECUTE format('ALTER DATABASE %I OWNER TO crime_owner', current_database());
    EXECUTE format('ALTER DATABASE %I SET timezone = ''UTC''', current_database());
    EXECUTE format('ALTER DATABASE %I SET jit = off', current_database());
END $$;

CREATE SCHEMA IF NOT EXISTS raw AUTHORIZATION crime_owner;
CREATE SCHEMA IF NOT EXISTS staging AUTHORIZATION crime_owner;
CREATE SCHEMA IF NOT EXISTS ops AUTHORIZATION crime_owner;
CREATE SCHEMA IF NOT EXISTS sandbox AUTHORIZATION crime_owner;
CREATE SCHEMA IF NOT EXISTS public AUTHORIZATION crime_owner;
ALTER SCHEMA public OWNER TO crime_owner;

REVOKE ALL ON SCHEMA raw, staging, ops, sandbox, public FROM PUBLIC, crime_reader, crime_analyst;
GRANT USAGE ON SCHEMA public TO crime_reader, crime_analyst;
GRANT USAGE, CREATE ON SCHEMA sandbox TO crime_analyst;

COMMENT ON SCHEMA raw IS 'The source, one row per id, typed but unaltered.';
COMMENT ON SCHEMA staging IS 'The load in flight.';
COMMENT ON SCHEMA ops IS 'The operational record: runs, snapshots, quality, benchmark, audit.';
COMMENT ON SCHEMA sandbox IS 'Tables and views of the analysts.';
COMMENT ON SCHEMA public IS 'Views on the published snapshot.';

CREATE TABLE IF NOT EXISTS ops.schema_version (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    digest     text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE ops.schema_version IS 'The migrations applied to this database, with the SHA-256 of each file.';
ALTER TABLE ops.schema_version OWNER TO crime_owner;
