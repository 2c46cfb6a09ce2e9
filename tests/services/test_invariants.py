"""A database that contradicts itself is found out: each kind is planted by hand, past everything that would refuse it.

The rules are the schema's own, and the services': what they keep from happening is looked for all the same, since a
hand, another program or a damaged disk asks neither.
"""

import pytest

from relance.core.sequence import Delivery
from relance.core.suppression import SuppressionKind, SuppressionReason, SuppressionScope
from relance.services import invariants, leads, suppressions
from relance.testing import letters
from relance.testing.builders import KEYS, email
from row_stories import contradictions
from services.test_recording_only import walked

YEARS_AHEAD = "'2099-01-01T00:00:00.000000Z'"
LONG_AGO = "'2001-01-01T00:00:00.000000Z'"
END = "next_due_at = NULL, skip_until = NULL, lock_holder = NULL, lock_expires_at = NULL"
RUN = "UPDATE enrollments SET {} WHERE id = 1"
SENT = "UPDATE attempts SET {} WHERE id = 1"
NOT_SENT = "sent_at = NULL, holds_slot = (id < 0)"
OPEN = "UPDATE attempts SET {} WHERE id = 2"
ATTEMPT = (
    "workspace_id, enrollment_id, lead_id, sequence_id, mailbox_id, step, version, step_counter, variant, status, "
    "message_id, trace, recipient, opens_thread, planned_at, holds_slot, slot_day, slot_hour, created_at"
)
ENTRY = "INSERT INTO enrollment_history (workspace_id, enrollment_id, at, from_status, to_status, event, cause, step, "
ENTRY += "step_counter) SELECT workspace_id, id, created_at, {}, 'by hand', step, {} FROM enrollments WHERE id = 1"


def attempt(*, counter: str = "step_counter", status: str, message_id: str) -> str:
    """Write the INSERT of an attempt like the first one."""
    columns = ATTEMPT.replace("step_counter", counter).replace(" status", f" '{status}'")
    chosen = columns.replace("message_id", message_id)
    return f"INSERT INTO attempts ({ATTEMPT}) SELECT {chosen} FROM attempts WHERE id = 1"


