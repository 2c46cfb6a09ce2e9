"""What every connector must do, whatever protocol stands behind it.

`await exercise(connector, subject)` returns, or an assertion says what is wrong. The mailbox must be able to write to
itself and must have a folder for sent mail; nobody else may use it meanwhile. The suite looks at the server only
through the connector, so it runs against scripted, sandboxed and real servers alike.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import format_datetime

from relance.ports.connector import (
    Accepted,
    Connector,
    Cursor,
    Envelope,
    FetchedMessage,
    FolderRole,
    Found,
    NotFound,
    NotReleasedError,
    Sought,
)

TRACE_HEADER = "X-Suite-Trace"
COPY_HEADER = "X-Suite-Copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The mailbox behind the connector."""

    address: str
    now: Callable[[], datetime]  #: The server's clock; it may stand still.
    patience: float = 20.0  #: Real seconds that an arrival may take.
    rewrites_ids: bool = False  #: Whether the sending side replaces Message-IDs.


class Reader:
    """Reads through a connector and keeps the cursors, as the engine does."""

    def __init__(self, connector: Connector, since: datetime) -> None:
        self.connector = connector
        self.since = since
        self.cursors: dict[str, Cursor] = {}

    async def read(self) -> list[FetchedMessage]:
        """Return what is new."""
        messages: list[FetchedMessage] = []
        async for batch in self.connector.read(dict(self.cursors), since=self.since):
            messages.extend(batch.messages)
            self.cursors[batch.cursor.folder] = batch.cursor
        return messages

    async def wait_for(self, trace: str, patience: float) -> list[FetchedMessage]:
        """Read until the message with `trace` is in INBOX, and return everything that was read."""
        seen: list[FetchedMessage] = []
        async with asyncio.timeout(patience):
            while not any(_bears(message, trace) and message.role is FolderRole.INBOX for message in seen):
                seen.extend(await self.read())
                await asyncio.sleep(0.05)
        return seen


async def exercise(connector: Connector, subject: Subject) -> None:
    """Run every check, one after the other, over one connector; it is closed twice on the way."""
    for check in CHECKS:
        await check(connector, subject)


async def check_nothing_new_yields_nothing(connector: Connector, subject: Subject) -> None:
    """Every folder gets a cursor at first contact; the second read has nothing to say."""
    reader = Reader(connector, subject.now() - timedelta(hours=1))
    await reader.read()
    cursors = dict(reader.cursors)
    again = await reader.read()

    assert [] == again
    assert cursors == reader.cursors
    assert {FolderRole.INBOX, FolderRole.SENT} <= {cursor.role for cursor in cursors.values()}


async def check_only_a_released_message_leaves(connector: Connector, subject: Subject) -> None:
    """Stage four messages: discarded, forgotten, stopped by the last look, released; only the last arrives, once."""
    reader = Reader(connector, subject.now() - timedelta(hours=1))
    await reader.read()
    discarded = await connector.stage(compose(subject, "discarded"))
    await discarded.discard()
    await connector.stage(compose(subject, "forgotten"))
    stopped = await connector.stage(compose(subject, "stopped"))
    try:
        await stopped.release(may_leave=lambda: False, time_limit=subject.patience)
    except NotReleasedError:
        pass
    else:
        raise AssertionError("a message left although the last look said no")
    released = await connector.stage(compose(subject, "released"))
    answer = await released.release(may_leave=lambda: True, time_limit=subject.patience)
    seen = await reader.wait_for(trace_of(subject, "released"), subject.patience)
    arrived = [message for message in seen if message.role is FolderRole.INBOX]

    assert isinstance(answer, Accepted)
    assert ["released"] == [
        word for word in ("discarded", "forgotten", "stopped", "released") if _any(arrived, subject, word)
    ]
    assert 1 == sum(_bears(message, trace_of(subject, "released")) for message in arrived)


async def check_cursors_alone_decide(connector: Connector, subject: Subject) -> None:
    """Old cursors bring the same messages again, byte for byte; new ones do not."""
    reader = Reader(connector, subject.now() - timedelta(hours=1))
    await reader.read()
    before = dict(reader.cursors)
    await _send(connector, subject, "cursor")
    await reader.wait_for(trace_of(subject, "cursor"), subject.patience)
    await asyncio.sleep(0.2)  # a copy in Sent may come a moment later
    await reader.read()
    reader.cursors = dict(before)
    first = await reader.read()
    reader.cursors = dict(before)
    second = await reader.read()

    assert first == second
    assert any(_bears(message, trace_of(subject, "cursor")) for message in first)
    assert [] == await reader.read()


async def check_a_saved_copy_is_found(connector: Connector, subject: Subject) -> None:
    """Find a copy by its Message-ID, and by its trace alone.

    What was never sent is absent, and that counts once a later message is there.
    """
    since = subject.now() - timedelta(hours=2)
    envelope = compose(subject, "saved")
    await connector.save_sent(envelope.raw, at=subject.now())
    nothing = await connector.find_sent(_sought(subject, "never", since=since))
    premature = await connector.find_sent(_sought(subject, "never", since=subject.now() + timedelta(hours=1)))
    by_id = await connector.find_sent(_sought(subject, "saved", since=since, trace="unknown"))
    by_trace = await connector.find_sent(
        _sought(subject, "saved", since=since, message_id="<rewritten@elsewhere.example>")
    )

    assert isinstance(by_id, Found)
    assert isinstance(by_trace, Found)
    assert envelope.message_id == by_id.wire_message_id == by_trace.wire_message_id
    assert isinstance(nothing, NotFound)
    assert nothing.witness is not None
    assert since < nothing.witness
    assert NotFound(witness=None) == premature


