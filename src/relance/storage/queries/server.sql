-- What `doctor` asks of a database server. SQLite has none: its shadows say so.

-- name: server.asynchronous_standbys
-- How many standbys may lack what was committed here: after a failover to one of them, sends could be forgotten.
SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'async' AND state IN ('catchup', 'streaming')

-- name: server.started_at
-- When the server came up: whoever finds another time than before looks whether it is still the same state.
SELECT pg_postmaster_start_time()::text

-- name: server.may_be_told_apart
-- Whether this role may ask which server this is.
SELECT has_function_privilege('pg_control_system()', 'execute')
    AND has_function_privilege('pg_walfile_name(pg_lsn)', 'execute')

-- name: server.identity
-- Which cluster this is, on which timeline, and which of its databases: the timeline changes when it is brought back to
-- an earlier point, or when a standby takes over
-- (https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-TIMELINES); a dump that is put back makes a
-- database of its own.
SELECT system_identifier::text || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' || d.oid::text
FROM pg_control_system(), pg_database d WHERE d.datname = current_database()
