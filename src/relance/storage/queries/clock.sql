-- The database's real clock.

-- name: clock.now
-- The present instant by the database's own clock.
SELECT {clock.present}
