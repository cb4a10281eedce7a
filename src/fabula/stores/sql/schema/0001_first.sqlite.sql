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

-- How many rows there are in all, of one scope, of one id in it and so on. SQLite, untold, takes a scope for ten rows,
-- and reads all of it rather than look an id up. To analyse a table would tell what is in it now, which is little.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('records', 'records', '1000000 10000 1'),
    ('records', 'records_live', '1000000 10000 1'),
    ('edges', 'edges', '1000000 10000 4 4 1 1'),
    ('edges', 'edges_source', '1000000 10000 4');
-- The second time this connection reads them.
ANALYZE sqlite_schema;
