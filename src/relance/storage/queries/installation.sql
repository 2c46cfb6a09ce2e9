-- The one row that says which installation this is, and which of its states.

-- name: installation.create
-- Names the installation once; a second call changes nothing.
INSERT INTO installation (id, uid, generation, created_at) VALUES (1, :uid, 0, :created_at)
ON CONFLICT (id) DO NOTHING

-- name: installation.get
-- The installation, or no row before `init`.
SELECT uid, generation, alive_at, server, created_at FROM installation

-- name: installation.grow
-- Count on. No row changed: another engine has counted at least as far.
UPDATE installation SET generation = :generation, alive_at = :now, server = :server
WHERE generation < :generation
