-- Vectors in PostgreSQL: one row a vector, so that a new one costs its own bytes and nothing else.

CREATE TABLE vectors (
    scope TEXT COLLATE "C" NOT NULL,
    space TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    vector HALFVEC NOT NULL,
    PRIMARY KEY (scope, space, number)
) WITH (toast_tuple_target = 8160);
-- Vectors are read whole and do not compress: up to about 4,000 dimensions they stay in the row, beyond that beside it.
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE INDEX vectors_new ON vectors (scope, revision);
