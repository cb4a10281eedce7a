-- What ties records to each other, beside their terms, so that an index in memory can follow them without their texts.

-- Pairs of (64-bit hash of a record's id, 8-bit kind), little-endian; nothing where there are none.
ALTER TABLE postings ADD COLUMN links $blob;
-- Whether it ought to have a vector, if it is no passage: passages all ought to.
ALTER TABLE postings ADD COLUMN embedded INTEGER NOT NULL DEFAULT 0;
