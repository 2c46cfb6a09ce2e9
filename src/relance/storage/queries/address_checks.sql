-- What was found out about addresses, and who waits for an answer.

-- name: address_checks.get
-- The last answer about a lead's address.
SELECT address, asked, verdict, host, reason, checked_at FROM address_checks
WHERE workspace_id = :workspace_id AND lead_id = :lead_id

-- name: address_checks.want
-- Ask for a check. What was known of another address, or found out by another question, does not answer this one.
INSERT INTO address_checks (workspace_id, lead_id, address, asked, wanted_at)
VALUES (:workspace_id, :lead_id, :address, :asked, :now)
ON CONFLICT (workspace_id, lead_id) DO UPDATE SET
    verdict = CASE
        WHEN address_checks.address = excluded.address AND address_checks.asked = excluded.asked
        THEN address_checks.verdict
    END,
    checked_at = CASE
        WHEN address_checks.address = excluded.address AND address_checks.asked = excluded.asked
        THEN address_checks.checked_at
    END,
    address = excluded.address,
    asked = excluded.asked,
    wanted_at = excluded.wanted_at

-- name: address_checks.wanted
-- What these shards' people wait for, those who have waited longest first.
SELECT workspace_id, lead_id, address, asked, shard FROM address_checks
WHERE wanted_at IS NOT NULL AND {shards.these}
ORDER BY wanted_at
LIMIT :limit

-- name: address_checks.answer
-- Write an answer down, if it is to the question that is open.
UPDATE address_checks SET verdict = :verdict, host = :host, reason = :reason, checked_at = :now, wanted_at = NULL
WHERE workspace_id = :workspace_id AND lead_id = :lead_id AND address = :address AND asked = :asked
    AND wanted_at IS NOT NULL

-- name: address_checks.forget
-- Know nothing of a person's address any more.
DELETE FROM address_checks WHERE workspace_id = :workspace_id AND lead_id = :lead_id
