-- What the stores say to a database, by name. `IN :list` takes a list, `$lock` holds a row until the transaction ends
-- (nothing where there is one writer), `$share` only keeps it from being locked so: each engine spells them its own
-- way. `$there` finds nothing of a scope that has no row of its own, being the half of a copy. A statement is of one
-- scope, which is what a cluster finds the place by; those that are of all scopes say so, and begin with all_.

-- name: take_scope
-- Start a write: grow the scope's revision (which also locks its row) and tell where it stands.
INSERT INTO scopes (scope, revision, reset, next_number) VALUES (:scope, :first, :first, :first)
ON CONFLICT (scope) DO UPDATE SET revision = scopes.revision + 1
RETURNING revision, reset, next_number, analyzer, space;

-- name: make_scope
-- Start the first write of a scope: who makes it at the same time waits, and one of them is told nothing.
INSERT INTO scopes (scope, revision, reset, next_number) VALUES (:scope, :first, :first, :first)
ON CONFLICT (scope) DO NOTHING
RETURNING revision, reset, next_number, analyzer, space;

-- name: leave_scope
-- End a write: keep what it changed of the scope's own row.
UPDATE scopes SET reset = :reset, next_number = :next_number, analyzer = :analyzer, space = :space
WHERE scope = :scope;

-- name: lock_scope
-- Where a scope stands, before a write that makes no scope: its other writers wait from here on.
SELECT revision, reset, next_number, analyzer, space FROM scopes WHERE scope = :scope $lock;

-- name: scope_state
-- Where a scope stands.
SELECT revision, reset, next_number, analyzer, space FROM scopes WHERE scope = :scope;

-- name: all_scopes
-- Every scope there is (all scopes).
SELECT scope FROM scopes ORDER BY scope;

-- name: live_records
-- What is believed now, by id.
SELECT $record FROM records WHERE scope = :scope AND $there AND id IN :ids AND recorded_to IS NULL;

-- name: past_records
-- What was believed at a moment, by id.
SELECT $record FROM records
WHERE scope = :scope AND $there AND id IN :ids AND recorded_from <= :at AND recorded_to IS NULL
UNION ALL
SELECT $record FROM records
WHERE scope = :scope AND $there AND id IN :ids AND recorded_from <= :at AND recorded_to > :at;

-- name: all_versions
-- Every version, by id.
SELECT $record FROM records WHERE scope = :scope AND $there AND id IN :ids AND recorded_to IS NULL
UNION ALL
SELECT $record FROM records WHERE scope = :scope AND $there AND id IN :ids AND recorded_to IS NOT NULL;

-- name: numbered_records
-- Versions by number.
SELECT $record FROM records WHERE scope = :scope AND $there AND number IN :numbers;

-- name: live_numbers
-- The number and kind of the live version of each id.
SELECT id, number FROM records WHERE scope = :scope AND id IN :ids AND recorded_to IS NULL;

-- name: session_ids
-- The passages of a session.
SELECT id FROM records WHERE scope = :scope AND session = :session AND seq IS NOT NULL;

-- name: next_seq
-- The next free place in a session.
SELECT COALESCE(MAX(seq) + 1, 0) FROM records WHERE scope = :scope AND session = :session AND seq IS NOT NULL;

-- name: citing_records
-- The live records of some kinds that were made from any of these, or are mentioned in them.
SELECT $record FROM records
WHERE scope = :scope AND $there AND recorded_to IS NULL AND kind IN :kinds AND id IN (
    SELECT source FROM edges WHERE scope = :scope AND kind IN ('cites', 'mentions') AND target IN :ids)
ORDER BY number;

-- name: past_citing_records
-- The same, of what was believed at a moment.
SELECT $record FROM records
WHERE scope = :scope AND $there AND recorded_from <= :at AND recorded_to IS NULL AND kind IN :kinds
  AND id IN (SELECT source FROM edges WHERE scope = :scope AND kind IN ('cites', 'mentions') AND target IN :ids)
UNION ALL
SELECT $record FROM records
WHERE scope = :scope AND $there AND recorded_from <= :at AND recorded_to > :at AND kind IN :kinds
  AND id IN (SELECT source FROM edges WHERE scope = :scope AND kind IN ('cites', 'mentions') AND target IN :ids)
ORDER BY number;

-- name: citing_ids
-- The ids of everything that was made from any of these, or is mentioned in them.
SELECT DISTINCT source FROM edges WHERE scope = :scope AND kind IN ('cites', 'mentions') AND target IN :ids;

