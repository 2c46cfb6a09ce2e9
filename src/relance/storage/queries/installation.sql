-- The one row that says which installation this is, and how often it was restored.

-- name: installation.create
-- Names the installation once; a second call changes nothing.
INSERT INTO installation (id, uid, generation, created_at) VALUES (1, :uid, 0, :created_at)
ON CONFLICT (id) DO NOTHING

-- name: installation.get
-- The installation, or no row before `init`.
SELECT uid, generation, created_at FROM installation

-- name: installation.advance
-- The next generation, after a restore.
UPDATE installation SET generation = generation + 1 RETURNING generation
