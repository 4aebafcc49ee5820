-- By what rules a snapshot was built: where they differ, the rows that changed in raw are not all that differ.
ALTER TABLE ops.snapshot ADD COLUMN rules text;
COMMENT ON COLUMN ops.snapshot.rules IS 'Digest of the code and SQL that made the snapshot; null = not known.';

ALTER TABLE ops.snapshot_diff ADD COLUMN restamped bigint NOT NULL DEFAULT 0;
COMMENT ON TABLE ops.snapshot_diff IS
    'Rows by how they differ from the predecessor. Dimension column: cells by the kind of their row.';
COMMENT ON COLUMN ops.snapshot_diff.restamped IS 'Rows that differ only in UPDATED_ON, which are not counted as changed.';
