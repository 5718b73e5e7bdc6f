-- What web hooks have told, in `doc` as clients get it. `signed` is 0 for what came without a right
-- signature: so much of it as may come pushes nothing else out.
CREATE TABLE webhooks (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    signed INTEGER NOT NULL,
    doc    TEXT NOT NULL
) STRICT;
CREATE INDEX webhooks_by_signature ON webhooks (signed, seq);

-- What was judged once and is not judged again: comments, versions of tasks, threads with a reply of ours.
CREATE TABLE webhooks_judged (
    key TEXT PRIMARY KEY,
    at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_judged_by_time ON webhooks_judged (at);

-- Tasks of other trackers as they were told last. `version` is the tracker's own moment of it.
CREATE TABLE heard_tasks (
    identifier TEXT PRIMARY KEY,
    version    INTEGER NOT NULL,
    doc        TEXT NOT NULL
) STRICT, WITHOUT ROWID;
