-- How often records came back and when, apart from them: so that reading changes neither a record nor a revision.

CREATE TABLE access (
    scope $text NOT NULL,
    id $text NOT NULL,
    count $long NOT NULL,
    first $long NOT NULL,
    last $long NOT NULL,
    PRIMARY KEY (scope, id)
) $clustered;
