"""What ought to move and does not."""

from dataclasses import replace
from datetime import time, timedelta

import pytest

from relance.core.failure import MailboxTrouble
from relance.core.mailbox import MailboxStatus
from relance.core.sequence import Interval, QuietHours, Window
from relance.services import enrollments, mailboxes, reconciling, reports, sending
from relance.testing import builders, letters
from relance.testing.builders import email
from relance.testing.fake_clock import MONDAY
from services.life import WORKER

#: Quiet while the default window is open.
AT_WORK = QuietHours(interval=Interval(start=time(8), end=time(18)))
LATER_MONDAYS = frozenset(MONDAY.date() + timedelta(weeks=week) for week in range(1, 1200))


async def stuck(life, scene):
    """Return what is stuck, as kind and remedy."""
    rows = await life.store.read(reports.stuck, workspace_id=scene.workspace.id, now=life.now)
    return [(row.kind, row.remedy) for row in rows]


async def test_nothing_is_stuck_where_everything_moves(life):
    """Between two steps, and right after a send."""
    scene = await life.scene(email("a", subject="A"), email("b", "1d"))
    await life.read_all_freshly()
    await life.send()

    assert [] == await stuck(life, scene)


async def test_a_lost_outcome_is_listed_with_what_to_do(life):
    """While it is looked for there is nothing to do; afterwards a person decides."""
    scene = await life.scene()
    await life.read_all_freshly()
    await life.lost()
    (kind, remedy), *others = await stuck(life, scene)

    assert [] == others
    assert ("unknown", "it is being looked for; nothing to do yet") == (kind, remedy)


async def test_a_row_that_no_engine_takes_is_listed(life):
    """The failure mode of such software is silence."""
    scene = await life.scene()
    await life.read_all_freshly()
    life.later(minutes=20)
    await life.read_all_freshly()
    (kind, remedy), *others = await stuck(life, scene)

    assert [] == others
    assert "overdue" == kind
    assert "relance run" in remedy


@pytest.mark.parametrize("crowd", [55, 205])
async def test_who_waits_by_right_hides_nobody_who_does_not(life, crowd):
    """However many rest behind a mailbox that has sent its share, or behind mailboxes of an earlier version."""
    scene = await life.scene(pool="resting")
    await change(life, scene, pool="resting")
    await life.store.write(put_off, scene.box, life.later(days=30))
    await life.store.write(builders.published, scene.workspace, builders.plan(pool="resting"))
    for number in range(crowd):
        await life.person(scene, f"p{number}@lead.example")
    await life.store.write(builders.published, scene.workspace, builders.plan())
    await life.mailbox(scene, "free@acme.example")
    late = await life.person(scene, "late@lead.example")
    life.later(hours=3)
    await life.read_all_freshly()
    rows = await life.store.read(reports.stuck, workspace_id=scene.workspace.id, now=life.now)

    assert [f"enrollment {late.id}: late@lead.example at step intro"] == [row.subject for row in rows]


@pytest.mark.parametrize("limit", ["workspace", "new people"])
async def test_who_waits_for_a_wider_limit_is_not_overdue(life, limit):
    """The workspace's messages of today are sent, or the sequence's new people of today are written to."""
    scene = await life.scene()
    life.later(hours=1)
    await life.read_all_freshly()
    ids, until = {"id": scene.workspace.id}, life.now + timedelta(hours=3)
    before = await stuck(life, scene)
    if limit == "workspace":
        await life.store.write(lambda tx: tx.run("workspaces.put_off", **ids, until=until, reason="workspace_cap"))
    else:
        ids = {"workspace_id": scene.workspace.id, "id": scene.run.sequence_id}
        await life.store.write(lambda tx: tx.run("sequences.put_off_new", **ids, until=until))

    assert ["overdue"] == [kind for kind, _ in before]
    assert [] == await stuck(life, scene)