async def check_a_copy_that_we_put_there_is_no_witness(connector: Connector, subject: Subject) -> None:
    """Find a copy with our mark, but let it say nothing about others; prefer the server's own."""
    header = "X-Suite-Witness"  # which nothing else in the folder bears
    ours, both = compose(subject, "ours"), compose(subject, "both")
    mark = f"{COPY_HEADER}: by-client\r\n".encode()
    never, only_ours = (
        replace(_sought(subject, word, since=subject.now() - timedelta(hours=2)), trace_header=header)
        for word in ("never", "ours")
    )
    await connector.save_sent(mark + ours.raw.replace(TRACE_HEADER.encode(), header.encode()), at=subject.now())
    await connector.save_sent(mark + both.raw, at=subject.now())
    await connector.save_sent(both.raw, at=subject.now())
    absent, by_us = await connector.find_sent(never), await connector.find_sent(only_ours)
    by_server = await connector.find_sent(_sought(subject, "both", since=subject.now()))

    assert NotFound(witness=None) == absent
    assert isinstance(by_us, Found)
    assert by_us.by_us
    assert isinstance(by_server, Found)
    assert not by_server.by_us


async def check_a_watcher_is_told(connector: Connector, subject: Subject) -> None:
    """Watch: new mail in INBOX rings, again and again."""
    rings = asyncio.Queue[None]()
    watching = asyncio.ensure_future(connector.watch(lambda: rings.put_nowait(None)))
    try:
        async with asyncio.timeout(subject.patience):
            await rings.get()  # the first call says that somebody listens
            for word in ("ring once", "ring twice"):
                await _send(connector, subject, word)
                await rings.get()
        assert not watching.done()
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def check_closing_is_not_the_end(connector: Connector, subject: Subject) -> None:
    """Close twice, then use it: a closed connector opens what it needs again."""
    await connector.close()
    await connector.close()
    reader = Reader(connector, subject.now() - timedelta(hours=1))
    await reader.read()
    await _send(connector, subject, "reopened")
    await reader.wait_for(trace_of(subject, "reopened"), subject.patience)
    await connector.close()


async def check_a_check_learns_the_truth(connector: Connector, subject: Subject) -> None:
    """Check: the probe arrives, every step passes, and what is learned agrees with the server."""
    report = await connector.check(compose(subject, "probe"), sleep=_nap)

    assert report.ok, report.steps
    assert report.saves_sent is not None
    assert (not subject.rewrites_ids) == report.ids_survive


CHECKS: tuple[Callable[[Connector, Subject], Awaitable[None]], ...] = (
    check_nothing_new_yields_nothing,
    check_only_a_released_message_leaves,
    check_cursors_alone_decide,
    check_a_saved_copy_is_found,
    check_a_copy_that_we_put_there_is_no_witness,
    check_a_watcher_is_told,
    check_closing_is_not_the_end,
    check_a_check_learns_the_truth,
)


def compose(subject: Subject, word: str) -> Envelope:
    """Return a message of the mailbox to itself; the body has lines that begin with dots."""
    message_id = f"<{trace_of(subject, word)}@{subject.address.rpartition('@')[2]}>"
    lines = (
        f"From: {subject.address}",
        f"To: {subject.address}",
        f"Subject: {word}",
        f"Date: {format_datetime(subject.now())}",
        f"Message-ID: {message_id}",
        f"{TRACE_HEADER}: {trace_of(subject, word)}",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=us-ascii",
        "",
        f"This is {word}.",
        ".",
        "..two dots",
        "",
    )
    raw = "\r\n".join(lines).encode("ascii")
    return Envelope(sender=subject.address, recipient=subject.address, message_id=message_id, raw=raw)


def trace_of(subject: Subject, word: str) -> str:
    """Return the mark of one message, the same each time."""
    return hashlib.blake2b(f"{subject.address} {word}".encode(), digest_size=12).hexdigest()


async def _nap(seconds: float) -> None:
    """Wait a tenth of what a patient check waits: servers of tests are near."""
    await asyncio.sleep(seconds / 10)


async def _send(connector: Connector, subject: Subject, word: str) -> None:
    staged = await connector.stage(compose(subject, word))
    await staged.release(may_leave=lambda: True, time_limit=subject.patience)


def _sought(
    subject: Subject, word: str, *, since: datetime, message_id: str | None = None, trace: str | None = None
) -> Sought:
    return Sought(
        message_ids=(message_id or compose(subject, word).message_id,),
        trace_header=TRACE_HEADER,
        trace=trace or trace_of(subject, word),
        copy_header=COPY_HEADER,
        recipient=subject.address,
        since=since,
    )


def _bears(message: FetchedMessage, trace: str) -> bool:
    return f"{TRACE_HEADER}: {trace}".encode() in message.raw


def _any(messages: list[FetchedMessage], subject: Subject, word: str) -> bool:
    return any(_bears(message, trace_of(subject, word)) for message in messages)