#: Rule → the statements that break it. A person was sent `a`, answered with a question, and has `b` reserved.
PLANTED = {
    "ended_but_due": [RUN.format("status = 'completed', ended_at = created_at")],
    "never_due": [RUN.format("next_due_at = NULL")],
    "end_without_time": [RUN.format(f"status = 'completed', {END}")],
    "without_reason": [RUN.format(f"status = 'stopped', ended_at = created_at, {END}")],
    "unknown_status": [RUN.format("status = 'asleep'")],
    "endless_lock": [RUN.format("lock_holder = 'w1', lock_expires_at = NULL")],
    "missing_version": [RUN.format("version = 77")],
    "run_of_nobody": [RUN.format("mailbox_id = 77")],
    "history_elsewhere": ["DELETE FROM enrollment_history"],
    "broken_history": [ENTRY.format("'paused', 'active', 'enrollment.resumed'", "2")],
    "illegal_move": [ENTRY.format("'active', 'active', 'lead.enrolled'", "2")],
    "counter_went_back": [ENTRY.format("'active', 'active', 'step.tried'", "9")],
    "sent_but_standing": [RUN.format("step = 'a', step_counter = 1")],
    "sent_but_never_written_to": [RUN.format("last_sent_at = NULL")],
    "two_open_attempts": [attempt(counter="3", status="reserved", message_id="'<x@y>'")],
    "without_deadline": [OPEN.format("status = 'in_flight', release_by = NULL, began_at = NULL")],
    "sent_at_no_time": [SENT.format("sent_at = NULL")],
    "unknown_attempt_status": [OPEN.format("status = 'lost'")],
    "ahead_of_its_run": [RUN.format("step_counter = 1, step = 'b'")],
    "open_after_the_end": [RUN.format("step_counter = 3")],
    "attempt_of_nobody": [OPEN.format("lead_id = 77")],
    "slot_kept": [OPEN.format("status = 'voided', planned_at = created_at")],
    "slot_without_counter": ["DELETE FROM usage"],
    "uncounted_slots": ["UPDATE usage SET used = used + 1"],
    "message_without_raw": ["UPDATE messages SET raw = NULL"],
    "message_of_nobody": ["UPDATE messages SET enrollment_id = 77"],
    "cursor_behind": ["UPDATE folders SET last_uid = 0"],
    "run_far_ahead": [RUN.format(f"next_due_at = {YEARS_AHEAD}")],
    "attempt_far_ahead": [SENT.format(f"sent_at = {YEARS_AHEAD}")],
    "mailbox_far_ahead": [f"UPDATE mailboxes SET fresh_at = {YEARS_AHEAD}"],
    "sequence_far_ahead": [f"UPDATE sequences SET skip_until = {YEARS_AHEAD}, last_skip_reason = 'daily_cap'"],
    "foreign_mark": [SENT.format("trace = 'other'")],
    "foreign_uid": [RUN.format("uid = 'other'")],
    "missing_shard": ["DELETE FROM shards WHERE id = 7"],
    "sequence_without_version": ["UPDATE sequences SET version = 77"],
    "two_of_one_step": [attempt(status="not_delivered", message_id="'<x@y>'")],
    "altered_version": ["UPDATE sequence_versions SET digest = 'other'"],
    "wrong_shard": ["UPDATE mailboxes SET shard = 255 - shard"],
    "unjournalled_opt_out": ["DELETE FROM opt_outs"],
    "unbound_opt_out": ["DELETE FROM suppressions"],
    "accepted_but_not_sent": [SENT.format(f"{NOT_SENT}, status = 'failed'")],
    "acceptance_unrecorded": ["DELETE FROM events WHERE name = 'step.accepted'"],
    "last_sent_elsewhere": [RUN.format(f"last_sent_at = {LONG_AGO}")],
    "off_the_plan": [RUN.format("step_kind = 'wait'")],
    "led_elsewhere": ["DELETE FROM enrollment_history WHERE event = 'step.accepted'"],
    "shard_far_ahead": [f"UPDATE shards SET owner = 'ghost', lease_until = {YEARS_AHEAD} WHERE id = 7"],
    "worker_far_ahead": [
        f"INSERT INTO workers (name, started_at, lease_until) VALUES ('ghost', {YEARS_AHEAD}, {YEARS_AHEAD})"
    ],
}
#: What the same damage also breaks.
ALSO = {
    "ended_but_due": {"history_elsewhere", "open_after_the_end"},
    "end_without_time": {"history_elsewhere", "open_after_the_end"},
    "without_reason": {"history_elsewhere", "open_after_the_end"},
    "unknown_status": {"history_elsewhere"},
    "counter_went_back": {"led_elsewhere"},
    "sent_but_standing": {"ahead_of_its_run", "counter_went_back", "led_elsewhere"},
    "sent_at_no_time": {"last_sent_elsewhere"},
    "attempt_far_ahead": {"last_sent_elsewhere"},
    "accepted_but_not_sent": {"last_sent_elsewhere", "uncounted_slots"},
    "ahead_of_its_run": {"sent_but_standing", "counter_went_back", "led_elsewhere"},
    "open_after_the_end": {"led_elsewhere"},
    "two_open_attempts": {"ahead_of_its_run", "uncounted_slots", "foreign_mark"},
    "two_of_one_step": {"uncounted_slots", "foreign_mark", "acceptance_unrecorded"},
    "foreign_uid": {"foreign_mark"},
    "unknown_attempt_status": {"uncounted_slots"},
}


async def a_little_of_everything(life):
    """Send one step, get an answer that ends nothing, reserve the next, stage a message, and let somebody opt out."""
    scene = await life.scene(email("a", subject="A"), email("b", "1d"))
    raw = await life.send()
    await life.receive(scene.box, letters.auto_reply(raw, at=life.now, text="I am away."))
    life.later(days=1)
    await life.reserved()
    life.later(minutes=20)
    await opt_out(life, scene, "zoe@lead.example")
    await life.stage(scene.box, raw, folder="INBOX")
    return scene


