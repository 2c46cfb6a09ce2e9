"""One workspace's many mailboxes keep nobody else's from being read or watched, at the start and after a cut."""

from dataclasses import replace

from engine.counting import CountingStore
from engine.rig import LIMITS, Parts, Rig, until
from relance.engine.connections import Connections
from relance.engine.surroundings import mailbox_of
from relance.engine.watcher import Watcher
from relance.ports.connector import MailboxUnreachableError
from relance.testing import builders
from relance.testing.fake_clock import FakeMonotonic
from relance.testing.fake_connector import FakeMailbox, Hold, Point

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
    store, hold = CountingStore(rig.store), Hold()
    around = replace(rig.around(limits=NARROW), store=store)
    for box in crowd:
        box.script(Point.WATCH, hold)
    watcher = Watcher(around, Connections(around), lambda _: None)
    await watcher.run_once()
    await until(lambda: store.counts["mailboxes.get"] == MANY + 2)
    await store.read(mailbox_of, await rig.box_name())  # whoever asked before has its answer, and waits for its turn
    hold.go.set()
    await until(lambda: alone.watched)
    watched = sum(box.watched for box in crowd)
    await until(lambda: all(box.watched for box in crowd))
    await watcher.close()

    assert watched < MANY / 4


class TickingMonotonic(FakeMonotonic):
    """A second passes between any two questions."""

    def seconds(self) -> float:
        """Move on and return the time."""
        self.advance(1.0)
        return super().seconds()


async def test_between_two_looks_at_every_mailbox_a_push_is_followed_and_nothing_else_is_looked_for(rig):
    """A look takes the longer the more there are; the less often it comes, and the sooner a push is followed."""
    box = await rig.prepare()
    monotonic = TickingMonotonic()
    parts = Parts(replace(rig.around(), monotonic=monotonic))
    await parts.poller.run_once()
    await until(lambda: parts.poller.idle)
    new = await rig.mailbox("new@ours.example")
    parts.poller.want(await rig.box_name())
    await parts.poller.run_once()
    await until(lambda: parts.poller.idle)
    before = (box.reads, new.reads)
    monotonic.advance(1000.0)
    await parts.poller.run_once()
    await until(lambda: new.reads > 0)

    assert (2, 0) == before


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
