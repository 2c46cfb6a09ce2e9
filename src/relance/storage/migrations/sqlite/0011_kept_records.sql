-- Attempts and messages stay: without an attempt's row, its step would be sent again.

CREATE TRIGGER attempts_stay BEFORE DELETE ON attempts
BEGIN SELECT RAISE (ABORT, 'attempts are append-only: a step whose attempt is gone would be sent again'); END;
CREATE TRIGGER attempts_keep_their_step BEFORE UPDATE OF workspace_id, enrollment_id, step_counter ON attempts
WHEN (NEW.workspace_id, NEW.enrollment_id, NEW.step_counter)
    <> (OLD.workspace_id, OLD.enrollment_id, OLD.step_counter)
BEGIN SELECT RAISE (ABORT, 'attempts are append-only: one is never moved to another step'); END;

CREATE TRIGGER messages_stay BEFORE DELETE ON messages
BEGIN SELECT RAISE (ABORT, 'messages are append-only: empty their words to erase a person'); END;
CREATE TRIGGER messages_keep_their_facts BEFORE UPDATE OF direction, at, content_key ON messages
WHEN (NEW.direction, NEW.at, NEW.content_key) <> (OLD.direction, OLD.at, OLD.content_key)
BEGIN SELECT RAISE (ABORT, 'messages are append-only: what came and when never changes'); END;
