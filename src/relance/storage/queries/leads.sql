-- part: leads.columns
workspace_id, id, email, fields, external_id, phone, linkedin_url, timezone, hold_until, hold_reason,
revision, created_at

-- name: leads.get
-- One lead as it is now.
SELECT {leads.columns} FROM leads WHERE workspace_id = :workspace_id AND id = :id

-- name: leads.by_email
-- One lead by its case-folded address.
SELECT {leads.columns} FROM leads WHERE workspace_id = :workspace_id AND email = :email

-- name: leads.known_among
-- Which of these addresses are leads', or were before then.
SELECT email FROM leads
WHERE workspace_id = :workspace_id AND email = ANY (:email_list::text[])
    AND (:before::timestamptz IS NULL OR created_at < :before)

-- name: leads.by_identities
-- Everyone whom any of these identities names, a further address included.
SELECT {leads.columns} FROM leads
WHERE workspace_id = :workspace_id
    AND (email = :email OR external_id = :external_id OR phone = :phone OR linkedin_url = :linkedin_url
        OR id IN (SELECT lead_id FROM lead_addresses WHERE workspace_id = :workspace_id AND address = :email))
ORDER BY id

-- name: leads.of_workspace
-- Every lead, oldest first.
SELECT {leads.columns} FROM leads WHERE workspace_id = :workspace_id ORDER BY id

-- name: leads.insert
-- Make a lead. A second one of the same identity is refused by its UNIQUE constraint.
INSERT INTO leads (
    workspace_id, email, fields, external_id, phone, linkedin_url, timezone, hold_until, hold_reason,
    revision, created_at
) VALUES (
    :workspace_id, :email, :fields::jsonb, :external_id, :phone, :linkedin_url, :timezone, :hold_until,
    :hold_reason, :revision, :created_at
)
RETURNING id

-- name: leads.save
-- Write the row if it is still as it was read. No row changed: someone else was first.
UPDATE leads SET
    email = :email,
    fields = :fields::jsonb,
    external_id = :external_id,
    phone = :phone,
    linkedin_url = :linkedin_url,
    timezone = :timezone,
    hold_until = :hold_until,
    hold_reason = :hold_reason,
    revision = :revision,
    created_at = :created_at
WHERE workspace_id = :workspace_id AND id = :id AND revision = :read_revision

-- name: leads.lock_of_enrollment
-- Lock the person of an enrollment, as they are then: everything about one person is decided one after the other.
SELECT {leads.columns} FROM leads
WHERE leads.workspace_id = :workspace_id AND leads.id = (
    SELECT lead_id FROM enrollments WHERE workspace_id = :workspace_id AND id = :enrollment_id
)
--postgres FOR UPDATE

-- name: leads.lock
-- Lock a person.
SELECT id FROM leads WHERE workspace_id = :workspace_id AND id = :id
--postgres FOR UPDATE

-- name: leads.hold
-- Keep everyone from writing to this person until then; never shortens a longer hold.
UPDATE leads SET hold_until = :until, hold_reason = :reason, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND (hold_until IS NULL OR hold_until < :until)

-- name: leads.end_hold
-- Nobody keeps from writing to this person any more. No row changed: nobody did.
UPDATE leads SET hold_until = NULL, hold_reason = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND hold_until IS NOT NULL

-- name: leads.touch
-- Record that a lead came in once more. The same key twice is refused by its UNIQUE index.
INSERT INTO touches (workspace_id, lead_id, at, source, detail, key)
VALUES (:workspace_id, :lead_id, :at, :source, :detail, :key)

-- name: leads.by_touch_key
-- Who came in under this idempotency key.
SELECT {leads.columns} FROM leads
WHERE workspace_id = :workspace_id
    AND id = (SELECT lead_id FROM touches WHERE workspace_id = :workspace_id AND key = :key)

-- name: leads.touches
-- Every time that a lead came in, oldest first.
SELECT at, source, detail FROM touches WHERE workspace_id = :workspace_id AND lead_id = :lead_id ORDER BY id

-- name: leads.add_address
-- Know a person by one address more; knowing it already is fine.
INSERT INTO lead_addresses (workspace_id, address, lead_id, added_at) VALUES (:workspace_id, :address, :lead_id, :at)
ON CONFLICT (workspace_id, address, lead_id) DO NOTHING

-- name: leads.further_addresses
-- The addresses by which a person is known beside the one that is written to.
SELECT address FROM lead_addresses WHERE workspace_id = :workspace_id AND lead_id = :lead_id ORDER BY address

-- name: leads.known_addresses
-- Every further address of anybody, for an audit: two leads that share one are one person.
SELECT lead_id, address FROM lead_addresses WHERE workspace_id = :workspace_id ORDER BY lead_id, address

-- name: leads.forget_addresses
-- Know a person by no further address.
DELETE FROM lead_addresses WHERE workspace_id = :workspace_id AND lead_id = :lead_id

-- name: leads.put_on_list
-- Put a lead on a list; being there already is fine.
INSERT INTO lead_lists (workspace_id, list, lead_id, added_at) VALUES (:workspace_id, :list, :lead_id, :at)
ON CONFLICT (workspace_id, list, lead_id) DO NOTHING

-- name: leads.ids_on_list
-- The leads of one list, in the order of their ids.
SELECT lead_id FROM lead_lists WHERE workspace_id = :workspace_id AND list = :list ORDER BY lead_id

-- name: leads.append_note
-- Keep a note by hand.
INSERT INTO notes (workspace_id, lead_id, at, author, text) VALUES (:workspace_id, :lead_id, :at, :author, :text)

-- name: leads.notes
-- The newest notes about a person; those of an erased one are empty.
SELECT at, author, text FROM notes WHERE workspace_id = :workspace_id AND lead_id = :lead_id
ORDER BY at DESC
LIMIT :limit

-- name: leads.empty_notes
-- Erase what was noted about a person; that something was noted stays.
UPDATE notes SET text = '' WHERE workspace_id = :workspace_id AND lead_id = :lead_id

-- name: leads.empty_messages
-- Erase what a person wrote and was written; that it happened stays.
UPDATE messages SET raw = NULL, subject = NULL, new_text = NULL, from_address = NULL, to_address = NULL,
    evidence = '[]', classification = '{}'
WHERE workspace_id = :workspace_id AND lead_id = :lead_id

-- name: leads.empty_attempts
-- Erase the address and subject from what was sent; that it was sent stays.
UPDATE attempts SET recipient = :stand_in, subject = NULL, error = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND lead_id = :lead_id

-- name: leads.leave_lists
-- Take a person off every list.
DELETE FROM lead_lists WHERE workspace_id = :workspace_id AND lead_id = :lead_id

-- name: leads.newest_addresses
-- Addresses of the newest leads, to choose from.
SELECT email FROM leads WHERE workspace_id = :workspace_id ORDER BY id DESC LIMIT :limit
