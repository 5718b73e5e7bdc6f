-- Web hooks without a right signature that came too fast to be kept one by one: how many in each minute (since the
-- epoch), by reason. `doc` is the last of them.
CREATE TABLE webhooks_alike (
    minute INTEGER NOT NULL,
    reason TEXT NOT NULL,
    count  INTEGER NOT NULL,
    doc    TEXT NOT NULL,
    PRIMARY KEY (minute, reason)
) STRICT, WITHOUT ROWID;
