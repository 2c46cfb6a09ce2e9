-- What only PostgreSQL needs to change its schema alone.

-- name: migrations.lock
-- Returns when no other process migrates; the lock ends with the transaction.
SELECT pg_advisory_xact_lock(:number)::text
