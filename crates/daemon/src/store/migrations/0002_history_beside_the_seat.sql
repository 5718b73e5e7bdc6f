-- What was said of a seat lately, apart: a start does not read it. A state that is no JSON is left
-- as it is; it counts as one that cannot be read.
ALTER TABLE seats ADD COLUMN history TEXT;

UPDATE seats SET
    history = json_object('trail', COALESCE(state -> '$.trail', json('[]')),
                          'rejected', COALESCE(state -> '$.rejected', json('[]'))),
    state = json_remove(state, '$.trail', '$.rejected')
WHERE CASE WHEN json_valid(state) THEN json_type(state) = 'object' ELSE FALSE END;
