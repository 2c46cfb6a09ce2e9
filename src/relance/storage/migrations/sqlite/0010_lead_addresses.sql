-- Every further address by which a person came in: answers come from it, and its opt-out is the person's.

CREATE TABLE lead_addresses (
    workspace_id INTEGER NOT NULL,
    address TEXT NOT NULL CHECK (address <> ''),
    lead_id INTEGER NOT NULL,
    added_at TEXT NOT NULL,
    PRIMARY KEY (workspace_id, address, lead_id),
    FOREIGN KEY (workspace_id, lead_id) REFERENCES leads (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX lead_addresses_lead ON lead_addresses (workspace_id, lead_id);
