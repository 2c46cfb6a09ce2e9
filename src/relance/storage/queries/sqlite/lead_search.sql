-- name: lead_search.standing
-- The next runs of these sequences that stand in one of these ways, newest first: the newest of each stretch of the
-- index, and of those the newest.
SELECT e.id
FROM json_each(:sequence_list) s
CROSS JOIN json_each(:status_list) t
CROSS JOIN enrollments e
WHERE e.id IN (
    SELECT x.id FROM enrollments x
    WHERE x.workspace_id = :workspace_id AND x.sequence_id = s.value AND x.status = t.value AND x.id < :before
    ORDER BY x.id DESC
    LIMIT :limit
)
ORDER BY e.id DESC
LIMIT :limit
