-- Tasks, in `doc` as clients get them, without comments. `request` is the id of the request that made it.
CREATE TABLE tasks (
    id         TEXT PRIMARY KEY,
    prefix     TEXT NOT NULL,
    number     INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    request    TEXT UNIQUE,
    doc        TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX tasks_numbers ON tasks (prefix, number);
CREATE INDEX tasks_by_change ON tasks (updated_at);

CREATE TABLE task_comments (
    task    TEXT NOT NULL,
    number  INTEGER NOT NULL,
    request TEXT UNIQUE,
    doc     TEXT NOT NULL,
    PRIMARY KEY (task, number)
) STRICT, WITHOUT ROWID;
