"""The rules of pacing over both stores: ramp, working day, the provider's ceiling."""

from dataclasses import replace
from datetime import timedelta

from relance.core.mailbox import Mailbox
from relance.services import mailboxes, sending
from relance.services.health import examine


async def could_send(life) -> bool:
    """Send one message more, if any can be sent now."""
    await life.read_all_freshly()
    claims = await life.claim(limit=1)
    if not claims:
        return False
    outcome = await life.reserve(claims[0])
    if not isinstance(outcome, sending.Reserved):
        return False
    await life.begin(outcome)
    await life.confirm(outcome)
    life.later(minutes=5)
    return True


async def test_a_ramp_counts_the_days_on_which_it_sent(life):
    """Two days with a message and ten days of silence between: one day on, and three days back from there."""
    scene = await life.scene(mailboxes=("new@acme.example",), pool=None)
    box = await life.mailbox(scene, "new@acme.example", ramp=True, ramp_start=1, ramp_step=1)
    for number in range(4):
        await life.person(scene, f"p{number}@lead.example")
    await could_send(life)
    first = await life.box(box)
    life.later(days=1)
    await could_send(life)
    second = await life.box(box)
    life.later(days=10)
    await could_send(life)
    third = await life.box(box)

    assert [0, 1, 0] == [first.ramp_days, second.ramp_days, third.ramp_days]
    assert third.ramp_day == life.now.date()


async def test_a_mailbox_rests_outside_its_working_day(life):
    """At nine it is at work, at noon it is at lunch; the reason stands on the mailbox."""
    scene = await life.scene(mailboxes=("person@acme.example",), pool=None)
    box = await life.mailbox(scene, "person@acme.example", workday="08:30-17:30 lunch 12:00-13:00")
    life.later(hours=3, minutes=30)
    outcome = await life.attempt_to_reserve()
    resting = await life.box(box)
    at_lunch = await life.claim()
    life.clock.jump(outcome.until)
    sent = await could_send(life)

    assert isinstance(outcome, sending.Deferred)
    assert ("workday", "workday", life.now.replace(hour=13, minute=0, second=0)) == (
        outcome.gate,
        resting.last_skip_reason,
        outcome.until,
    )
    assert [] == at_lunch
    assert sent


async def test_a_provider_s_minute_is_kept_whatever_the_gap_says(life):
    """Microsoft takes 30 a minute; the 31st waits until the first is a minute old."""
    scene = await life.scene(mailboxes=("fast@acme.example",), pool=None)
    fast = {"daily_cap": 900, "hourly_cap": 900, "min_gap": 0.5, "max_gap": 0.5, "ceiling": "microsoft"}
    box = await life.mailbox(scene, "fast@acme.example", **fast)
    for number in range(31):
        await life.person(scene, f"p{number}@lead.example")
    began = life.now
    for _ in range(30):
        reserved = await life.reserved()
        await life.begin(reserved)
        await life.confirm(reserved)
        life.later(seconds=1)
    outcome = await life.attempt_to_reserve()
    resting = await life.box(box)

    assert isinstance(outcome, sending.Deferred), outcome
    assert ("provider_ceiling", began + timedelta(minutes=1)) == (resting.last_skip_reason, resting.skip_until)


async def test_a_mailbox_says_how_healthy_it_is(life):
    """Too little was sent: no number, and the reason."""
    scene = await life.scene()
    await life.send()
    box = await life.box(scene.box)
    found = await life.store.read(examine, box, now=life.now)

    assert (None, 1, 0) == (found.score.points, found.record.sends, found.record.bounces)
    assert ("1 messages in 7 days; judged from 50 on",) == found.score.reasons


async def test_what_a_person_says_of_a_mailbox_s_day_and_ceiling_is_kept(life):
    """Both are changed like every other setting."""
    scene = await life.scene()

    def change(tx):
        box = tx.one(Mailbox, "mailboxes.get", workspace_id=scene.workspace.id, id=scene.box.id)
        mailboxes.change(tx, replace(box, workday="09:00-17:00", ceiling="google_trial"), sealed=None)

    await life.store.write(change)
    box = await life.box(scene.box)

    assert ("09:00-17:00", "google_trial") == (box.workday, box.ceiling)
