-- Pull requests, in `doc` as clients get them. `request` is the id of the request that made it; `intended` the
-- commit that a merge under way leads to, so that one that broke off is recognised; `approvals` what people
-- were asked of it.
CREATE TABLE pulls (
    id         TEXT PRIMARY KEY,
    updated_at INTEGER NOT NULL,
    request    TEXT UNIQUE,
    intended   TEXT,
    approvals  TEXT,
    doc        TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX pulls_by_change ON pulls (updated_at);
