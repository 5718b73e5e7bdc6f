-- What was said of a seat lately, in a table of its own: a start reads every seat, and nobody's history.
CREATE TABLE histories (
    id      TEXT PRIMARY KEY,
    history TEXT NOT NULL
) STRICT;

INSERT INTO histories (id, history) SELECT id, history FROM seats WHERE history IS NOT NULL ORDER BY rowid;

-- Written anew, not only without the column: its pages would stay as many as they were.
CREATE TABLE seats_alone (
    id    TEXT PRIMARY KEY,
    state TEXT NOT NULL
) STRICT;

INSERT INTO seats_alone (id, state) SELECT id, state FROM seats ORDER BY rowid;
DROP TABLE seats;
ALTER TABLE seats_alone RENAME TO seats;
