-- What came in and what went out, deduplicated by content within a mailbox.

-- name: messages.insert_outgoing
-- Keep a message as it left. Having it already is fine.
INSERT INTO messages (
    workspace_id, mailbox_id, direction, kind, at, received_at, folder, message_id, to_address, subject, content_key,
    raw, lead_id, enrollment_id, attempt_id, rules_version, confidence
) VALUES (
    :workspace_id, :mailbox_id, 'out', 'sequence', :at, :at, '', :message_id, :to_address, :subject, :content_key,
    :raw, :lead_id, :enrollment_id, :attempt_id, 0, 'certain'
)
ON CONFLICT (workspace_id, mailbox_id, content_key) DO NOTHING

-- name: messages.insert_incoming
-- Keep what came in, with what it means and why. No row back: this mailbox had it already, in another folder.
INSERT INTO messages (
    workspace_id, mailbox_id, direction, kind, at, received_at, folder, message_id, in_reply_to, from_address,
    to_address, subject, new_text, content_key, raw, lead_id, enrollment_id, attempt_id, matched_by, evidence,
    classification, rules_version, confidence
) VALUES (
    :workspace_id, :mailbox_id, :direction, :kind, :at, :received_at, :folder, :message_id, :in_reply_to::jsonb,
    :from_address, :to_address, :subject, :new_text, :content_key, :raw, :lead_id, :enrollment_id, :attempt_id,
    :matched_by, :evidence::jsonb, :classification::jsonb, :rules_version, :confidence
)
ON CONFLICT (workspace_id, mailbox_id, content_key) DO NOTHING
RETURNING id

-- name: messages.known
-- Whether this mailbox had exactly this message before, in whatever folder.
SELECT id FROM messages WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND content_key = :content_key

-- name: messages.to_match_again
-- Whether what it answers may have been learned since: it belonged to nobody, and its mailbox is read back.
SELECT x.id FROM messages x
JOIN mailboxes m ON m.workspace_id = x.workspace_id AND m.id = x.mailbox_id
WHERE x.workspace_id = :workspace_id AND x.id = :id AND x.enrollment_id IS NULL AND m.status = 'recovering'

-- name: messages.assign
-- It belonged to nobody, and is known now to belong here. No row changed: another hand was faster.
UPDATE messages
SET lead_id = :lead_id, enrollment_id = :enrollment_id, attempt_id = :attempt_id, matched_by = :matched_by,
    evidence = :evidence::jsonb
WHERE workspace_id = :workspace_id AND id = :id AND enrollment_id IS NULL

-- name: messages.of_lead
-- Everything that went to and came from one lead, oldest first, with when it was there: its Date is its sender's word.
SELECT received_at AS at, direction, kind, from_address, to_address, subject, message_id, matched_by, enrollment_id,
    attempt_id
FROM messages
WHERE workspace_id = :workspace_id AND lead_id = :lead_id
ORDER BY received_at, id

-- name: messages.letters_of_lead
-- The newest messages of one lead, with how they begin.
SELECT m.id, m.received_at AS at, m.direction, m.kind, m.subject, substr(m.new_text, 1, :characters) AS excerpt,
    m.matched_by, m.enrollment_id, m.attempt_id, b.address AS mailbox
FROM messages m
JOIN mailboxes b ON b.workspace_id = m.workspace_id AND b.id = m.mailbox_id
WHERE m.workspace_id = :workspace_id AND m.lead_id = :lead_id
ORDER BY m.at DESC, m.id DESC
LIMIT :limit

-- name: messages.incoming
-- What came in, newest first, with the lead it was matched to.
SELECT m.id, m.at, m.received_at, m.kind, m.confidence, m.from_address, m.subject, m.new_text, m.matched_by, m.folder,
    b.address AS mailbox, l.email AS lead
FROM messages m
JOIN mailboxes b ON b.workspace_id = m.workspace_id AND b.id = m.mailbox_id
LEFT JOIN leads l ON l.workspace_id = m.workspace_id AND l.id = m.lead_id
WHERE m.workspace_id = :workspace_id AND m.direction = 'in'
ORDER BY m.received_at DESC, m.id DESC
LIMIT :limit

-- name: messages.outgoing_raw
-- A message as it left.
SELECT raw FROM messages
WHERE workspace_id = :workspace_id AND attempt_id = :attempt_id AND direction = 'out' AND raw IS NOT NULL
ORDER BY id
LIMIT 1

-- name: messages.count_people_of_kind
-- From how many people something of this kind came in.
SELECT count(DISTINCT lead_id) FROM messages
WHERE workspace_id = :workspace_id AND direction = 'in' AND kind = :kind AND lead_id IS NOT NULL

-- name: messages.facts
-- One message as it came in: what correcting its class needs.
SELECT id, mailbox_id, direction, kind, received_at, message_id, from_address, to_address, subject, new_text, lead_id,
    enrollment_id, attempt_id, matched_by, classification
FROM messages WHERE workspace_id = :workspace_id AND id = :id

-- name: messages.raw
-- One message as it is kept.
SELECT raw FROM messages WHERE workspace_id = :workspace_id AND id = :id AND raw IS NOT NULL

-- name: messages.in_of_enrollment
-- What came in for one enrollment, oldest first.
SELECT id, mailbox_id, direction, kind, received_at, message_id, from_address, to_address, subject, new_text, lead_id,
    enrollment_id, attempt_id, matched_by, classification
FROM messages
WHERE workspace_id = :workspace_id AND enrollment_id = :enrollment_id AND direction = 'in'
ORDER BY received_at, id

-- name: messages.correct
-- Say what it is. No row changed: somebody else was first.
UPDATE messages SET kind = :kind, confidence = 'certain', evidence = :evidence::jsonb
WHERE workspace_id = :workspace_id AND id = :id AND kind = :read_kind

-- name: messages.evidence
-- Why it is taken for what it is.
SELECT evidence FROM messages WHERE workspace_id = :workspace_id AND id = :id

-- name: messages.insert_answer
-- Keep an answer by hand as it left. No row back: it is kept already.
INSERT INTO messages (
    workspace_id, mailbox_id, direction, kind, at, received_at, folder, message_id, from_address, to_address, subject,
    new_text, content_key, raw, lead_id, enrollment_id, attempt_id, rules_version, confidence
) VALUES (
    :workspace_id, :mailbox_id, 'out', 'answer', :at, :at, '', :message_id, :from_address, :to_address, :subject,
    :new_text, :content_key, :raw, :lead_id, :enrollment_id, :attempt_id, 0, 'certain'
)
ON CONFLICT (workspace_id, mailbox_id, content_key) DO NOTHING
RETURNING id

-- name: messages.add_effect
-- Remember what a message did.
INSERT INTO message_effects (workspace_id, message_id, effect, enrollment_id, address)
VALUES (:workspace_id, :message_id, :effect, :enrollment_id, :address)

-- name: messages.take_effects
-- Take what a message did, to undo it.
DELETE FROM message_effects WHERE workspace_id = :workspace_id AND message_id = :message_id
RETURNING effect, enrollment_id, address

-- name: messages.other_of_lead
-- Another message of one person that is of one of these classes.
SELECT id FROM messages
WHERE workspace_id = :workspace_id AND lead_id = :lead_id AND direction = 'in' AND id <> :except_id
    AND kind = ANY (:kind_list::text[])
ORDER BY id
LIMIT 1