-- name: mentioned_in
-- Which entities are mentioned in these passages, and where.
SELECT source, target FROM edges WHERE scope = :scope AND $there AND kind = 'mentions' AND target IN :ids;

-- name: mentions
-- Where an entity is mentioned, and what told so.
SELECT target, ref FROM edges WHERE scope = :scope AND kind = 'mentions' AND source = :id;

-- name: list_records
-- Records of one kind in order of arrival, filtered.
SELECT $record FROM records
WHERE scope = :scope AND $there AND kind = :kind AND number > :after AND (:ended OR recorded_to IS NULL)
  AND (:status IS NULL OR status = :status)
  AND (:session IS NULL OR session = :session)
  AND (:speaker IS NULL OR speaker = :speaker)
  AND (:start IS NULL OR precision IS NOT NULL AND (valid_to IS NULL OR valid_to > :start OR valid_from = :start))
  AND (:end IS NULL OR precision IS NOT NULL AND (valid_from IS NULL OR valid_from < :end))
ORDER BY number LIMIT :limit;

-- name: list_notes
-- Notes of a namespace whose keys begin alike, in the order of their keys. Both stand in one JSON text, so the key is cut
-- out of it, and its escapes are taken back: they sort otherwise. They are parameters, since what a backslash means in
-- a text is PostgreSQL's to set.
SELECT $record FROM (
    SELECT $record,
        REPLACE(REPLACE(SUBSTR(key, :skip, LENGTH(key) - :skip - 1), :quoted, :quote), :escaped, :escape) AS name
    FROM records
    WHERE scope = :scope AND $there AND kind = 'note' AND recorded_to IS NULL AND key >= :begin AND key < :beyond
      AND SUBSTR(key, 1, LENGTH(:begin)) = :begin
) n WHERE name > :behind ORDER BY name LIMIT :limit;

-- name: past_notes
-- As `list_notes`, of what was believed at a moment.
SELECT $record FROM (
    SELECT $record,
        REPLACE(REPLACE(SUBSTR(key, :skip, LENGTH(key) - :skip - 1), :quoted, :quote), :escaped, :escape) AS name
    FROM records
    WHERE scope = :scope AND $there AND kind = 'note' AND key >= :begin AND key < :beyond
      AND recorded_from <= :at AND (recorded_to IS NULL OR recorded_to > :at)
      AND SUBSTR(key, 1, LENGTH(:begin)) = :begin
) n WHERE name > :behind ORDER BY name LIMIT :limit;

-- name: insert_record
-- A new version.
INSERT INTO records (scope, number, id, kind, key, session, seq, speaker, status, text, data, importance,
    valid_from, valid_to, precision, recorded_from, recorded_to, revision)
VALUES (:scope, :number, :id, :kind, :key, :session, :seq, :speaker, :status, :text, :data, :importance,
    :valid_from, :valid_to, :precision, :recorded_from, NULL, :revision);

-- name: close_records
-- End the live versions of these ids; never before they began, should a clock go back.
UPDATE records SET recorded_to = CASE WHEN recorded_from > :at THEN recorded_from ELSE :at END, revision = :revision
WHERE scope = :scope AND id IN :ids AND recorded_to IS NULL;

-- name: rewrite_data
-- Write a record that outlives one of its sources without what that source told; only an erasure may do this.
UPDATE records SET data = :data, revision = :revision WHERE scope = :scope AND number = :number;

-- name: record_links
-- What versions are tied to.
SELECT number, links FROM postings WHERE scope = :scope AND number IN :numbers AND links IS NOT NULL;

-- name: rewrite_links
-- Drop the ties to erased sources; only an erasure may do this.
UPDATE postings SET links = :links WHERE scope = :scope AND number = :number;

-- name: rewrite_fact
-- Let a fact hold as it did before what was erased ended it; only an erasure may do this.
UPDATE records SET status = :status, data = :data, valid_from = :valid_from, valid_to = :valid_to,
    precision = :precision, revision = :revision
WHERE scope = :scope AND number = :number;

-- name: reopen_records
-- Believe the last versions of records again whose later ones were erased; only an erasure may do this.
UPDATE records SET recorded_to = NULL, revision = :revision WHERE scope = :scope AND number IN :numbers;

-- name: delete_records
-- Erase versions.
DELETE FROM records WHERE scope = :scope AND number IN :numbers RETURNING scope;

