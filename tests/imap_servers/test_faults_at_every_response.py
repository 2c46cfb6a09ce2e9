"""Whatever goes wrong with whichever response of a whole read: the port's errors, and in the end all mail, whole."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from acceptance.realservers.layouts import Role
from imap_servers.interposer import Interposer, Spoil
from imap_servers.servers import FakeServer, fake_site
from imap_servers.site import Site, subject_of
from relance.connectors.smtp_imap.surveying import SWEEP_SECONDS
from relance.ports.connector import LoginRefusedError, MailboxUnreachableError, ReadingFailedError
from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import ENGLISH, Capability, Domain, Security
from relance.sandbox.faults import NO_FAULTS
from relance.sandbox.world import World
from relance.testing.connector_suite import Reader
from relance.testing.moments import MONDAY

TAGGED = re.compile(rb"(R\d+) (?:OK|NO|BAD)")
CAPABILITIES = {
    "every extension": frozenset(Capability) - {Capability.GMAIL},
    "no extension": frozenset[Capability](),
}


def refused(answer: bytes) -> Spoil:
    """Return what makes a refusal of the end of a command, and leaves everything else as it is."""

    def spoil(response: bytes) -> bytes:
        tagged = TAGGED.match(response)
        return tagged[1] + b" " + answer + b"\r\n" if tagged else response

    return spoil


#: What becomes of the response, and whether the connection goes on afterwards.
SPOILT: dict[str, tuple[Spoil, bool]] = {
    "the connection ends before it": (lambda _: b"", False),
    "the connection ends in the middle of it": (lambda response: response[: len(response) // 2], False),
    "the server says goodbye instead": (lambda _: b"* BYE [UNAVAILABLE] Shutting down\r\n", False),
    "it never comes": (lambda _: None, False),
    "it is left out": (lambda _: b"", True),
    "something that is no IMAP comes instead": (lambda _: b"\x00\xff<html>502 Bad Gateway</html>\r\n", True),
    "a literal without end is announced": (lambda _: b"* 1 FETCH (BODY[] {99999999999}\r\n", True),
    "news that nobody asked for comes before it": (
        lambda response: b"* OK [ALERT] Hello\r\n* 0 RECENT\r\n* FLAGS ()\r\n" + response,
        True,
    ),
    "it comes twice": (lambda response: response if TAGGED.match(response) else response * 2, True),
    "the command is refused for its crowd": (refused(b"NO [LIMIT] Too many commands"), True),
    "the command is refused for trouble inside": (refused(b"NO [SERVERBUG] Internal error"), True),
    "the command is not understood": (refused(b"BAD Unknown command"), True),
}
SILENT = {"it never comes", "it is left out", "a literal without end is announced"}
Stage = tuple[Site, Interposer, World]


@pytest.fixture(params=list(CAPABILITIES))
async def stage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stage]:
    """Return a mailbox with mail in four folders, and what stands before its server."""
    domain = Domain(
        name="north.example", security=Security.PLAIN, folders=ENGLISH, capabilities=CAPABILITIES[request.param]
    )
    world = World(
        clock=SandboxClock(MONDAY), seed=1, directory=tmp_path, domains=[domain], faults=NO_FAULTS, mailboxes=1
    )
    await world.start()
    site = fake_site(FakeServer(domain=domain), world)
    await site.deliver("one", "two", "three")
    await site.put(site.folder(Role.SENT).wire, "sent")
    await site.put(site.folder(Role.JUNK).wire, "junk")
    before = Interposer(site.endpoints[0].port)
    await before.start()
    yield site, before, world
    await site.close()
    await before.stop()
    await world.stop()


async def read_through(site: Site, before: Interposer, *, patience: float) -> list[tuple[str, bool]]:
    """Read until a read succeeds, the first time with whatever is armed, and once more at the next sweep."""
    connector = site.connect(
        through=f"127.0.0.1:{before.port}:plain", command_seconds=patience, connect_seconds=patience
    )
    reader = Reader(connector, site.now())
    found = []
    for _ in range(4):
        try:
            async for batch in connector.read(dict(reader.cursors), since=site.now()):
                reader.cursors[batch.cursor.folder] = batch.cursor
                found += [(subject_of(message), message.truncated) for message in batch.messages]
        except (ReadingFailedError, MailboxUnreachableError, LoginRefusedError):
            before.disarm()
        else:
            break
    before.disarm()
    site.time.pass_by(SWEEP_SECONDS + 1)
    found += [(subject_of(message), message.truncated) for message in await reader.read()]
    await connector.close()
    return found


@pytest.mark.parametrize("fault", list(SPOILT))
async def test_a_fault_at_any_response_loses_and_cuts_nothing(stage: Stage, fault: str):
    """Every response of a first read in turn, from the greeting to the last: nothing missed, cut or touched."""
    site, before, world = stage
    spoil, stays_open = SPOILT[fault]
    twice = fault == "it is left out"  # without its UIDVALIDITY a folder is another one, and is read again
    wrong, at, reached = {}, 0, True
    whole = sorted((subject, False) for subject in ("one", "two", "three", "sent", "junk"))
    while reached:
        before.arm(at, spoil, stays_open=stays_open)
        found = await read_through(site, before, patience=0.2 if fault in SILENT else 5.0)
        if sorted(set(found) if twice else found) != whole:
            wrong[at] = found
        reached = before.passed > at
        at += 1
    flags = {message.flags for folder in world.mailbox(site.address).store for message in folder}

    assert {} == wrong
    assert {frozenset()} == flags
    assert at > 50
