-- What was found out about addresses before the first message; one row for each lead that a sequence asked about.

CREATE TABLE address_checks (
    workspace_id BIGINT NOT NULL,
    lead_id BIGINT NOT NULL,
    address TEXT NOT NULL CHECK (address <> ''),
    asked TEXT NOT NULL CHECK (asked IN ('mx', 'rcpt')),
    verdict TEXT CHECK (verdict IN ('valid', 'invalid', 'catch_all', 'unknown')),
    host TEXT CHECK (host IN ('google', 'microsoft', 'other')),  -- who runs its mail, where that is known
    reason TEXT NOT NULL DEFAULT '',
    checked_at TIMESTAMPTZ,
    wanted_at TIMESTAMPTZ,  -- when it was asked for; NULL: nobody waits for an answer
    -- Whose business it is, as with the steps that need no mailbox.
    shard INTEGER GENERATED ALWAYS AS ((lead_id % 256)::integer) STORED,
    PRIMARY KEY (workspace_id, lead_id),
    FOREIGN KEY (workspace_id, lead_id) REFERENCES leads (workspace_id, id),
    CONSTRAINT a_verdict_has_its_time CHECK ((verdict IS NULL) = (checked_at IS NULL))
);

CREATE INDEX address_checks_wanted ON address_checks (shard, wanted_at) WHERE wanted_at IS NOT NULL;
