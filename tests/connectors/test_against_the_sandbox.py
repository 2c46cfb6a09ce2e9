"""The connector against the sandbox's servers: the demo stands on both."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import uvloop

from relance.connectors.smtp_imap.factory import SmtpImapFactory
from relance.ports.connector import Connector, Credentials
from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import Account, Domain, Security
from relance.sandbox.faults import NO_FAULTS
from relance.sandbox.world import World
from relance.testing.connector_suite import Subject, exercise
from relance.testing.moments import MONDAY

REWRITING = Domain(name="rewriting.example", security=Security.TLS, rewrites_message_id=True)


def secret_of(account: Account) -> Callable[[], Awaitable[str]]:
    """Return the account's secret as Credentials take it."""

    async def ask() -> str:
        return account.password

    return ask


def connect(account: Account) -> Connector:
    """Return a connector to an account."""
    settings = {"smtp": str(account.smtp), "imap": str(account.imap), "ca_file": str(account.ca_file)}
    credentials = Credentials(username=account.username, secret=secret_of(account))
    return SmtpImapFactory().connect(address=account.address, settings=settings, credentials=credentials)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Return a world without faults, with a mailbox on each of its default domains."""
    world = World(clock=SandboxClock(MONDAY), seed=1, directory=tmp_path, faults=NO_FAULTS, mailboxes=3)
    await world.start()
    yield world
    await world.stop()


@pytest.mark.parametrize("number", [0, 1, 2])
async def test_the_conformance_suite_holds_on_every_default_domain(world: World, number: int):
    """TLS, STARTTLS and plain; with and without CONDSTORE; folders in three styles."""
    account = world.accounts[number]
    connector = connect(account)
    await exercise(connector, Subject(address=account.address, now=lambda: MONDAY))
    await connector.close()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_conformance_suite_holds_on_uvloop(tmp_path: Path, number: int):
    """The product runs on it: other transports, other errors, the same promises."""

    async def run() -> None:
        world = World(clock=SandboxClock(MONDAY), seed=1, directory=tmp_path, faults=NO_FAULTS, mailboxes=3)
        await world.start()
        account = world.accounts[number]
        connector = connect(account)
        await exercise(connector, Subject(address=account.address, now=lambda: MONDAY))
        await connector.close()
        await world.stop()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())


async def test_the_conformance_suite_holds_where_ids_are_rewritten(tmp_path: Path):
    """The check learns it, and the trace header still finds what was sent."""
    world = World(
        clock=SandboxClock(MONDAY), seed=1, directory=tmp_path, domains=[REWRITING], faults=NO_FAULTS, mailboxes=1
    )
    await world.start()
    try:
        account = world.accounts[0]
        connector = connect(account)
        async with asyncio.timeout(60):
            await exercise(connector, Subject(address=account.address, now=lambda: MONDAY, rewrites_ids=True))
        await connector.close()
    finally:
        await world.stop()