async def change(life, scene, **changes):
    """Change settings of its mailbox."""
    await life.store.write(mailboxes.change, replace(await life.box(scene.box), **changes), sealed=None)


def put_off(tx, box, until):
    """Let a mailbox have sent its share."""
    ids = {"workspace_id": box.workspace_id, "id": box.id}
    tx.run("mailboxes.put_off", **ids, until=until + timedelta(days=30), reason="daily_cap")


async def test_a_mailbox_that_nobody_reads_is_listed(life):
    """Silence is not health: answers may lie there."""
    scene = await life.scene()
    await life.store.write(enrollments.stop, **ids_of(scene), cause="to be alone", now=life.now)
    life.later(hours=3)
    found = await stuck(life, scene)

    assert ["mailbox"] == [kind for kind, _ in found]
    assert "silent" in found[0][1]


async def test_a_mailbox_whose_mail_is_refused_as_unwanted_is_listed(life):
    """It rests by itself and its leads wait with their reason, but somebody should look."""
    scene = await life.scene()
    _, attempt = await life.begun()
    until = life.now.replace(hour=23)
    refused = "550 5.7.1 blocked"
    trouble = MailboxTrouble(reason="blocked", response=refused, status=None, until=until)
    await life.fail(attempt, trouble)
    found = await stuck(life, scene)

    assert ["mailbox"] == [kind for kind, _ in found]
    assert "SPF" in found[0][1]


async def test_a_mailbox_in_trouble_is_listed_with_the_servers_words(life):
    """A refused login waits for a person; its leads show it too."""
    scene = await life.scene()
    await life.read_all_freshly()
    await life.store.write(
        mailboxes.reading_failed,
        workspace_id=scene.workspace.id,
        mailbox_id=scene.box.id,
        status=MailboxStatus.AUTH_ERROR,
        error="AUTHENTICATIONFAILED",
        now=life.now,
    )
    found = [remedy for kind, remedy in await stuck(life, scene) if kind == "mailbox"]

    assert 1 == len(found)
    assert "AUTHENTICATIONFAILED" in found[0]


def ids_of(scene) -> dict[str, int]:
    """Name its run."""
    return {"workspace_id": scene.run.workspace_id, "enrollment_id": scene.run.id}


async def kinds(life, scene):
    """Return what is stuck, by kind."""
    return dict(await stuck(life, scene))


async def test_a_lock_past_its_end_is_listed(life):
    """Its worker died."""
    scene = await life.scene()
    await life.claim()
    life.later(minutes=10)
    await life.read_all_freshly()

    assert "takes it over" in (await kinds(life, scene))["lock"]


async def test_a_message_too_long_in_flight_is_listed(life):
    """Its last moment has passed, and nobody said what became of it."""
    scene = await life.scene()
    await life.begun()
    life.later(minutes=1)

    assert "looks it up" in (await kinds(life, scene))["in_flight"]


async def test_an_outcome_that_only_a_person_can_settle_names_the_command(life):
    """With the number of its attempt."""
    scene = await life.scene()
    _, lost = await life.lost()
    (due,) = await life.store.read(reconciling.due, now=life.now, limit=10)
    await life.store.write(reconciling.leave_to_others, due, why="no Sent folder")

    assert f"`relance attempt settle {lost.id} sent`" in (await kinds(life, scene))["unknown"]


@pytest.mark.parametrize(
    "looked_after, why, word",
    [
        (timedelta(), "in the Sent folder nothing is newer; an answer or `relance attempt settle` decides", "is newer"),
        (timedelta(days=31), "its mailbox cannot be read", "2 times in vain"),
    ],
)
async def test_an_outcome_that_no_look_will_settle_is_left_to_a_person(life, looked_after, why, word):
    """Once it says so itself, or after a month."""
    scene = await life.scene()
    _, lost = await life.lost()
    life.later(seconds=looked_after.total_seconds())
    for _ in range(2):
        (due,) = await life.store.read(reconciling.due, now=life.now, limit=10)
        await life.store.write(reconciling.look_again, due, why=why, now=life.now)
        again = await life.attempt(lost)
        life.later(seconds=(again.next_look_at - life.now).total_seconds())
    remedy = (await kinds(life, scene))["unknown"]

    assert word in remedy
    assert f"`relance attempt settle {lost.id} sent`" in remedy


