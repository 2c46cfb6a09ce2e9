"""One workspace's many mailboxes keep nobody else's from being read or watched, at the start and after a cut."""

from dataclasses import replace

from engine.rig import LIMITS, Parts, Rig, until
from relance.engine.watcher import Watcher
from relance.ports.connector import MailboxUnreachableError
from relance.testing import builders
from relance.testing.fake_connector import FakeMailbox, Point

MANY = 200
NARROW = replace(LIMITS, reads_at_once=4, opens_at_once=4)


async def two_workspaces(rig: Rig) -> tuple[list[FakeMailbox], FakeMailbox]:
    """Connect many mailboxes for one workspace and then one for another; return them as their servers see them."""
    await rig.prepare()
    crowd = [await rig.mailbox(f"bo{number}@ours.example") for number in range(MANY)]
    other = await rig.store.write(builders.workspace, name="other")
    return crowd, await rig.mailbox("eve@theirs.example", workspace=other)


async def test_the_only_mailbox_of_a_workspace_is_read_among_the_first(rig):
    """It came last of two hundred, and is read after a handful."""
    crowd, alone = await two_workspaces(rig)
    parts = Parts(rig.around(limits=NARROW))
    await parts.poller.run_once()
    await until(lambda: alone.reads > 0)

    assert sum(box.reads for box in crowd) < MANY / 4
    await until(lambda: all(box.reads for box in crowd))


async def test_the_only_mailbox_of_a_workspace_is_watched_among_the_first(rig):
    """The same for opening the notification, whose number at once is bounded as well."""
    crowd, alone = await two_workspaces(rig)
    parts = Parts(rig.around(limits=NARROW))
    watcher = Watcher(rig.around(limits=NARROW), parts.connections, lambda _: None)
    await watcher.run_once()
    await until(lambda: alone.watched)
    watched = sum(box.watched for box in crowd)
    await until(lambda: all(box.watched for box in crowd))
    await watcher.close()

    assert watched < MANY / 4


async def test_after_a_cut_they_come_back_at_different_moments(rig):
    """Each in its own time: at no moment do all of them knock."""
    crowd, _ = await two_workspaces(rig)
    parts = Parts(rig.around(limits=NARROW))
    for box in crowd:
        box.script(Point.WATCH, *[MailboxUnreachableError("reset by peer")] * 2)
    watcher = Watcher(rig.around(limits=NARROW), parts.connections, lambda _: None)
    await watcher.run_once()
    await until(lambda: len(rig.monotonic.sleepers) >= MANY)
    waits = rig.monotonic.sleepers
    await watcher.close()

    assert 1 <= min(waits)
    assert max(waits) <= 2
    assert len({round(wait, 2) for wait in waits}) > MANY / 4
