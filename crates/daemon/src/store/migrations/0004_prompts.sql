-- Where in the log each prompt was resolved: what it was, and how it ended, stands there.
CREATE TABLE prompts (
    id    TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    seq   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX prompts_by_seq ON prompts (seq);

-- Which prompt was opened under a key, or by a request. `seq` is where the log stood behind it.
CREATE TABLE prompt_keys (
    key    TEXT PRIMARY KEY,
    prompt TEXT NOT NULL,
    seq    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX prompt_keys_by_seq ON prompt_keys (seq);

INSERT OR REPLACE INTO prompts (id, agent, seq)
SELECT body ->> '$.prompt.id', agent, seq FROM events
WHERE type = 'prompt.resolved' AND body ->> '$.prompt.id' IS NOT NULL ORDER BY seq;
