-- Imports of files in the browser: uploaded, mapped, run in batches, done.

-- part: lead_imports.columns
workspace_id, id, token, file_name, bytes, author, uploaded_at, status, choices, counts, rows_done, moved_at, problem,
revision

-- name: lead_imports.add
-- Keep that a file was uploaded.
INSERT INTO lead_imports (workspace_id, token, file_name, bytes, author, uploaded_at, status)
VALUES (:workspace_id, :token, :file_name, :bytes, :author, :now, 'uploaded')
RETURNING id

-- name: lead_imports.get
-- One import as it is now.
SELECT {lead_imports.columns} FROM lead_imports WHERE workspace_id = :workspace_id AND id = :id

-- name: lead_imports.newest
-- The newest imports.
SELECT {lead_imports.columns} FROM lead_imports WHERE workspace_id = :workspace_id ORDER BY id DESC LIMIT :limit

-- name: lead_imports.choose
-- Keep what its columns are and what is to become of its rows. No row changed: it runs already, or somebody was first.
UPDATE lead_imports SET choices = :choices::jsonb, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status = 'uploaded' AND revision = :read_revision

-- name: lead_imports.begin
-- Import it. No row changed: it is done, or somebody does it and has moved since then.
UPDATE lead_imports SET status = 'running', moved_at = :now, problem = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id
    AND (status IN ('uploaded', 'failed') OR (status = 'running' AND moved_at < :still_since))

-- name: lead_imports.advance
-- So many rows more are imported. No row changed: somebody else imports it.
UPDATE lead_imports SET rows_done = :rows_done, counts = :counts::jsonb, moved_at = :now, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status = 'running' AND revision = :read_revision

-- name: lead_imports.add_error
-- Keep a row that could not be imported.
INSERT INTO lead_import_errors (workspace_id, import_id, line, reason, raw)
VALUES (:workspace_id, :import_id, :line, :reason, :raw::jsonb)
ON CONFLICT (workspace_id, import_id, line) DO NOTHING

-- name: lead_imports.errors
-- The next rows that could not be imported.
SELECT line, reason, raw FROM lead_import_errors
WHERE workspace_id = :workspace_id AND import_id = :import_id AND line > :after
ORDER BY line
LIMIT :limit

-- name: lead_imports.finish
-- Everything is imported. No row changed: somebody else imports it.
UPDATE lead_imports SET status = 'finished', moved_at = :now, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status = 'running' AND revision = :read_revision

-- name: lead_imports.fail
-- It cannot go on as it is; what was imported stays.
UPDATE lead_imports SET status = 'failed', problem = :problem, moved_at = :now, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status = 'running'

-- name: lead_imports.old
-- Imports that nobody has moved since then, and files that wait behind so many newer ones.
SELECT {lead_imports.columns} FROM lead_imports
WHERE workspace_id = :workspace_id AND (
    (uploaded_at < :before AND (moved_at IS NULL OR moved_at < :before))
    OR (status = 'uploaded' AND id NOT IN (
        SELECT x.id FROM lead_imports x
        WHERE x.workspace_id = :workspace_id AND x.status = 'uploaded'
        ORDER BY x.id DESC
        LIMIT :waiting
    ))
)
ORDER BY id
LIMIT :limit

-- name: lead_imports.forget_errors
-- Forget the rows that an import could not import.
DELETE FROM lead_import_errors WHERE workspace_id = :workspace_id AND import_id = :id

-- name: lead_imports.forget
-- Forget an import; its leads stay.
DELETE FROM lead_imports WHERE workspace_id = :workspace_id AND id = :id
