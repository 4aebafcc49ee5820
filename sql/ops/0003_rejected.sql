-- A rejected row stays on record; it counts as outstanding until it is settled.
ALTER TABLE ops.rejected_row ADD COLUMN settled_at timestamptz;
COMMENT ON TABLE ops.rejected_row IS 'Source rows with a value that cannot be cast, without an id, or with neither date nor year.';
COMMENT ON COLUMN ops.rejected_row.settled_at IS 'When the source no longer had the row, or raw was emptied; null = outstanding.';