-- name: put_terms
-- A version's terms.
INSERT INTO postings (scope, number, length, question, terms, links, embedded)
VALUES (:scope, :number, :length, :question, :terms, :links, :embedded)
ON CONFLICT (scope, number) DO UPDATE SET length = excluded.length, question = excluded.question,
    terms = excluded.terms, links = excluded.links, embedded = excluded.embedded;

-- name: delete_terms
-- Erase versions' terms.
DELETE FROM postings WHERE scope = :scope AND number IN :numbers RETURNING scope;

-- name: load_rows
-- The versions after a number; their terms come apart, since that is quicker than a join.
SELECT number, kind, COALESCE(session, ''), COALESCE(seq, -1), COALESCE(speaker, ''), valid_from, valid_to,
    recorded_from, recorded_to, importance, id
FROM records WHERE scope = :scope AND number > :after ORDER BY number;

-- name: load_terms
-- The terms of the versions after a number.
SELECT number, length, question, terms, links FROM postings WHERE scope = :scope AND number > :after;

-- name: embedded_kinds
-- What ought to have a vector: live, not blank, and not waiting for one.
SELECT r.number FROM records r JOIN postings p ON p.scope = r.scope AND p.number = r.number
WHERE r.scope = :scope AND p.scope = :scope AND $there AND r.recorded_to IS NULL
    AND (r.kind = 'passage' OR p.embedded = 1) AND r.number NOT IN (
    SELECT number FROM pending WHERE scope = :scope AND task = 'embed')
ORDER BY r.number;

-- name: load_closed
-- The same of versions that were ended since a revision.
SELECT r.number, r.kind, COALESCE(r.session, ''), COALESCE(r.seq, -1), COALESCE(r.speaker, ''),
    r.valid_from, r.valid_to, r.recorded_from, r.recorded_to, r.importance, r.id,
    p.number, p.length, p.question, p.terms, p.links
FROM records r JOIN postings p ON p.scope = r.scope AND p.number = r.number
WHERE r.scope = :scope AND p.scope = :scope AND r.recorded_to IS NOT NULL AND r.revision > :revision
    AND r.number <= :after
ORDER BY r.number;

-- name: drop_spaces
-- Remove the vectors of every space but one.
DELETE FROM vectors WHERE scope = :scope AND space <> :space;

-- name: put_edge
-- An edge; the same edge twice is one.
INSERT INTO edges (scope, target, kind, source, ref, weight, revision)
VALUES (:scope, :target, :kind, :source, :ref, :weight, :revision)
ON CONFLICT (scope, target, kind, source, ref) DO NOTHING;

-- name: delete_edges
-- Erase the edges of records.
DELETE FROM edges WHERE scope = :scope AND (source IN :ids OR target IN :ids) RETURNING scope;

-- name: delete_edges_from
-- Take a record's provenance edges away, before those that are left are written anew.
DELETE FROM edges WHERE scope = :scope AND kind = 'cites' AND source IN :ids;

-- name: delete_mentions_told
-- Take away that an entity is mentioned where only what is erased told that it is meant.
DELETE FROM edges WHERE scope = :scope AND kind = 'mentions' AND ref IN :ids;

-- name: put_pending
-- Work to do; the same work twice is one.
INSERT INTO pending (scope, task, number, id, session, due) VALUES (:scope, :task, :number, :id, :session, :due)
ON CONFLICT (scope, task, number) DO NOTHING;

-- name: strike_pending
-- Work that is done.
DELETE FROM pending WHERE scope = :scope AND task = :task AND id IN :ids;

-- name: delete_pending
-- Erase the work on records.
DELETE FROM pending WHERE scope = :scope AND id IN :ids RETURNING scope;

-- name: list_pending
-- A scope's work of one kind, session by session.
SELECT task, id, number, session, attempts, error, due FROM pending
WHERE scope = :scope AND $there AND task = :task
  AND (:due IS NULL OR due <= :due) AND (:failed IS NULL OR (error <> '') = :failed)
ORDER BY session, number LIMIT :limit;

-- name: postpone_pending
-- A failed attempt.
UPDATE pending SET attempts = :attempts, error = :error, due = :due
WHERE scope = :scope AND task = :task AND number = :number;

-- name: hasten_pending
-- Make due at once what waits to be extracted, of a session or all.
UPDATE pending SET due = 0
WHERE scope = :scope AND $there AND task = 'extract' AND error = '' AND due <> 0
  AND (:session IS NULL OR session = :session)
