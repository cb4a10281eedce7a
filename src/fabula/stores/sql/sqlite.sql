-- How SQLite keeps vectors: in chunks of up to 256, since a blob a vector is slow to read.

-- name: load_vectors
-- The vector chunks written since a revision.
SELECT numbers, vectors FROM vectors
WHERE scope = :scope AND space = :space AND revision > :revision ORDER BY chunk;

-- name: vector_chunks
-- Some vector chunks, in every space or one.
SELECT space, chunk, numbers, vectors, revision FROM vectors
WHERE scope = :scope AND (:space IS NULL OR space = :space) AND chunk IN :chunks;

-- name: vectors_of
-- The vectors of some records, with their chunks.
SELECT numbers, vectors FROM vectors WHERE scope = :scope AND $there AND space = :space AND chunk IN :chunks;

-- name: put_vectors
-- A vector chunk.
INSERT INTO vectors (scope, space, chunk, revision, numbers, vectors)
VALUES (:scope, :space, :chunk, :revision, :numbers, :vectors)
ON CONFLICT (scope, space, chunk) DO UPDATE SET
    revision = excluded.revision, numbers = excluded.numbers, vectors = excluded.vectors;

-- name: delete_vectors
-- Erase a vector chunk.
DELETE FROM vectors WHERE scope = :scope AND space = :space AND chunk = :chunk;

-- name: audit_vectors
-- Every vector chunk, for the check.
SELECT space, numbers, vectors FROM vectors WHERE scope = :scope ORDER BY space, chunk;

-- name: embedded_numbers
-- Which records have a vector, a chunk a row.
SELECT numbers FROM vectors WHERE scope = :scope AND space = :space;

-- name: page_vectors
-- Vector chunks from one on.
SELECT space, numbers, vectors FROM vectors WHERE scope = :scope AND (space, chunk) >= (:space, :chunk)
ORDER BY space, chunk LIMIT :limit;

-- name: last_vectors
-- The last vector chunk.
SELECT space, numbers FROM vectors WHERE scope = :scope ORDER BY space DESC, chunk DESC LIMIT 1;
