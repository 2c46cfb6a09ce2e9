-- Filters of leads under a name.

-- name: saved_filters.of_workspace
-- Every saved filter, by name.
SELECT id, name, words, author, saved_at FROM saved_filters WHERE workspace_id = :workspace_id
ORDER BY name LIMIT :limit

-- name: saved_filters.save
-- Keep a filter under its name; an earlier one of that name is gone.
INSERT INTO saved_filters (workspace_id, name, words, author, saved_at)
VALUES (:workspace_id, :name, :words::jsonb, :author, :now)
ON CONFLICT (workspace_id, name)
DO UPDATE SET words = excluded.words, author = excluded.author, saved_at = excluded.saved_at

-- name: saved_filters.forget
-- Delete one. No row changed: it is gone already.
DELETE FROM saved_filters WHERE workspace_id = :workspace_id AND id = :id
