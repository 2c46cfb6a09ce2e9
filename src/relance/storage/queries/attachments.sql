-- name: attachments.is_kept
-- Whether a content is there, without reading it.
SELECT 1 FROM attachments WHERE workspace_id = :workspace_id AND sha256 = :sha256

-- name: attachments.keep
-- Keep a content. No row changed: another publication kept it meanwhile.
INSERT INTO attachments (workspace_id, sha256, content, created_at)
VALUES (:workspace_id, :sha256, :content, :now)
ON CONFLICT (workspace_id, sha256) DO NOTHING

-- name: attachments.content
-- What is in an attached file.
SELECT content FROM attachments WHERE workspace_id = :workspace_id AND sha256 = :sha256
