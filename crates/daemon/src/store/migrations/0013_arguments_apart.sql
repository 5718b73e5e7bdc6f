-- The arguments of launches are in files beside the database from here on: `store/arguments.rs` takes those out that
-- are in it. An older program, which looks for them in the state, must leave the file alone.
SELECT 1;
