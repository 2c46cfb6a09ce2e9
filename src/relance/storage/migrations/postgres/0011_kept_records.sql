-- Attempts and messages stay: without an attempt's row, its step would be sent again.

CREATE TRIGGER attempts_stay BEFORE DELETE ON attempts
    FOR EACH ROW EXECUTE FUNCTION refuse_change('attempts are append-only: a step whose attempt is gone would be sent again');
CREATE TRIGGER attempts_keep_their_step BEFORE UPDATE OF workspace_id, enrollment_id, step_counter ON attempts
    FOR EACH ROW WHEN (
        (NEW.workspace_id, NEW.enrollment_id, NEW.step_counter)
        IS DISTINCT FROM (OLD.workspace_id, OLD.enrollment_id, OLD.step_counter)
    ) EXECUTE FUNCTION refuse_change('attempts are append-only: one is never moved to another step');

CREATE TRIGGER messages_stay BEFORE DELETE ON messages
    FOR EACH ROW EXECUTE FUNCTION refuse_change('messages are append-only: empty their words to erase a person');
CREATE TRIGGER messages_keep_their_facts BEFORE UPDATE OF direction, at, content_key ON messages
    FOR EACH ROW WHEN ((NEW.direction, NEW.at, NEW.content_key) IS DISTINCT FROM (OLD.direction, OLD.at, OLD.content_key))
    EXECUTE FUNCTION refuse_change('messages are append-only: what came and when never changes');