async def test_an_outcome_that_nobody_looks_for_wants_an_engine(life):
    """Its look is long due."""
    scene = await life.scene()
    _, lost = await life.lost()
    life.later(hours=2)
    await life.read_all_freshly()
    (kind, remedy), *others = await stuck(life, scene)

    assert [] == others
    assert "unknown" == kind
    assert "start `relance run`" in remedy
    assert f"`relance attempt settle {lost.id} sent`" in remedy


@pytest.mark.parametrize("by_hand", ["resume", "--daily-cap"])
async def test_follow_ups_that_wait_for_a_stopped_mailbox_are_listed_once_for_it(life, by_hand):
    """A pause of some days is wanted; after a week it may have been forgotten."""
    scene = await life.scene(email("a", subject="A"), email("b", "1d"))
    await life.person(scene, "ben@lead.example")
    await life.send()
    await life.send()
    await life.mailbox(scene, "free@acme.example")
    if by_hand == "resume":
        await life.store.write(mailboxes.pause, await life.box(scene.box), reason="by hand", now=life.now)
    else:
        await change(life, scene, daily_cap=0)
    life.later(days=7)
    await life.read_all_freshly()
    early = await stuck(life, scene)
    life.later(days=2)
    await life.read_all_freshly()
    (kind, remedy), *others = await stuck(life, scene)

    assert [] == early
    assert [] == others
    assert "mailbox" == kind
    assert "2 of the people" in remedy
    assert by_hand in remedy
    assert f"`relance mailbox hand-over {scene.box.address}`" in remedy


async def test_an_outcome_of_a_removed_mailbox_is_still_listed(life):
    """It is looked for there, and a person who knows may say so."""
    scene = await life.scene()
    _, lost = await life.lost()
    await life.store.write(mailboxes.remove, scene.box, now=life.now)
    remedy = (await kinds(life, scene))["unknown"]

    assert "still looked for" in remedy
    assert f"`relance attempt settle {lost.id} sent`" in remedy


async def test_a_follow_up_whose_mailbox_was_removed_is_listed(life):
    """It stays where its thread began, so that only connecting it again moves it."""
    scene = await life.scene()
    await life.send()
    await life.mailbox(scene, "al@acme.example")
    await life.store.write(mailboxes.remove, await life.box(scene.box), now=life.now)
    life.later(days=2)

    assert "its mailbox was removed" in (await kinds(life, scene))["overdue"]


async def test_who_is_held_is_listed_with_what_to_decide(life):
    """A missing value names itself."""
    scene = await life.scene()
    await life.store.write(sending.quarantine, await life.reserved(), hold_reason="missing_value:company", now=life.now)
    remedy = (await kinds(life, scene))["held"]

    assert "`relance lead add ann@lead.example company=…`" in remedy
    assert "`relance enrollment resume --lead ann@lead.example`" in remedy


async def test_an_empty_pool_is_listed_once_for_its_sequence(life):
    """Whoever comes later will wait, too."""
    scene = await life.scene()
    await life.store.write(mailboxes.remove, scene.box, now=life.now)

    assert "relance mailbox add" in (await kinds(life, scene))["sequence"]


async def test_a_sequence_whose_mailboxes_are_all_paused_is_listed_while_somebody_waits(life):
    """A live sequence that sends nothing; where nobody is due, there is nothing to send."""
    scene = await life.scene()
    await life.store.write(mailboxes.pause, scene.box, reason="by hand", now=life.now)
    waiting = await kinds(life, scene)
    await life.store.write(enrollments.stop, **ids_of(scene), cause="to be alone", now=life.now)

    assert "none of its mailboxes sends (paused)" in waiting["sequence"]
    assert {} == await kinds(life, scene)


