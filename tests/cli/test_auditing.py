"""`relance audit`: who got which step, and exit 1 where anybody got one twice."""

import apsw
import pytest

SENT = (
    "INSERT INTO attempts (workspace_id, enrollment_id, lead_id, sequence_id, mailbox_id, step, version, step_counter, "
    "variant, status, message_id, trace, recipient, opens_thread, planned_at, holds_slot, slot_day, slot_hour, "
    "began_at, release_by, sent_at, created_at) "
    "SELECT e.workspace_id, e.id, e.lead_id, e.sequence_id, 1, e.step, e.version, {}, "
    "'a', '{}', '<{}@y>', 't', l.email, 1, e.created_at, 0, '', '', e.created_at, e.created_at, {}, e.created_at "
    "FROM enrollments e JOIN leads l ON l.id = e.lead_id WHERE e.id = 1"
)


@pytest.mark.parametrize(
    "second, words, code",
    [
        (None, "", 0),
        ("sent", "got a step twice", 1),
        ("unknown", "may have got a step twice", 1),
    ],
)
def test_somebody_who_got_a_step_twice_is_named(filled, second, words, code):
    """Planted by hand: the second one under a counter that nothing leads to."""
    filled.ok("enroll", "autumn", "--list", "autumn")
    beside = apsw.Connection(str(filled.data / "relance.db"))
    beside.execute(SENT.format(1, "sent", 1, "e.created_at"))
    if second:
        at = "e.created_at" if second == "sent" else "NULL"
        beside.execute(SENT.format(7, second, 2, at))
    beside.close()
    said = filled.run("audit", "autumn", "--json")
    who = filled.run("audit", "autumn", "--who", "--json")

    assert (code, code) == (said.code, who.code)
    assert not second or words in said.complaint
    assert 1 + bool(second) == len(who.rows)