RETURNING scope;

-- name: all_crowded
-- Scopes with a session of which so many messages wait to be extracted (all scopes).
SELECT DISTINCT scope FROM pending WHERE task = 'extract' AND error = ''
GROUP BY scope, session HAVING COUNT(*) >= :limit;

-- name: all_failed
-- Scopes with work that was tried as often as allowed (all scopes).
SELECT DISTINCT scope FROM pending WHERE attempts >= :attempts;

-- name: renew_pending
-- Give a scope's work that was tried as often as allowed a fresh start.
UPDATE pending SET attempts = 0, error = '', due = 0 WHERE scope = :scope AND $there AND attempts >= :attempts
RETURNING scope;

-- name: work
-- Whether a scope has due work.
SELECT scope FROM pending WHERE scope = :scope AND $there AND task IN :tasks AND due <= :due LIMIT 1;

-- name: all_work
-- Scopes with due work that nobody holds, the longest due first (all scopes).
SELECT p.scope FROM pending p LEFT JOIN leases l ON l.scope = p.scope
WHERE p.task IN :tasks AND p.due <= :due AND (l.scope IS NULL OR l.until <= :now OR l.worker = :worker)
GROUP BY p.scope ORDER BY MIN(p.due), p.scope LIMIT :limit;

-- name: take_lease
-- Take a lease that is free, run out or one's own.
INSERT INTO leases (scope, worker, until) VALUES (:scope, :worker, :until)
ON CONFLICT (scope) DO UPDATE SET worker = excluded.worker, until = excluded.until
WHERE leases.until <= :now OR leases.worker = excluded.worker
RETURNING worker;

-- name: hold_lease
-- Who holds a scope's lease; nobody takes it over before the transaction ends.
SELECT worker FROM leases WHERE scope = :scope $lock;

-- name: lease_of
-- Who holds a scope's lease, and how long.
SELECT worker, until FROM leases WHERE scope = :scope;

-- name: all_leases
-- Who works on what (all scopes).
SELECT scope, worker, until FROM leases;

-- name: drop_lease
-- Give a lease back.
DELETE FROM leases WHERE scope = :scope AND worker = :worker;

-- name: tombstones
-- Which of these messages were forgotten.
SELECT id FROM tombstones WHERE scope = :scope AND id IN :ids;

-- name: put_tombstone
-- Remember that a message was forgotten.
INSERT INTO tombstones (scope, id) VALUES (:scope, :id) ON CONFLICT (scope, id) DO NOTHING;

-- name: put_picture
-- Keep a picture with its passage.
INSERT INTO pictures (scope, id, place, bytes) VALUES (:scope, :id, :place, :bytes);

-- name: pictures
-- The pictures of a passage.
SELECT place, bytes FROM pictures WHERE scope = :scope AND $there AND id = :id;

-- name: delete_pictures
-- Erase the pictures of these passages.
DELETE FROM pictures WHERE scope = :scope AND id IN :ids RETURNING id;

-- name: share_scope
-- Whether a scope is there; nothing of it is erased before the transaction ends, and no new memory waits for it.
SELECT scope FROM scopes WHERE scope = :scope $share;

-- name: known_ids
-- Which of these records there are, in any version.
SELECT id FROM records WHERE scope = :scope AND id IN :ids AND recorded_to IS NULL
UNION
SELECT id FROM records WHERE scope = :scope AND id IN :ids AND recorded_to IS NOT NULL;

-- name: put_access
-- A record came back some more times, the last of them at a moment.
INSERT INTO access (scope, id, count, first, last) VALUES (:scope, :id, :count, :at, :at)
ON CONFLICT (scope, id) DO UPDATE SET count = access.count + excluded.count,
    first = CASE WHEN excluded.first < access.first THEN excluded.first ELSE access.first END,
    last = CASE WHEN excluded.last > access.last THEN excluded.last ELSE access.last END;

-- name: accessed
-- How often records came back, and when.
SELECT id, count, first, last FROM access WHERE scope = :scope AND $there AND id IN :ids;

-- name: unused_records
-- Live records of some kinds that last came back before a moment, or never did and are older than it; oldest first.
SELECT $record FROM (
    SELECT r.*, COALESCE(
        (SELECT a.last FROM access a WHERE a.scope = :scope AND a.id = r.id),
        (SELECT MIN(e.recorded_from) FROM records e
         WHERE e.scope = :scope AND e.id = r.id AND e.recorded_to IS NOT NULL),
        r.recorded_from) AS used
    FROM records r
    WHERE r.scope = :scope AND $there AND r.kind IN :kinds AND r.recorded_to IS NULL AND r.status = 'live') u
