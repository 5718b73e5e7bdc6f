-- Who is blocked by a merge that was agreed to and did not happen, and in which words.
ALTER TABLE pulls ADD COLUMN blocks TEXT;
