-- What name servers said about the domains that mailboxes send from.

-- name: domain_checks.of_workspace
-- What was last found about each domain.
SELECT domain, selectors, records, checked_at FROM domain_checks WHERE workspace_id = :workspace_id ORDER BY domain

-- name: domain_checks.keep
-- Keep what was found; what was found before is gone, and the selectors stay.
INSERT INTO domain_checks (workspace_id, domain, records, checked_at) VALUES (:workspace_id, :domain, :records::jsonb, :now)
ON CONFLICT (workspace_id, domain) DO UPDATE SET records = excluded.records, checked_at = excluded.checked_at

-- name: domain_checks.set_selectors
-- Keep under which names it signs.
INSERT INTO domain_checks (workspace_id, domain, selectors) VALUES (:workspace_id, :domain, :selectors::jsonb)
ON CONFLICT (workspace_id, domain) DO UPDATE SET selectors = excluded.selectors
