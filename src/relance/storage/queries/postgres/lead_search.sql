-- name: lead_search.standing
-- The next runs of these sequences that stand in one of these ways, newest first: the newest of each stretch of the
-- index, and of those the newest.
SELECT x.id
FROM unnest(:sequence_list::bigint[]) AS s (id)
CROSS JOIN unnest(:status_list::text[]) AS t (status)
CROSS JOIN LATERAL (
    SELECT e.id FROM enrollments e
    WHERE e.workspace_id = :workspace_id AND e.sequence_id = s.id AND e.status = t.status AND e.id < :before
    ORDER BY e.id DESC
    LIMIT :limit
) x
ORDER BY x.id DESC
LIMIT :limit
