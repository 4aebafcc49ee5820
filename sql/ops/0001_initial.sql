-- The operational record: sources, runs, watermarks, snapshots, quality, benchmark, audit, reports.

CREATE TABLE ops.source (
    source_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN ('socrata', 'file', 'generator')),
    identity    text NOT NULL UNIQUE,
    is_current  boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE ops.source IS 'Each source ever loaded; raw holds the current one.';
CREATE UNIQUE INDEX source_one_current ON ops.source (is_current) WHERE is_current;

CREATE TABLE ops.ingest_run (
    run_id               text PRIMARY KEY,
    source_id            bigint NOT NULL REFERENCES ops.source,
    mode                 text NOT NULL CHECK (mode IN ('full', 'incremental', 'from_landing')),
    status               text NOT NULL CHECK (status IN
                             ('running', 'published', 'unchanged', 'merged', 'held', 'refused', 'failed', 'abandoned')),
    stage                text NOT NULL DEFAULT 'plan',
    orchestrator         text NOT NULL DEFAULT 'cli',
    started_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    heartbeat_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at          timestamptz,
    watermark_from       timestamptz,
    watermark_to         timestamptz,
    pages                bigint NOT NULL DEFAULT 0,
    rows_received        bigint NOT NULL DEFAULT 0,
    rows_landed          bigint NOT NULL DEFAULT 0,
    distinct_ids         bigint NOT NULL DEFAULT 0,
    inserted             bigint NOT NULL DEFAULT 0,
    updated              bigint NOT NULL DEFAULT 0,
    restamped            bigint NOT NULL DEFAULT 0,
    unchanged            bigint NOT NULL DEFAULT 0,
    rejected             bigint NOT NULL DEFAULT 0,
    deleted              bigint NOT NULL DEFAULT 0,
    source_counts_before jsonb,
    source_counts_after  jsonb,
    snapshot_id          text,
    plan                 jsonb NOT NULL DEFAULT '{}',
    warnings             jsonb NOT NULL DEFAULT '[]',
    error                jsonb
);
COMMENT ON TABLE ops.ingest_run IS 'One row per ingestion: inserted as running at the start, finished whatever happens.';

