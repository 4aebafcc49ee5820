SELECT attname
FROM pg_attribute
WHERE attrelid = 'raw.crime'::regclass AND attnum > 0 AND NOT attisdropped;
