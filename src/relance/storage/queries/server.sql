-- What `doctor` asks of a database server. SQLite has none: its shadows say so.

-- name: server.asynchronous_standbys
-- How many standbys may lack what was committed here: after a failover to one of them, sends could be forgotten.
SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'async' AND state IN ('catchup', 'streaming')
