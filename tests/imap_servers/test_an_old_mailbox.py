"""First contact with a mailbox of many years: what can matter is fetched, and the rest costs next to nothing."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from imap_servers.interposer import Interposer
from imap_servers.servers import FakeServer, fake_site
from imap_servers.site import Site, letter, subjects
from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import ENGLISH, Domain, Security
from relance.sandbox.faults import NO_FAULTS
from relance.sandbox.mailstore import Use
from relance.sandbox.world import World
from relance.testing.connector_suite import Reader
from relance.testing.moments import MONDAY

OLD = 200_000


@pytest.fixture
async def old_mailbox(tmp_path: Path) -> AsyncIterator[tuple[Site, World, Interposer]]:
    """Return a mailbox whose INBOX holds 200,000 messages of years ago, and what counts the responses to us."""
    domain = Domain(name="north.example", security=Security.PLAIN, folders=ENGLISH)
    world = World(
        clock=SandboxClock(MONDAY), seed=1, directory=tmp_path, domains=[domain], faults=NO_FAULTS, mailboxes=1
    )
    await world.start()
    site = fake_site(FakeServer(domain=domain), world)
    inbox, old = world.mailbox(site.address).store.by_use(Use.INBOX), letter(site, "old")
    for number in range(OLD):
        inbox.append(old, at=MONDAY - timedelta(days=4000) + timedelta(minutes=number))
    between = Interposer(site.endpoints[0].port)
    await between.start()
    yield site, world, between
    await site.close()
    await between.stop()
    await world.stop()


async def test_two_hundred_thousand_old_messages_cost_a_handful_of_responses(
    old_mailbox: tuple[Site, World, Interposer],
):
    """The server searches; of the old ones not even a number crosses the wire, at first contact and ever after."""
    site, _, between = old_mailbox
    await site.deliver("new", "newer")
    connector = site.connect(through=f"127.0.0.1:{between.port}:plain")
    reader = Reader(connector, MONDAY - timedelta(days=1))
    first = subjects(await reader.read())
    responses, between.passed = between.passed, 0
    await site.deliver("newest")
    second = subjects(await reader.read())
    between_reads = between.passed

    assert ["new", "newer"] == first
    assert ["newest"] == second
    assert responses < 100
    assert between_reads < 30


async def test_a_rebuilt_mailbox_of_that_size_is_read_again_from_its_new_end(
    old_mailbox: tuple[Site, World, Interposer],
):
    """Another UIDVALIDITY over 200,000 messages: read again from `since`, not from the first."""
    site, world, between = old_mailbox
    await site.deliver("new")
    connector = site.connect(through=f"127.0.0.1:{between.port}:plain")
    reader = Reader(connector, MONDAY - timedelta(days=1))
    await reader.read()
    world.mailbox(site.address).store.by_use(Use.INBOX).rebuild()
    between.passed = 0
    again = subjects(await reader.read())

    assert ["new"] == again
    assert between.passed < 50
