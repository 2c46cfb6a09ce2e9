-- The ledger of schema changes.

-- name: migrations.list
-- What was applied, in order.
SELECT number, name, checksum FROM schema_migrations ORDER BY number

-- name: migrations.record
-- One change is applied.
INSERT INTO schema_migrations (number, name, checksum, applied_at) VALUES (:number, :name, :checksum, {clock.present})
