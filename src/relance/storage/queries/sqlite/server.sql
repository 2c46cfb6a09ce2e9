-- SQLite is a file.

-- name: server.asynchronous_standbys
-- None.
SELECT 0
