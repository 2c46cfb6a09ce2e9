-- What `doctor` and the start ask of a database server. SQLite has none: its shadows say so.

-- name: server.timeline
-- The timeline of the server's history; another one than last time: a standby took over, or a backup was restored.
SELECT timeline_id FROM pg_control_checkpoint()

-- name: server.asynchronous_standbys
-- How many standbys may lack what was committed here: after a failover to one of them, sends could be forgotten.
SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'async'
