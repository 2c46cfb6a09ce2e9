-- Conversations: what one mailbox and one person wrote to each other, once something came in.

-- part: threads.columns
workspace_id, id, mailbox_id, lead_id, enrollment_id, sequence_id, kind, from_address, subject, preview, last_in_at,
last_out_at, open, snoozed_until, assignee_id, interest, revision

-- part: threads.shown
t.id, t.mailbox_id, b.address AS mailbox, t.lead_id, l.email AS lead, t.sequence_id, s.name AS sequence, t.kind,
t.from_address, t.subject, t.preview, t.last_in_at, t.last_out_at, t.open, t.snoozed_until, t.assignee_id, t.interest,
t.revision

-- part: threads.with_names
-- Each has one of the first two; LEFT lets every planner begin with the conversations, in their order.
LEFT JOIN mailboxes b ON b.workspace_id = t.workspace_id AND b.id = t.mailbox_id
LEFT JOIN leads l ON l.workspace_id = t.workspace_id AND l.id = t.lead_id
LEFT JOIN sequences s ON s.workspace_id = t.workspace_id AND s.id = t.sequence_id

-- part: threads.before
t.last_in_at <= :before AND (t.last_in_at < :before OR t.id < :before_id)

-- part: threads.wanted
-- As far back as is looked at once, those that fit every filter.
AND t.last_in_at >= :last AND (t.last_in_at > :last OR t.id >= :last_id)
    AND (:kind::text IS NULL OR t.kind = :kind)
    AND (:mailbox_id::bigint IS NULL OR t.mailbox_id = :mailbox_id)
    AND (:sequence_id::bigint IS NULL OR t.sequence_id = :sequence_id)
    AND (:assignee_id::bigint IS NULL OR t.assignee_id = :assignee_id)
    AND (:state::text = 'all' OR (:state = 'open' AND t.open AND (t.snoozed_until IS NULL OR t.snoozed_until <= :now))
        OR (:state = 'snoozed' AND t.open AND t.snoozed_until > :now) OR (:state = 'done' AND NOT t.open))
ORDER BY t.last_in_at DESC, t.id DESC
LIMIT :size

-- name: threads.page
-- The newest of those that are looked at, through all conversations.
SELECT {threads.shown} FROM threads t
{threads.with_names}
WHERE t.workspace_id = :workspace_id AND {threads.before}
    {threads.wanted}

-- name: threads.page_end
-- The last that such a page looks at, if there are so many.
SELECT t.id, t.last_in_at AS at FROM threads t WHERE t.workspace_id = :workspace_id AND {threads.before}
ORDER BY t.last_in_at DESC, t.id DESC LIMIT 1 OFFSET :skipped

-- name: threads.page_of_open
-- The newest of those that are looked at, through the open ones.
SELECT {threads.shown} FROM threads t
{threads.with_names}
WHERE t.workspace_id = :workspace_id AND t.open AND {threads.before}
    {threads.wanted}

-- name: threads.page_of_open_end
-- The last that such a page looks at, if there are so many.
SELECT t.id, t.last_in_at AS at FROM threads t WHERE t.workspace_id = :workspace_id AND t.open AND {threads.before}
ORDER BY t.last_in_at DESC, t.id DESC LIMIT 1 OFFSET :skipped

-- name: threads.page_of_kind
-- The newest of those that are looked at, through one class.
SELECT {threads.shown} FROM threads t
{threads.with_names}
WHERE t.workspace_id = :workspace_id AND t.kind = :kind AND {threads.before}
    {threads.wanted}

-- name: threads.page_of_kind_end
-- The last that such a page looks at, if there are so many.
SELECT t.id, t.last_in_at AS at FROM threads t WHERE t.workspace_id = :workspace_id AND t.kind = :kind AND {threads.before}
ORDER BY t.last_in_at DESC, t.id DESC LIMIT 1 OFFSET :skipped

-- name: threads.page_of_mailbox
-- The newest of those that are looked at, through one mailbox.
SELECT {threads.shown} FROM threads t
{threads.with_names}
WHERE t.workspace_id = :workspace_id AND t.mailbox_id = :mailbox_id AND {threads.before}
    {threads.wanted}

-- name: threads.page_of_mailbox_end
-- The last that such a page looks at, if there are so many.
SELECT t.id, t.last_in_at AS at FROM threads t WHERE t.workspace_id = :workspace_id AND t.mailbox_id = :mailbox_id AND {threads.before}
ORDER BY t.last_in_at DESC, t.id DESC LIMIT 1 OFFSET :skipped

-- name: threads.page_of_sequence
-- The newest of those that are looked at, through one sequence.
SELECT {threads.shown} FROM threads t
{threads.with_names}
WHERE t.workspace_id = :workspace_id AND t.sequence_id = :sequence_id AND {threads.before}
    {threads.wanted}

-- name: threads.page_of_sequence_end
-- The last that such a page looks at, if there are so many.
SELECT t.id, t.last_in_at AS at FROM threads t WHERE t.workspace_id = :workspace_id AND t.sequence_id = :sequence_id AND {threads.before}
ORDER BY t.last_in_at DESC, t.id DESC LIMIT 1 OFFSET :skipped

-- name: threads.page_of_assignee
-- The newest of those that are looked at, through one person's own.
SELECT {threads.shown} FROM threads t
{threads.with_names}
WHERE t.workspace_id = :workspace_id AND t.assignee_id = :assignee_id AND {threads.before}
    {threads.wanted}

