-- The first schema. Every key starts with the scope: that is the tenant wall, and what a cluster shards by.
-- $blob, $long, $real and $clustered are the engine's spellings. Times are microseconds since the epoch, UTC.

CREATE TABLE scopes (
    scope TEXT NOT NULL PRIMARY KEY,
    revision $long NOT NULL,             -- grows with every write; its row serialises the scope's writers
    reset $long NOT NULL,                -- the revision of the last erasure: older indexes in memory are void
    next_number $long NOT NULL DEFAULT 0,
    analyzer INTEGER NOT NULL DEFAULT 0, -- the tokeniser version of the postings
    space TEXT NOT NULL DEFAULT ''       -- the embedding space of the vectors
) $clustered;

-- One row a version. Nothing live is edited: a change ends the old row (recorded_to) and inserts a new one.
CREATE TABLE records (
    scope TEXT NOT NULL,
    number $long NOT NULL,               -- the version's number in the scope, in order of arrival
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT,
    session TEXT,
    seq $long,
    speaker TEXT,
    status TEXT NOT NULL,
    text TEXT NOT NULL,
    data TEXT NOT NULL,                  -- JSON, never filtered on
    importance $real NOT NULL,
    valid_from $long,
    valid_to $long,
    precision TEXT,
    recorded_from $long NOT NULL,
    recorded_to $long,
    revision $long NOT NULL,
    PRIMARY KEY (scope, number)
) $clustered;
CREATE UNIQUE INDEX records_live ON records (scope, id) WHERE recorded_to IS NULL;
CREATE INDEX records_past ON records (scope, id) WHERE recorded_to IS NOT NULL;
CREATE INDEX records_closed ON records (scope, revision) WHERE recorded_to IS NOT NULL;
CREATE UNIQUE INDEX records_key ON records (scope, kind, key) WHERE key IS NOT NULL AND recorded_to IS NULL;
CREATE UNIQUE INDEX records_session ON records (scope, session, seq) WHERE seq IS NOT NULL;

-- A text as the keyword search sees it: pairs of (64-bit term hash, 16-bit count), little-endian.
CREATE TABLE postings (
    scope TEXT NOT NULL,
    number $long NOT NULL,
    length INTEGER NOT NULL,
    question INTEGER NOT NULL,
    terms $blob NOT NULL,
    PRIMARY KEY (scope, number)
) $clustered;

-- Chunks of up to 256 unit vectors, 16-bit floats, with the record numbers they belong to (64-bit).
CREATE TABLE vectors (
    scope TEXT NOT NULL,
    space TEXT NOT NULL,
    chunk $long NOT NULL,
    revision $long NOT NULL,
    numbers $blob NOT NULL,
    vectors $blob NOT NULL,
    PRIMARY KEY (scope, space, chunk)
);

CREATE TABLE edges (
    scope TEXT NOT NULL,
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    ref TEXT NOT NULL DEFAULT '',
    weight $real NOT NULL DEFAULT 1,
    revision $long NOT NULL,
    PRIMARY KEY (scope, target, kind, source, ref)
) $clustered;
CREATE INDEX edges_source ON edges (scope, source);

-- Work that is left to do; it survives the process.
CREATE TABLE pending (
    scope TEXT NOT NULL,
    task TEXT NOT NULL,
    number $long NOT NULL,
    id TEXT NOT NULL,
    session TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '',
    due $long NOT NULL DEFAULT 0,
    PRIMARY KEY (scope, task, number)
) $clustered;
CREATE INDEX pending_due ON pending (task, due);

CREATE TABLE leases (
    scope TEXT NOT NULL PRIMARY KEY,
    worker TEXT NOT NULL,
    until $long NOT NULL
) $clustered;

-- The ids of forgotten messages (themselves hashes): they are not brought back.
CREATE TABLE tombstones (
    scope TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (scope, id)
) $clustered;

-- Embeddings by content hash, so that a text is not embedded twice.
CREATE TABLE embeddings (
    scope TEXT NOT NULL,
    space TEXT NOT NULL,
    hash TEXT NOT NULL,
    revision $long NOT NULL,
    vector $blob NOT NULL,
    PRIMARY KEY (scope, space, hash)
);