@pytest.mark.parametrize(
    "policy, word",
    [
        ({"daily_cap": 0}, "daily_cap"),
        ({"max_new_per_day": 0}, "max_new_per_day"),
        ({"window": Window(days=frozenset({0}), blackout=LATER_MONDAYS)}, "window_never_opens"),
        ({"quiet_hours": AT_WORK, "window": Window()}, "quiet_hours_cover_window"),
        ({"quiet_hours": AT_WORK, "window": Window(timezone="mailbox")}, "quiet_hours_cover_window"),
    ],
)
async def test_a_sequence_that_can_never_send_is_listed(life, policy, word):
    """By its own limits."""
    scene = await life.scene(**policy)
    life.later(days=7)
    await life.read_all_freshly()
    (kind, remedy), *others = await stuck(life, scene)

    assert [] == others
    assert "sequence" == kind
    assert word in remedy


@pytest.mark.parametrize("asked", [False, True])
async def test_a_sequence_whose_mailboxes_never_work_in_its_window_is_listed(life, asked):
    """Whether or not an engine has met it: its window is by day, and the mailbox works by night."""
    scene = await life.scene(window=Window())
    await change(life, scene, workday="18:00-23:00")
    life.later(days=7)
    await life.read_all_freshly()
    if asked:
        await life.attempt_to_reserve()

    assert "workday_misses_window" in (await kinds(life, scene))["sequence"]


async def test_hours_that_leave_a_part_of_the_window_are_no_standstill(life):
    """Quiet hours that leave an hour of it leave enough."""
    quiet = QuietHours(interval=Interval(start=time(8), end=time(18)))
    scene = await life.scene(window=Window(intervals=(Interval(start=time(17), end=time(19)),)), quiet_hours=quiet)
    life.later(days=7)
    await life.read_all_freshly()

    assert "sequence" not in await kinds(life, scene)


async def test_people_whose_own_hours_never_come_are_listed_once_for_their_sequence(life):
    """A window in the lead's zone may lie in the quiet hours of another; the gate has written so on the lead."""
    quiet = QuietHours(interval=Interval(start=time(8), end=time(18)), timezone="UTC")
    scene = await life.scene(window=Window(timezone="lead"), quiet_hours=quiet)
    await life.read_all_freshly()
    await life.attempt_to_reserve()
    life.later(days=7)
    await life.read_all_freshly()

    assert "quiet_hours_cover_window: 1 of its people" in (await kinds(life, scene))["sequence"]


async def test_a_mailbox_whose_cap_never_grows_from_nothing_sends_nothing(life):
    """Its ramp begins on the first day that it sends, which never comes."""
    scene = await life.scene()
    await change(life, scene, ramp=True, ramp_start=0, ramp_step=5)

    assert "its cap is 0" in (await kinds(life, scene))["sequence"]


async def test_who_waits_for_a_mailbox_that_nobody_can_read_is_listed(life):
    """An answer may lie there; without a person that goes on for ever."""
    scene = await life.scene()
    await life.send()
    life.later(days=2)
    (claimed,) = await life.claim()
    await life.reserve(claimed)
    ids = {"workspace_id": claimed.workspace_id, "enrollment_id": claimed.enrollment_id}
    await life.store.write(sending.put_off_unread, **ids, worker=WORKER, now=life.now)

    assert "mailbox_unread" in (await kinds(life, scene))["unread"]


async def test_a_message_that_nobody_reads_is_listed(life):
    """It may be an answer."""
    scene = await life.scene()
    raw = await life.send()
    await life.stage(scene.box, letters.reply(raw, at=life.now))
    life.later(minutes=20)

    assert "may be an answer" in (await kinds(life, scene))["not_understood"]
