-- The months that events are kept in.

-- name: partitions.make_months
-- How many monthly partitions were made, from this month to `ahead` months later. SQLite has none.
SELECT make_event_months(:now, :ahead)
