-- The source as it is: one row per id, typed but unaltered.

CREATE TABLE raw.crime (
    id                   bigint PRIMARY KEY,
    case_number          text,
    date                 timestamp,
    block                text,
    iucr                 text,
    primary_type         text,
    description          text,
    location_description text,
    arrest               boolean,
    domestic             boolean,
    beat                 text,
    district             text,
    ward                 integer,
    community_area       integer,
    fbi_code             text,
    x_coordinate         double precision,
    y_coordinate         double precision,
    year                 smallint,
    updated_on           timestamp,
    latitude             double precision,
    longitude            double precision,
    source_updated_at    timestamptz,
    content_hash         bigint NOT NULL,
    first_run            text NOT NULL,
    last_run             text NOT NULL,
    deleted_at           timestamptz
);
COMMENT ON TABLE raw.crime IS 'The current source, one row per id. Rows the source deleted stay, with deleted_at set.';
COMMENT ON COLUMN raw.crime.date IS 'Chicago local time without a zone, as published.';
COMMENT ON COLUMN raw.crime.source_updated_at IS 'The source''s :updated_at when the row was last changed here.';
COMMENT ON COLUMN raw.crime.content_hash IS 'hash_record_extended over the typed source columns without updated_on and :updated_at.';
COMMENT ON COLUMN raw.crime.first_run IS 'The run that inserted the row.';
COMMENT ON COLUMN raw.crime.last_run IS 'The run that last inserted, changed, restamped, deleted or revived the row.';

-- Slow, since every call may open a subtransaction: used only to find the values after a whole load failed to cast.
CREATE FUNCTION ops.is_castable(value text, type_name text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    EXECUTE format('SELECT CAST($1 AS %s)', type_name::regtype) USING value;
    RETURN true;
EXCEPTION WHEN data_exception THEN
    RETURN false;
END $$;
COMMENT ON FUNCTION ops.is_castable IS 'Whether a text can be cast to a type; null can.';
