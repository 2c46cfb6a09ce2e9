-- How far each folder of a mailbox was read, and what was fetched but not understood yet.

-- name: folders.of_mailbox
-- How far each folder has been read.
SELECT folder, role, uid_validity, last_uid, highest_modseq FROM folders
WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id
ORDER BY folder

-- name: folders.move_cursor
-- The folder was read that far; what was read is stored in the same transaction.
INSERT INTO folders (workspace_id, mailbox_id, folder, role, uid_validity, last_uid, highest_modseq, read_at)
VALUES (:workspace_id, :mailbox_id, :folder, :role, :uid_validity, :last_uid, :highest_modseq, :now)
ON CONFLICT (workspace_id, mailbox_id, folder) DO UPDATE SET role = excluded.role,
    uid_validity = excluded.uid_validity, last_uid = excluded.last_uid, highest_modseq = excluded.highest_modseq,
    read_at = excluded.read_at
