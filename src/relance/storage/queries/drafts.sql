-- Drafts of sequences: where each stands, every change of it, and what was uploaded.

-- part: drafts.columns
d.workspace_id, d.id, d.sequence_id, d.base_version, d.position, d.revision, c.document, c.what, c.by, c.at

-- name: drafts.of_sequence
-- A sequence's draft, as the change that it shows left it.
SELECT {drafts.columns} FROM drafts d
JOIN draft_changes c ON c.workspace_id = d.workspace_id AND c.draft_id = d.id AND c.position = d.position
WHERE d.workspace_id = :workspace_id AND d.sequence_id = :sequence_id

-- name: drafts.with_drafts
-- Which sequences have one.
SELECT sequence_id FROM drafts WHERE workspace_id = :workspace_id ORDER BY sequence_id

-- name: drafts.open
-- Begin one. No row back: there is one already.
INSERT INTO drafts (workspace_id, sequence_id, base_version, position)
VALUES (:workspace_id, :sequence_id, :base_version, 0)
ON CONFLICT (workspace_id, sequence_id) DO NOTHING
RETURNING id

-- name: drafts.move
-- Show another change, if nobody moved it since it was read. No row changed: someone else was first.
UPDATE drafts SET position = :position, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND revision = :read_revision

-- name: drafts.forget_undone
-- A change after an undo: what was undone cannot be done again.
DELETE FROM draft_changes WHERE workspace_id = :workspace_id AND draft_id = :draft_id AND position >= :position

-- name: drafts.forget_old
-- Keep the last changes only.
DELETE FROM draft_changes WHERE workspace_id = :workspace_id AND draft_id = :draft_id AND position <= :position

-- name: drafts.append
-- Keep one change.
INSERT INTO draft_changes (workspace_id, draft_id, position, document, what, by, at)
VALUES (:workspace_id, :draft_id, :position, :document, :what, :by, :at)

-- name: drafts.nearby
-- What an undo would take back and a redo would do again: the change shown and the one behind it, with the first kept.
SELECT position, what FROM draft_changes
WHERE workspace_id = :workspace_id AND draft_id = :draft_id AND position BETWEEN :position - 1 AND :position + 1
ORDER BY position

-- name: drafts.forget_changes
-- Forget every change of a draft.
DELETE FROM draft_changes WHERE workspace_id = :workspace_id AND draft_id = :draft_id

-- name: drafts.forget_files
-- Forget what was uploaded.
DELETE FROM draft_files WHERE workspace_id = :workspace_id AND draft_id = :draft_id

-- name: drafts.discard
-- Forget a draft that has nothing any more, if nobody moved it since it was read.
DELETE FROM drafts WHERE workspace_id = :workspace_id AND id = :id AND revision = :read_revision

-- name: drafts.keep_file
-- Keep an uploaded file; one of the same name gives way.
INSERT INTO draft_files (workspace_id, draft_id, name, content_type, sha256, content)
VALUES (:workspace_id, :draft_id, :name, :content_type, :sha256, :content)
ON CONFLICT (workspace_id, draft_id, name)
DO UPDATE SET content_type = excluded.content_type, sha256 = excluded.sha256, content = excluded.content

-- name: drafts.files
-- What was uploaded, without what is in it.
SELECT name, content_type, length(content) AS size, sha256 FROM draft_files
WHERE workspace_id = :workspace_id AND draft_id = :draft_id ORDER BY name

-- name: drafts.file
-- What is in one uploaded file.
SELECT content FROM draft_files WHERE workspace_id = :workspace_id AND draft_id = :draft_id AND name = :name
