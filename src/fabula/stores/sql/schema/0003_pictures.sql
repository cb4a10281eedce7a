-- The pictures that came with messages, kept here and not in a folder beside: so they go, move and are walled off with
-- their scope, in the same transaction.

CREATE TABLE pictures (
    scope $text NOT NULL,
    id $text NOT NULL,                   -- the passage
    place $long NOT NULL,                -- among the passage's images
    bytes $blob NOT NULL,
    PRIMARY KEY (scope, id, place)
);