WHERE used < :since ORDER BY used, number LIMIT :limit;

-- name: delete_access
-- Erase how often records came back.
DELETE FROM access WHERE scope = :scope AND id IN :ids RETURNING id;

-- name: cached_embeddings
-- Embeddings by content hash.
SELECT hash, vector FROM embeddings WHERE scope = :scope AND space = :space AND hash IN :hashes;

-- name: cache_embedding
-- Keep an embedding.
INSERT INTO embeddings (scope, space, hash, revision, vector) VALUES (:scope, :space, :hash, :revision, :vector)
ON CONFLICT (scope, space, hash) DO NOTHING;

-- name: trim_embeddings
-- Keep the newest embeddings only.
DELETE FROM embeddings WHERE scope = :scope AND space = :space AND hash IN (
    SELECT hash FROM embeddings WHERE scope = :scope AND space = :space ORDER BY revision DESC, hash
    LIMIT 1000000000 OFFSET :keep);

-- name: clear_embeddings
-- Forget a scope's embeddings.
DELETE FROM embeddings WHERE scope = :scope RETURNING scope;

-- name: count_records
-- Live records by kind.
SELECT kind, COUNT(*) FROM records WHERE recorded_to IS NULL AND scope = :scope AND $there GROUP BY kind ORDER BY kind;

-- name: all_count_records
-- Live records by kind (all scopes).
SELECT kind, COUNT(*) FROM records WHERE recorded_to IS NULL AND scope IN (SELECT scope FROM scopes)
GROUP BY kind ORDER BY kind;

-- name: count_sessions
-- Sessions with a passage in them.
SELECT COUNT(*) FROM (
    SELECT DISTINCT scope, session FROM records WHERE seq IS NOT NULL AND scope = :scope AND $there) s;

-- name: all_count_sessions
-- Sessions with a passage in them (all scopes).
SELECT COUNT(*) FROM (
    SELECT DISTINCT scope, session FROM records WHERE seq IS NOT NULL AND scope IN (SELECT scope FROM scopes)) s;

-- name: list_sessions
-- Sessions, the latest told first.
SELECT session, COUNT(*), MIN(COALESCE(valid_from, recorded_from)), MAX(COALESCE(valid_from, recorded_from))
FROM records WHERE scope = :scope AND $there AND seq IS NOT NULL
  AND (:without = '' OR SUBSTR(session, 1, LENGTH(:without)) <> :without)
GROUP BY session ORDER BY 4 DESC, session LIMIT :limit OFFSET :after;

-- name: count_listed_sessions
-- How many sessions there are to list.
SELECT COUNT(DISTINCT session) FROM records WHERE scope = :scope AND $there AND seq IS NOT NULL
  AND (:without = '' OR SUBSTR(session, 1, LENGTH(:without)) <> :without);

-- name: count_pending
-- Work by task, and how much of it has failed at least once.
SELECT task, COUNT(*), SUM(CASE WHEN error <> '' THEN 1 ELSE 0 END) FROM pending
WHERE scope = :scope AND $there GROUP BY task ORDER BY task;

-- name: all_count_pending
-- Work by task, and how much of it has failed at least once (all scopes).
SELECT task, COUNT(*), SUM(CASE WHEN error <> '' THEN 1 ELSE 0 END) FROM pending
WHERE scope IN (SELECT scope FROM scopes) GROUP BY task ORDER BY task;

-- name: audit_records
-- Every version, for the check.
SELECT number, id, kind, data, revision, recorded_to IS NULL FROM records
WHERE scope = :scope ORDER BY number;

-- name: audit_terms
-- Every version with terms, for the check.
SELECT number FROM postings WHERE scope = :scope;

-- name: audit_pending
-- All work, for the check.
SELECT task, id FROM pending WHERE scope = :scope;

-- name: audit_edges
-- Provenance, for the check.
SELECT source, target FROM edges WHERE scope = :scope AND kind = 'cites';

-- name: audit_pictures
-- Which pictures there are, for the check.
SELECT id, place FROM pictures WHERE scope = :scope;

-- name: audit_access
-- Which records came back, for the check.
SELECT id FROM access WHERE scope = :scope;