CREATE TABLE ops.watermark (
    source_id   bigint PRIMARY KEY REFERENCES ops.source,
    updated_at  timestamptz NOT NULL,
    last_id     bigint,
    run_id      text NOT NULL,
    set_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE ops.rejected_row (
    run_id      text NOT NULL,
    source_row  jsonb NOT NULL,
    column_name text NOT NULL,
    value       text,
    reason      text NOT NULL,
    rejected_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX rejected_row_run ON ops.rejected_row (run_id);

CREATE TABLE ops.snapshot (
    snapshot_id      text PRIMARY KEY CHECK (snapshot_id ~ '^(snap|variant)_[a-z0-9_]+$'),
    state            text NOT NULL CHECK (state IN
                         ('building', 'candidate', 'published', 'superseded', 'held', 'refused', 'dropped', 'variant')),
    source_id        bigint REFERENCES ops.source,
    run_id           text,
    predecessor_id   text,
    row_count        bigint,
    newest_incident  timestamp,
    oldest_incident  timestamp,
    newest_update    timestamp,
    fingerprint      text,
    build_seconds    double precision,
    built_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    published_at     timestamptz,
    note             text
);
COMMENT ON TABLE ops.snapshot IS 'The id of a snapshot is the name of its schema.';
CREATE UNIQUE INDEX snapshot_one_published ON ops.snapshot (state) WHERE state = 'published';

CREATE TABLE ops.quality_result (
    snapshot_id text NOT NULL,
    run_id      text,
    kind        text NOT NULL CHECK (kind IN ('gate', 'expectation')),
    name        text NOT NULL,
    severity    text NOT NULL CHECK (severity IN ('critical', 'warning')),
    passed      boolean NOT NULL,
    seen        text NOT NULL,
    expected    text NOT NULL,
    action      text NOT NULL DEFAULT '',
    checked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (snapshot_id, kind, name)
);

CREATE TABLE ops.null_rule_ledger (
    snapshot_id text NOT NULL,
    column_name text NOT NULL,
    rule        text NOT NULL,
    cells       bigint NOT NULL,
    PRIMARY KEY (snapshot_id, column_name, rule)
);
COMMENT ON TABLE ops.null_rule_ledger IS 'Cells each null rule filled, per column and snapshot.';

CREATE TABLE ops.snapshot_diff (
    snapshot_id    text NOT NULL,
    predecessor_id text NOT NULL,
    dimension      text NOT NULL CHECK (dimension IN ('total', 'type', 'year', 'column')),
    value          text NOT NULL,
    added          bigint NOT NULL DEFAULT 0,
    changed        bigint NOT NULL DEFAULT 0,
    removed        bigint NOT NULL DEFAULT 0,
    imputed        bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (snapshot_id, predecessor_id, dimension, value)
);
COMMENT ON COLUMN ops.snapshot_diff.imputed IS 'Rows that differ only in cells a null rule filled.';

CREATE TABLE ops.benchmark_run (
    bench_id     text PRIMARY KEY,
    batch_id     text NOT NULL,
    snapshot_id  text NOT NULL,
    fingerprint  text NOT NULL,
    question_set text NOT NULL,
    arm          text NOT NULL,
    strategy     text NOT NULL,
    stage        text,
    relevance    text NOT NULL,
    answers      text NOT NULL,
    model        text,
    judge        text,
    repeat_no    integer NOT NULL,
    git_sha      text,
    status       text NOT NULL CHECK (status IN ('running', 'finished', 'failed', 'stopped')),
    started_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at  timestamptz,
    metrics      jsonb,
    error        jsonb
);
CREATE INDEX benchmark_run_batch ON ops.benchmark_run (batch_id);

CREATE TABLE ops.benchmark_answer (
    bench_id    text NOT NULL REFERENCES ops.benchmark_run ON DELETE CASCADE,
    question_id integer NOT NULL,
    tier        text NOT NULL,
    outcome     text NOT NULL CHECK (outcome IN
                    ('correct', 'wrong', 'undetermined', 'invalid', 'no_query', 'refused', 'infrastructure')),
    sql         text,
    answer      text,
    row_count   bigint,
    ms          double precision,
    tokens_in   bigint NOT NULL DEFAULT 0,
    tokens_out  bigint NOT NULL DEFAULT 0,
    cost        double precision NOT NULL DEFAULT 0,
    verdicts    jsonb NOT NULL DEFAULT '{}',
    trace       jsonb NOT NULL DEFAULT '{}',
    error       jsonb,
    PRIMARY KEY (bench_id, question_id)
);

CREATE TABLE ops.gold_result (
    snapshot_id  text NOT NULL,
    question_set text NOT NULL,
    question_id  integer NOT NULL,
    gold_no      integer NOT NULL,
    row_count    bigint NOT NULL,
    digest       text NOT NULL,
    result       jsonb NOT NULL,
    ms           double precision NOT NULL,
    PRIMARY KEY (snapshot_id, question_set, question_id, gold_no)
);

CREATE TABLE ops.query_audit (
    audit_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    interface    text NOT NULL,
    caller       text NOT NULL DEFAULT '',
    question     text,
    node         text NOT NULL,
    snapshot_id  text,
    sql_proposed text NOT NULL,
    sql_run      text,
    verdict      text NOT NULL CHECK (verdict IN ('executed', 'explained', 'refused', 'failed')),
    rule         text,
    sqlstate     text,
    message      text,
    row_count    bigint,
    truncated    boolean,
    ms           double precision
);
CREATE INDEX query_audit_at ON ops.query_audit (at);

CREATE TABLE ops.report (
    report_id   text PRIMARY KEY,
    built_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    batch_id    text,
    snapshot_id text,
    path        text NOT NULL,
    summary     jsonb NOT NULL DEFAULT '{}',
    delivered   boolean NOT NULL DEFAULT false
);
