-- SQLite is a file.

-- name: server.asynchronous_standbys
-- None.
SELECT 0

-- name: server.started_at
-- Nothing comes up.
SELECT ''

-- name: server.may_be_told_apart
-- One file is like another.
SELECT 0

-- name: server.identity
-- None.
SELECT ''