async def opt_out(life, scene, address):
    """Let somebody opt out."""
    await life.store.write(
        suppressions.suppress_address,
        workspace_id=scene.workspace.id,
        address=address,
        reason=SuppressionReason.UNSUBSCRIBED,
        source="asked",
        now=life.now,
        tombstone_key=KEYS.tombstone,
    )


async def broken(life, scene):
    """Return what is broken, by rule."""
    found = await life.store.read(contradictions, scene.workspace.id, life.now)
    return {one.rule: one for one in found}


async def test_nothing_is_broken_where_the_services_wrote(damaged):
    """Whatever a life brings: the checks cry wolf for nobody."""
    life, _ = damaged
    scene = await a_little_of_everything(life)

    assert {} == await broken(life, scene)


@pytest.mark.parametrize("rule", PLANTED)
async def test_a_contradiction_planted_by_hand_is_found(damaged, rule):
    """It names the row and says what to do; and nothing else is said to be broken."""
    life, plant = damaged
    scene = await a_little_of_everything(life)
    plant(PLANTED[rule])
    found = await broken(life, scene)

    assert {rule} | ALSO.get(rule, set()) == set(found)
    assert found[rule].rows
    assert found[rule].remedy


#: What was done to a send of three days ago → the statements, and the rules that find it although no counter tells.
OLD = {
    "the attempt and its message are gone": (
        ["DELETE FROM messages WHERE attempt_id = 1", "DELETE FROM attempts WHERE id = 1"],
        {"accepted_but_not_sent", "last_sent_elsewhere"},
    ),
    "it is called failed": (
        [SENT.format(f"{NOT_SENT}, status = 'failed'")],
        {"accepted_but_not_sent", "last_sent_elsewhere"},
    ),
    "it is called voided, of a run that has ended": (
        [SENT.format(f"{NOT_SENT}, status = 'voided'"), "DELETE FROM enrollment_history WHERE event = 'step.accepted'"],
        {"accepted_but_not_sent", "last_sent_elsewhere", "led_elsewhere"},
    ),
    "its acceptance is struck from the history": (
        ["DELETE FROM enrollment_history WHERE event = 'step.accepted'"],
        {"led_elsewhere"},
    ),
    "its acceptance is struck from what happened": (
        ["DELETE FROM events WHERE name = 'step.accepted'"],
        {"acceptance_unrecorded"},
    ),
    "its row says that nothing was sent since": ([RUN.format(f"last_sent_at = {LONG_AGO}")], {"last_sent_elsewhere"}),
}


@pytest.mark.parametrize("what", OLD)
async def test_that_something_was_accepted_is_known_for_ever(damaged, what):
    """Three days later no counter counts it any more, and yet it is found."""
    life, plant = damaged
    scene = await a_little_of_everything(life)
    life.later(days=3)
    before = await broken(life, scene)
    statements, rules = OLD[what]
    plant(statements)

    assert rules == (await broken(life, scene)).keys() - before.keys()


@pytest.mark.parametrize(
    "rule, statements",
    [
        ("accepted_but_not_sent", ["DELETE FROM attempts WHERE status = 'not_delivered'"]),
        ("accepted_but_not_sent", ["UPDATE attempts SET status = 'voided' WHERE status = 'not_delivered'"]),
        ("acceptance_unrecorded", ["DELETE FROM enrollment_history WHERE event = 'step.recorded'"]),
    ],
)
async def test_what_was_only_recorded_is_looked_at_as_well(damaged, rule, statements):
    """A sequence that records only has its own word for it."""
    life, plant = damaged
    scene = await life.scene(email("a", subject="A"), email("b", "1d"), delivery=Delivery.RECORD_ONLY)
    await walked(life)
    unbroken = await broken(life, scene)
    plant(statements)

    assert {} == unbroken
    assert rule in await broken(life, scene)


