-- What is to be done at other systems. An act writes it in its own transaction, a task of the hub does it, for each
-- target in the order of `number`. `key` is what it is known by here and there, `state` where it stands (JSON).
CREATE TABLE effects (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    key      TEXT NOT NULL UNIQUE,
    provider TEXT NOT NULL,
    target   TEXT NOT NULL,
    kind     TEXT NOT NULL,
    body     TEXT NOT NULL,
    made_at  INTEGER NOT NULL,
    tries    INTEGER NOT NULL,
    state    TEXT NOT NULL
) STRICT;

CREATE INDEX effects_queued ON effects (provider, target, number) WHERE state ->> '$.state' = 'queued';
CREATE INDEX effects_by_target ON effects (provider, target, number);
