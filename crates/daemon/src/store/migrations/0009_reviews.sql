-- What reviewers have said of a pull request through the hub, each of one commit.
ALTER TABLE pulls ADD COLUMN reviews TEXT;
