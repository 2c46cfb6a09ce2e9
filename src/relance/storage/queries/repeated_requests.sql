-- name: repeated_requests.begin
-- Take a key for a request. No row changed: it was taken.
INSERT INTO idempotency_keys (workspace_id, actor, key, request, created_at)
VALUES (:workspace_id, :actor, :key, :request, :now)
ON CONFLICT (workspace_id, actor, key) DO NOTHING

-- name: repeated_requests.get
-- What took a key, and what it was answered.
SELECT request, status, headers, body FROM idempotency_keys
WHERE workspace_id = :workspace_id AND actor = :actor AND key = :key

-- name: repeated_requests.keep
-- Keep what a request was answered, once.
UPDATE idempotency_keys SET status = :status, headers = :headers::jsonb, body = :body
WHERE workspace_id = :workspace_id AND actor = :actor AND key = :key AND status IS NULL

-- name: repeated_requests.forget
-- It was not done: its key is free again.
DELETE FROM idempotency_keys
WHERE workspace_id = :workspace_id AND actor = :actor AND key = :key AND status IS NULL

-- name: repeated_requests.forget_old
-- Forget what is too old to be sent again.
DELETE FROM idempotency_keys WHERE created_at < :before
