-- SQLite is a file.

-- name: server.timeline
-- Always the same: a restored file says so by its generation.
SELECT 0

-- name: server.asynchronous_standbys
-- None.
SELECT 0
