-- The log, the seats as the log has left them, and what is kept beside them.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row an event, without gaps. `body` is what clients get, byte for byte.
CREATE TABLE events (
    seq   INTEGER PRIMARY KEY,
    at    INTEGER NOT NULL,
    agent TEXT NOT NULL,
    type  TEXT NOT NULL,
    body  TEXT NOT NULL
) STRICT;

CREATE TABLE seats (
    id    TEXT PRIMARY KEY,
    state TEXT NOT NULL
) STRICT;

-- Which requests have had their effect; `seq` is where the log stood behind it.
CREATE TABLE report_ids (
    id     TEXT PRIMARY KEY,
    seq    INTEGER NOT NULL,
    digest INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last entries of each agent, copied from the log up to the place in `meta.activity_until`.
CREATE TABLE activity (
    agent TEXT NOT NULL,
    seq   INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (agent, seq)
) STRICT, WITHOUT ROWID;
