-- Vectors in SQLite.

-- Chunks of up to 256 unit vectors, 16-bit floats, with the record numbers they belong to (64-bit).
CREATE TABLE vectors (
    scope TEXT NOT NULL,
    space TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    numbers BLOB NOT NULL,
    vectors BLOB NOT NULL,
    PRIMARY KEY (scope, space, chunk)
);
