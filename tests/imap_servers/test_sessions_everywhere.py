"""Logging in, finding what was sent, filing copies and being cut off, on every server."""

import asyncio
from datetime import timedelta

import pytest

from acceptance.realservers.layouts import Role
from connectors.scripted import LIMIT
from imap_servers.site import Site, subjects
from relance.ports.connector import FolderRole, Found, LoginRefusedError, NotFound, Sought
from relance.testing.connector_suite import COPY_HEADER, TRACE_HEADER, Reader


def sought(site: Site, trace: str) -> Sought:
    """Return every mark of a message of ours."""
    return Sought(
        message_ids=(f"<{trace}@north.example>",),
        trace_header=TRACE_HEADER,
        trace=trace,
        copy_header=COPY_HEADER,
        recipient="whoever@south.example",
        since=site.now() - timedelta(days=2),
    )


def ours(trace: str, *, message_id: str | None = None) -> bytes:
    """Return a message of ours as it lies in Sent."""
    lines = [f"Message-ID: <{message_id or trace}@north.example>", f"{TRACE_HEADER}: {trace}", "Subject: ours", "", "x"]
    return "\r\n".join(lines).encode()


async def test_every_protection_that_the_server_has_leads_in(site: Site):
    """TLS from the first byte, by STARTTLS, and none on this machine: the same mailbox."""
    await site.deliver("hello")
    readers = [Reader(site.connect(through=each), site.now() - timedelta(hours=1)) for each in site.endpoints]
    found = [subjects(await reader.read()) for reader in readers]

    assert [["hello"]] * len(site.endpoints) == found


async def test_a_wrong_password_is_refused_for_good(site: Site):
    """A person has to look; the words are the server's own, and the advice is ours."""
    with pytest.raises(LoginRefusedError, match="check user name and password") as refused:
        await Reader(site.connect(password="not the password"), site.now()).read()

    assert not refused.value.temporary


async def test_a_message_of_ours_is_found_by_any_of_its_marks(site: Site):
    """By Message-ID, and by its trace where a relay has given it another; what was never sent is not there."""
    await asyncio.to_thread(site.owner.put, site.folder(Role.SENT).wire, ours("plain"), at=site.now())
    await asyncio.to_thread(
        site.owner.put, site.folder(Role.SENT).wire, ours("traced", message_id="rewritten"), at=site.now()
    )
    connector = site.connect()
    by_id = await connector.find_sent(sought(site, "plain"))
    by_trace = await connector.find_sent(sought(site, "traced"))
    never = await connector.find_sent(sought(site, "never"))

    assert isinstance(by_id, Found)
    assert "<plain@north.example>" == by_id.wire_message_id
    assert isinstance(by_trace, Found)
    assert "<rewritten@north.example>" == by_trace.wire_message_id
    assert isinstance(never, NotFound)


async def test_a_copy_that_we_file_lies_in_the_folder_for_sent_mail(site: Site):
    """Where the owner's programs look for it, not in a folder beside it."""
    connector = site.connect()
    await connector.save_sent(f"{COPY_HEADER}: by-us\r\n".encode() + ours("copy"), at=site.now())
    found = await Reader(connector, site.now() - timedelta(hours=1)).read()

    assert [(site.folder(Role.SENT).name, FolderRole.SENT)] == [(each.folder, each.role) for each in found]


async def test_a_second_reader_and_a_watcher_disturb_nobody(site: Site):
    """Several connections to one mailbox, as a person's phone and programs have."""
    rings = asyncio.Queue[None]()
    one, other = site.reader(), site.reader()
    watching = asyncio.ensure_future(one.connector.watch(lambda: rings.put_nowait(None)))
    async with asyncio.timeout(LIMIT):
        await rings.get()
    await one.read()
    await other.read()
    await site.deliver("for everybody")
    both = [subjects(await reader.read()) for reader in (one, other)]
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)

    assert [["for everybody"], ["for everybody"]] == both
