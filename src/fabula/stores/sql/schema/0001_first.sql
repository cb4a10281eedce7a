-- The first schema. Every key starts with the scope: that is the tenant wall, and what a cluster shards by.
-- $text, $blob, $long, $real and $clustered are the engine's spellings; how it keeps vectors stands in its own file.
-- Times are microseconds since the epoch, UTC.

CREATE TABLE scopes (
    scope $text NOT NULL PRIMARY KEY,
    revision $long NOT NULL,             -- grows with every write; its row serialises the scope's writers
    reset $long NOT NULL,                -- the revision of the last erasure: older indexes in memory are void
    next_number $long NOT NULL DEFAULT 0,
    analyzer INTEGER NOT NULL DEFAULT 0, -- the tokeniser version of the postings
    space $text NOT NULL DEFAULT ''       -- the embedding space of the vectors
) $clustered;

-- One row a version. Nothing live is edited: a change ends the old row (recorded_to) and inserts a new one.
CREATE TABLE records (
    scope $text NOT NULL,
    number $long NOT NULL,               -- the version's number in the scope, in order of arrival
    id $text NOT NULL,
    kind $text NOT NULL,
    key $text,
    session $text,
    seq $long,
    speaker $text,
    status $text NOT NULL,
    text $text NOT NULL,
    data $text NOT NULL,                  -- JSON, never filtered on
    importance $real NOT NULL,
    valid_from $long,
    valid_to $long,
    precision $text,
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
    scope $text NOT NULL,
    number $long NOT NULL,
    length INTEGER NOT NULL,
    question INTEGER NOT NULL,
    terms $blob NOT NULL,
    PRIMARY KEY (scope, number)
) $clustered;

CREATE TABLE edges (
    scope $text NOT NULL,
    target $text NOT NULL,
    kind $text NOT NULL,
    source $text NOT NULL,
    ref $text NOT NULL DEFAULT '',
    weight $real NOT NULL DEFAULT 1,
    revision $long NOT NULL,
    PRIMARY KEY (scope, target, kind, source, ref)
) $clustered;
CREATE INDEX edges_source ON edges (scope, source);

-- Work that is left to do; it survives the process.
CREATE TABLE pending (
    scope $text NOT NULL,
    task $text NOT NULL,
    number $long NOT NULL,
    id $text NOT NULL,
    session $text NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    error $text NOT NULL DEFAULT '',
    due $long NOT NULL DEFAULT 0,
    PRIMARY KEY (scope, task, number)
) $clustered;
CREATE INDEX pending_due ON pending (task, due);

CREATE TABLE leases (
    scope $text NOT NULL PRIMARY KEY,
    worker $text NOT NULL,
    until $long NOT NULL
) $clustered;

-- The ids of forgotten messages (themselves hashes): they are not brought back.
CREATE TABLE tombstones (
    scope $text NOT NULL,
    id $text NOT NULL,
    PRIMARY KEY (scope, id)
) $clustered;

-- Embeddings by content hash, so that a text is not embedded twice.
CREATE TABLE embeddings (
    scope $text NOT NULL,
    space $text NOT NULL,
    hash $text NOT NULL,
    revision $long NOT NULL,
    vector $blob NOT NULL,
    PRIMARY KEY (scope, space, hash)
);
