-- SQLite keeps events in one table.

-- name: partitions.make_months
-- None: there is nothing to make.
SELECT 0 * :ahead WHERE :now IS NOT NULL
