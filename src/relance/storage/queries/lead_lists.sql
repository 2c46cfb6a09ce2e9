-- Lists of leads.

-- name: lead_lists.names
-- Every list that has somebody on it: from name to name, past everybody who is on it.
WITH RECURSIVE found (list) AS (
    SELECT (SELECT min(list) FROM lead_lists WHERE workspace_id = :workspace_id)
    UNION ALL
    SELECT (SELECT min(l.list) FROM lead_lists l WHERE l.workspace_id = :workspace_id AND l.list > found.list)
    FROM found WHERE found.list IS NOT NULL
)
SELECT list FROM found WHERE list IS NOT NULL ORDER BY list

-- name: lead_lists.of_lead
-- The lists that one lead is on.
SELECT list FROM lead_lists WHERE workspace_id = :workspace_id AND lead_id = :lead_id ORDER BY list

-- name: lead_lists.take_off
-- Take a lead off one list. No row changed: it was not on it.
DELETE FROM lead_lists WHERE workspace_id = :workspace_id AND list = :list AND lead_id = :lead_id
