-- Moments in states and histories are written as numbers from here on. What is there is read as it
-- is; an older program, which could not read the new ones, must leave the file alone.
SELECT 1;
