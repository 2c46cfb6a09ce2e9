-- part: sequences.columns
workspace_id, id, name, status, version, proposed_version, skip_until, last_skip_reason, new_leads_until, last_served_at,
revision, created_at

-- name: sequences.get
-- One sequence as it is now.
SELECT {sequences.columns} FROM sequences WHERE workspace_id = :workspace_id AND id = :id

-- name: sequences.by_name
-- One sequence by its name.
SELECT {sequences.columns} FROM sequences WHERE workspace_id = :workspace_id AND name = :name

-- name: sequences.hold
-- People may enter it side by side, but it cannot be archived before this transaction ends.
SELECT id FROM sequences WHERE workspace_id = :workspace_id AND name = :name
--postgres FOR SHARE

-- name: sequences.lock
-- Nobody enters or changes it before this transaction ends.
SELECT id FROM sequences WHERE workspace_id = :workspace_id AND name = :name
--postgres FOR UPDATE

-- name: sequences.of_workspace
-- Every sequence, by name.
SELECT {sequences.columns} FROM sequences WHERE workspace_id = :workspace_id ORDER BY name

-- name: sequences.sendable
-- Live sequences whose own limits allow a send now, the least recently served first.
SELECT {sequences.columns} FROM sequences
WHERE workspace_id = :workspace_id AND status = 'live' AND (skip_until IS NULL OR skip_until <= :now)
ORDER BY (last_served_at IS NOT NULL), last_served_at, id

-- name: sequences.create
-- Make a draft; it has no version yet.
INSERT INTO sequences (workspace_id, name, status, version, created_at)
VALUES (:workspace_id, :name, 'draft', 0, :now)

-- name: sequences.save
-- Write the row if it is still as it was read. No row changed: someone else was first.
UPDATE sequences SET status = :status, version = :version, proposed_version = :proposed_version, revision = :revision
WHERE workspace_id = :workspace_id AND id = :id AND revision = :read_revision

-- name: sequences.insert_version
-- Freeze one version.
INSERT INTO sequence_versions (workspace_id, sequence_id, version, document, digest, created_at)
VALUES (:workspace_id, :sequence_id, :version, :document::jsonb, :digest, :created_at)

-- name: sequences.version
-- One frozen version.
SELECT workspace_id, sequence_id, version, document, digest, created_at FROM sequence_versions
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND version = :version

-- name: sequences.last_version
-- The number of the newest frozen version, one that waits for approval included.
SELECT max(version) FROM sequence_versions WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id

-- name: sequences.version_digest
-- What one frozen version is, without its document.
SELECT digest FROM sequence_versions
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND version = :version

-- name: sequences.put_off
-- A limit of the sequence is used up, or its hours are over, until then. Never shortens a longer rest.
UPDATE sequences SET skip_until = :until, last_skip_reason = :reason
WHERE workspace_id = :workspace_id AND id = :id AND (skip_until IS NULL OR skip_until < :until)

-- name: sequences.lift_holds
-- It has a new version, perhaps with other hours and limits: the gates say anew whether it may send.
UPDATE sequences SET skip_until = NULL, last_skip_reason = NULL, new_leads_until = NULL
WHERE workspace_id = :workspace_id AND id = :id

-- name: sequences.put_off_new
-- No first messages until then; follow-ups go on.
UPDATE sequences SET new_leads_until = :until WHERE workspace_id = :workspace_id AND id = :id

-- name: sequences.mark_served
-- It had its turn. Whoever finds that another send says so at this moment need not wait until that is committed: else
-- all that a sequence sends would leave one after the other.
UPDATE sequences SET last_served_at = :now WHERE workspace_id = :workspace_id AND id = (
    SELECT s.id FROM sequences s WHERE s.workspace_id = :workspace_id AND s.id = :id
    --postgres FOR NO KEY UPDATE SKIP LOCKED
)

-- name: sequences.documents
-- Every frozen version of one sequence.
SELECT version, document FROM sequence_versions
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id
ORDER BY version

-- name: sequences.suppose_document
-- Only in a copy in memory, whose versions are not frozen: let it say something else.
UPDATE sequence_versions SET document = :document::jsonb, digest = :digest
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND version = :version

-- name: sequences.rename
-- Give a sequence that was never published another name. No row changed: it was published meanwhile.
UPDATE sequences SET name = :name WHERE workspace_id = :workspace_id AND id = :id AND status = 'draft' AND version = 0

-- name: sequences.delete_draft
-- Forget a sequence that was never published.
DELETE FROM sequences WHERE workspace_id = :workspace_id AND id = :id AND status = 'draft' AND version = 0
