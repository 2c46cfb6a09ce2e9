-- What SQLite finds in another way.

-- name: suppressions.binding
-- What binds any of these addresses, domains, numbers and tombstones (no two kinds look alike): here, or globally. Value
-- by value, because SQLite would rather read everything that is suppressed here.
WITH asked AS (SELECT DISTINCT value AS wanted FROM json_each(:value_list))
SELECT {suppressions.columns} FROM asked CROSS JOIN suppressions ON suppressions.value = asked.wanted
WHERE kind IN ('address', 'domain', 'phone', 'tombstone')
    AND ((scope = 'workspace' AND workspace_id = :workspace_id) OR scope = 'global')
ORDER BY id