async def test_an_opt_out_that_was_taken_back_contradicts_nothing(damaged):
    """Until the person opts out once more, and that is gone."""
    life, plant = damaged
    scene = await a_little_of_everything(life)
    zoe = {"kind": SuppressionKind.ADDRESS, "value": "zoe@lead.example", "scope": SuppressionScope.WORKSPACE}
    life.later(hours=1)
    await life.store.write(
        suppressions.unsuppress,
        workspace_id=scene.workspace.id,
        **zoe,
        tombstone_key=KEYS.tombstone,
        now=life.now,
    )
    by_right = await broken(life, scene)
    life.later(hours=1)
    await opt_out(life, scene, "zoe@lead.example")
    plant(["DELETE FROM suppressions"])

    assert "unbound_opt_out" not in by_right
    assert "unbound_opt_out" in await broken(life, scene)


async def test_a_lead_whose_opt_out_is_gone_is_named(damaged):
    """The log keeps only a hash, and somebody has to know whom to suppress again."""
    life, plant = damaged
    scene = await life.scene()
    await opt_out(life, scene, scene.lead.email)
    plant(["DELETE FROM suppressions"])

    assert (f"opt-out 1: {scene.lead.email}",) == (await broken(life, scene))["unbound_opt_out"].rows


async def test_a_step_that_no_version_has_is_named(damaged):
    """Such a run would be blocked when it is due."""
    life, plant = damaged
    scene = await life.scene()
    plant([RUN.format("step = 'nope'")])

    assert "at step nope" in (await broken(life, scene))["off_the_plan"].rows[0]


FURTHER = {
    "run_far_ahead": [
        [RUN.format(f"skip_until = {YEARS_AHEAD}, last_skip_reason = 'window'")],
        [RUN.format(f"last_sent_at = {YEARS_AHEAD}")],
        [RUN.format(f"lock_holder = 'w1', lock_expires_at = {YEARS_AHEAD}")],
    ],
    "attempt_far_ahead": [[OPEN.format(f"planned_at = {YEARS_AHEAD}")], [OPEN.format(f"next_look_at = {YEARS_AHEAD}")]],
    "mailbox_far_ahead": [
        [f"UPDATE mailboxes SET {column} = {YEARS_AHEAD}"] for column in ("skip_until", "next_allowed_at")
    ],
    "sequence_far_ahead": [[f"UPDATE sequences SET new_leads_until = {YEARS_AHEAD}"]],
    "foreign_mark": [[SENT.format("message_id = '<other@acme.example>'")], [SENT.format("message_id = 'none'")]],
}


@pytest.mark.parametrize(
    "rule, statements", [(rule, statements) for rule, ways in FURTHER.items() for statements in ways]
)
async def test_whichever_column_of_it_was_altered(damaged, rule, statements):
    """A rule that looks at several is shown each."""
    life, plant = damaged
    scene = await a_little_of_everything(life)
    plant(statements)

    assert rule in await broken(life, scene)


async def test_an_erased_person_and_a_mailbox_with_another_address_contradict_nothing(damaged):
    """Names and marks were made of what was known then."""
    life, plant = damaged
    scene = await a_little_of_everything(life)
    plant(["UPDATE mailboxes SET address = 'bo@renamed.example'"])
    await life.store.write(
        leads.erase, workspace_id=scene.workspace.id, email=scene.lead.email, keys=KEYS, now=life.now
    )

    assert {"slot_kept"} == set(await broken(life, scene))  # which no engine has given back yet


def test_every_rule_is_planted():
    """A check that nobody saw fail may never find anything."""
    rules = {rule.statement.partition(".")[2] for rule in invariants._RULES}  # noqa: SLF001  # all there are
    rules |= {name for name, *_ in invariants._DERIVED}  # noqa: SLF001

    assert rules == PLANTED.keys()


async def test_a_large_table_is_looked_at_in_stretches_the_newest_first(damaged):
    """And only so far back."""
    life, plant = damaged
    scene = await life.scene()
    plant(["UPDATE enrollments SET id = 250000", "UPDATE enrollment_history SET enrollment_id = 250000"])
    parts = await life.store.read(invariants.stretches, workspace_id=scene.workspace.id)
    runs = [part for part in parts if part.table == "enrollments"]

    assert (240_000, 250_000) == (runs[0].after, runs[0].upto)
    assert invariants.MOST_IDS == invariants.looked_at(runs)
    assert {} == await broken(life, scene)
