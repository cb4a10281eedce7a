-- How PostgreSQL keeps vectors: one a row, read in the binary form of halfvec.

-- name: load_vectors
-- The vectors written since a revision.
SELECT number, halfvec_send(vector) FROM vectors WHERE scope = :scope AND space = :space AND revision > :revision;

-- name: put_vectors
-- A vector.
INSERT INTO vectors (scope, space, number, revision, vector) VALUES (:scope, :space, :number, :revision, :halves)
ON CONFLICT (scope, space, number) DO UPDATE SET revision = excluded.revision, vector = excluded.vector;

-- name: known_vectors
-- Which of these have a vector.
SELECT number FROM vectors WHERE scope = :scope AND space = :space AND number IN :numbers;

-- name: delete_vectors
-- Erase versions' vectors, in every space.
DELETE FROM vectors WHERE scope = :scope AND number IN :numbers RETURNING scope;

-- name: audit_vectors
-- Every vector, for the check.
SELECT space, number, halfvec_send(vector) FROM vectors WHERE scope = :scope ORDER BY space, number;

-- name: embedded_numbers
-- Which records have a vector.
SELECT number FROM vectors WHERE scope = :scope AND space = :space;

-- name: page_vectors
-- Vectors after one.
SELECT space, number, halfvec_send(vector) FROM vectors
WHERE scope = :scope AND (space, number) > (:space, :number) ORDER BY space, number LIMIT :limit;

-- name: last_vectors
-- The last vector.
SELECT space, number FROM vectors WHERE scope = :scope ORDER BY space DESC, number DESC LIMIT 1;

-- name: vectors_of
-- The vectors of some records.
SELECT number, halfvec_send(vector) FROM vectors
WHERE scope = :scope AND $there AND space = :space AND number IN :numbers;
