-- Who is logged in, and the links that let in once. Times are the machine's.

-- name: sessions.begin
-- A person is logged in from now on.
INSERT INTO sessions (digest, user_id, created_at, seen_at, ends_at)
VALUES (:digest, :user_id, :now, :now, :ends_at)

-- name: sessions.find
-- Who is logged in by this token, unless its time is over.
SELECT u.id, u.email, u.name, u.password_hash, u.revision, u.created_at
FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.digest = :digest AND s.ends_at > :now

-- name: sessions.seen_before
-- Whether it was last used before then.
SELECT 1 FROM sessions WHERE digest = :digest AND seen_at < :before

-- name: sessions.prolong
-- It was used: it lasts from now on.
UPDATE sessions SET seen_at = :now, ends_at = :ends_at WHERE digest = :digest AND ends_at > :now

-- name: sessions.end
-- The person is logged out.
DELETE FROM sessions WHERE digest = :digest

-- name: sessions.end_all_but
-- The person is logged out everywhere else.
DELETE FROM sessions WHERE user_id = :user_id AND digest <> :digest

-- name: sessions.forget
-- Sessions whose time is over are not kept.
DELETE FROM sessions WHERE ends_at <= :now

-- name: sessions.add_link
-- A link that lets in once.
INSERT INTO one_time_links (digest, user_id, created_at, ends_at) VALUES (:digest, :user_id, :now, :ends_at)

-- name: sessions.link
-- Whom this link lets in: a person, or NULL for whoever comes first. No row: it was used, or its time is over.
SELECT user_id FROM one_time_links WHERE digest = :digest AND ends_at > :now

-- name: sessions.use_link
-- The link lets nobody in any more. No row changed: somebody was first.
DELETE FROM one_time_links WHERE digest = :digest

-- name: sessions.forget_links
-- A person's other links let nobody in any more (NULL: those for the first owner), nor do links whose time is over.
DELETE FROM one_time_links
WHERE ends_at <= :now OR (user_id IS NULL AND :user_id::bigint IS NULL) OR user_id = :user_id::bigint
