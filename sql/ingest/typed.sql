-- The staged texts as typed values, with the hash of the content. The casts fail as a whole when one value cannot be cast.
CREATE UNLOGGED TABLE {typed} AS
SELECT
    {columns},
    hash_record_extended(ROW({hashed}), 0) AS content_hash
FROM (SELECT {casts} FROM {staged}) AS cast_rows;
