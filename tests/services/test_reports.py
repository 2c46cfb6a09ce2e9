"""What ought to move and does not."""

from datetime import timedelta

import pytest

from relance.core.failure import MailboxTrouble
from relance.core.mailbox import MailboxStatus
from relance.core.sequence import Window
from relance.services import enrollments, mailboxes, reconciling, reports, sending
from relance.testing import letters
from relance.testing.builders import email
from relance.testing.fake_clock import MONDAY
from services.life import WORKER

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
        ({"window": Window(days=frozenset({0}), blackout=LATER_MONDAYS)}, "window_never_opens"),
    ],
)
async def test_a_sequence_that_can_never_send_is_listed(life, policy, word):
    """By its own limits."""
    scene = await life.scene(**policy)
    life.later(days=7)
    await life.read_all_freshly()

    assert word in (await kinds(life, scene))["sequence"]


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
