-- Who did what through the console, the API and the commands that let people in.

-- name: audit_log.add
-- One line, for ever.
INSERT INTO audit_log (workspace_id, at, actor, action, subject)
VALUES (:workspace_id, :at, :actor, :action, :subject)

-- name: audit_log.page
-- The newest lines of a workspace that are older than line `before`.
SELECT id, at, actor, action, subject FROM audit_log
WHERE workspace_id = :workspace_id AND id < :before
ORDER BY id DESC
LIMIT :limit
