"""What ought to move and does not."""

from relance.core.failure import MailboxTrouble
from relance.core.mailbox import MailboxStatus
from relance.services import enrollments, mailboxes, reports
from relance.testing.builders import email


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