-- name: threads.page_of_assignee_end
-- The last that such a page looks at, if there are so many.
SELECT t.id, t.last_in_at AS at FROM threads t WHERE t.workspace_id = :workspace_id AND t.assignee_id = :assignee_id AND {threads.before}
ORDER BY t.last_in_at DESC, t.id DESC LIMIT 1 OFFSET :skipped

-- name: threads.count_open
-- How many want somebody now, at most so many.
SELECT count(*) FROM (
    SELECT 1 FROM threads
    WHERE workspace_id = :workspace_id AND open AND (snoozed_until IS NULL OR snoozed_until <= :now)
    ORDER BY last_in_at DESC, id DESC
    LIMIT :most
) AS counted

-- name: threads.get
-- One conversation as it is now.
SELECT {threads.columns} FROM threads WHERE workspace_id = :workspace_id AND id = :id

-- name: threads.lock
-- One conversation, held until the transaction ends.
SELECT {threads.columns} FROM threads WHERE workspace_id = :workspace_id AND id = :id
--postgres FOR UPDATE

-- name: threads.get_line
-- One conversation with its names.
SELECT {threads.shown} FROM threads t
{threads.with_names}
WHERE t.workspace_id = :workspace_id AND t.id = :id

-- name: threads.of_lead_and_mailbox
-- The conversation of one person and one mailbox, held until the transaction ends.
SELECT {threads.columns} FROM threads
WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND lead_id = :lead_id
--postgres FOR UPDATE

-- name: threads.begin
-- Begin a conversation. No row back: it has begun.
INSERT INTO threads (
    workspace_id, mailbox_id, lead_id, enrollment_id, sequence_id, kind, from_address, subject, preview, last_in_at,
    last_out_at, open, snoozed_until, assignee_id, interest, revision
) VALUES (
    :workspace_id, :mailbox_id, :lead_id, :enrollment_id, :sequence_id, :kind, :from_address, :subject, :preview,
    :last_in_at, :last_out_at, :open, :snoozed_until, :assignee_id, :interest, :revision
)
ON CONFLICT (workspace_id, mailbox_id, lead_id) DO NOTHING
RETURNING id

-- name: threads.save
-- Write the row if it is still as it was read. No row changed: somebody else was first.
UPDATE threads SET
    enrollment_id = :enrollment_id,
    sequence_id = :sequence_id,
    kind = :kind,
    from_address = :from_address,
    subject = :subject,
    preview = :preview,
    last_in_at = :last_in_at,
    last_out_at = :last_out_at,
    open = :open,
    snoozed_until = :snoozed_until,
    assignee_id = :assignee_id,
    interest = :interest,
    revision = :revision
WHERE workspace_id = :workspace_id AND id = :id AND revision = :read_revision

-- name: threads.speaking_message
-- The message that says what a conversation is about: the newest of a person, or else the newest that came in.
SELECT m.id, m.kind, m.received_at, m.from_address, m.subject, m.new_text, m.enrollment_id, e.sequence_id
FROM messages m
LEFT JOIN enrollments e ON e.workspace_id = m.workspace_id AND e.id = m.enrollment_id
WHERE m.workspace_id = :workspace_id AND m.lead_id = :lead_id AND m.mailbox_id = :mailbox_id AND m.direction = 'in'
ORDER BY CASE WHEN m.kind = ANY (:human_list::text[]) THEN 0 ELSE 1 END, m.received_at DESC, m.id DESC
LIMIT 1

-- name: threads.newest_at
-- When something last came in.
SELECT received_at FROM messages
WHERE workspace_id = :workspace_id AND lead_id = :lead_id AND mailbox_id = :mailbox_id AND direction = 'in'
ORDER BY received_at DESC
LIMIT 1

-- name: threads.messages
-- What was written, newest first: so many as are shown at once. Of what is larger than a page should read, not the bytes.
SELECT m.id, m.direction, m.kind, m.confidence, m.received_at, m.from_address, m.to_address, m.subject, m.new_text,
    m.matched_by, m.evidence, a.step, a.variant,
    CASE WHEN octet_length(m.raw) <= :most THEN m.raw END AS raw, coalesce(octet_length(m.raw), 0) AS size
FROM messages m
LEFT JOIN attempts a ON a.workspace_id = m.workspace_id AND a.id = m.attempt_id
WHERE m.workspace_id = :workspace_id AND m.lead_id = :lead_id AND m.mailbox_id = :mailbox_id
ORDER BY m.received_at DESC, m.id DESC
LIMIT :limit

-- name: threads.empty
-- Erase what a person wrote from the summaries; that they wrote stays.
UPDATE threads SET from_address = NULL, subject = NULL, preview = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND lead_id = :lead_id

-- name: threads.notes
-- What was noted about a person by hand, oldest first.
SELECT at, author, text FROM notes
WHERE workspace_id = :workspace_id AND lead_id = :lead_id AND text <> ''
ORDER BY at, id

-- name: threads.answered_attempt
-- The message of ours that a person first answered.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id AND id = (
    SELECT attempt_id FROM messages
    WHERE workspace_id = :workspace_id AND enrollment_id = :enrollment_id AND direction = 'in'
        AND kind = ANY (:human_list::text[]) AND attempt_id IS NOT NULL
    ORDER BY received_at, id
    LIMIT 1
)

-- name: threads.answered_message
-- The message that an answer answers: the newest of a person, or else the newest that came in.
SELECT message_id, subject, from_address, received_at, new_text, raw, attempt_id FROM messages
WHERE workspace_id = :workspace_id AND lead_id = :lead_id AND mailbox_id = :mailbox_id AND direction = 'in'
ORDER BY CASE WHEN kind = ANY (:human_list::text[]) THEN 0 ELSE 1 END, received_at DESC, id DESC
LIMIT 1
