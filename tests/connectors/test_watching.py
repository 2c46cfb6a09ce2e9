"""Being told of new mail: at once, before anything is answered, and never by a socket that died in silence."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from connectors.imap_mailbox import Mailbox, message
from connectors.scripted import LIMIT, Answer, FakeTime, Peer, ScriptedServer, connector, serving
from relance.ports.connector import ConnectorError, MailboxUnreachableError, ReadingFailedError


class Watcher:
    """Runs `watch` and counts the calls of `on_change`."""

    def __init__(self, server: ScriptedServer, time: FakeTime, **wishes: float) -> None:
        self.rings = 0
        self._rang = asyncio.Event()
        self.connector = connector(imap=server, time=time, **dict[str, Any](wishes))
        self.task = asyncio.ensure_future(self.connector.watch(self._ring))

    def _ring(self) -> None:
        self.rings += 1
        self._rang.set()

    async def heard(self, rings: int) -> None:
        """Wait until `on_change` has been called that often."""
        async with asyncio.timeout(LIMIT):
            while self.rings < rings:
                self._rang.clear()
                await self._rang.wait()

    async def error(self) -> ConnectorError:
        """Wait for the error that ends the watch."""
        async with asyncio.timeout(LIMIT):
            try:
                await self.task
            except ConnectorError as error:
                return error
        raise AssertionError("the watch ended without an error")


@asynccontextmanager
async def watching(server: ScriptedServer, time: FakeTime, **wishes: float) -> AsyncIterator[Watcher]:
    """Watch a server's INBOX."""
    watcher = Watcher(server, time, **wishes)
    try:
        yield watcher
    finally:
        watcher.task.cancel()
        await asyncio.gather(watcher.task, return_exceptions=True)


Play = Callable[[Peer, str], Awaitable[None]]


def idling(*plays: Play) -> Mailbox:
    """Return a server whose successive IDLEs are played so, with one message in INBOX."""
    mailbox = Mailbox(folders={"INBOX": [message(1)]})

    def answer(play: Play) -> Answer:
        async def idle(peer: Peer, tag: str, _: str) -> None:
            await play(peer, tag)

        return idle

    mailbox.answers["IDLE"] = [answer(play) for play in plays]
    return mailbox


async def test_new_mail_rings_at_once_and_nothing_is_answered():
    """The hint is passed on while IDLE goes on: the server hears nothing."""

    async def news(peer: Peer, _: str) -> None:
        await peer.send("+ idling", "* OK still here", "* 2 EXISTS", "* 2 RECENT")
        await peer.send("* 1 FETCH (FLAGS (\\Seen))", "* 3 EXISTS")
        assert b"" == await peer.line()

    async with serving(idling(news)) as server, watching(server, FakeTime()) as watcher:
        await watcher.heard(3)

    assert 3 == watcher.rings


async def test_the_watch_begins_with_a_call():
    """What came while nobody listened is looked for at once."""
    async with serving(idling(never_end)) as server, watching(server, FakeTime()) as watcher:
        await watcher.heard(1)

    assert 1 == watcher.rings


async def test_the_owner_tidying_up_does_not_ring():
    """A count that falls is no new mail; one that rises again is."""

    async def tidy(peer: Peer, _: str) -> None:
        await peer.send("+ idling", "* 1 EXPUNGE", "* 0 EXISTS", "* 1 EXISTS")
        await peer.hang()

    async with serving(idling(tidy)) as server, watching(server, FakeTime()) as watcher:
        await watcher.heard(2)
        await asyncio.sleep(0.02)

    assert 2 == watcher.rings


async def test_idle_is_renewed_in_time_and_news_between_two_idles_is_heard():
    """Before 29 minutes (RFC 2177); what comes after DONE, or before `+`, rings too."""
    time = FakeTime()
    renewed = asyncio.Event()

    async def first(peer: Peer, tag: str) -> None:
        await peer.send("+ idling")
        await peer.expect("DONE")
        await peer.send("* 2 EXISTS", f"{tag} OK idled")

    async def second(peer: Peer, _: str) -> None:
        await peer.send("* 3 EXISTS", "+ idling")
        renewed.set()
        await peer.hang()

    mailbox = idling(first, second)
    async with serving(mailbox) as server, watching(server, time, idle_renew_seconds=1700) as watcher:
        await time.asleep()
        time.pass_by(1699)
        await asyncio.sleep(0.02)
        before = renewed.is_set()
        time.pass_by(1)
        await watcher.heard(3)
        await renewed.wait()

    assert not before
    assert 2 == len(mailbox.said("IDLE"))


async def test_a_socket_that_died_in_silence_is_noticed_at_the_renewal():
    """DONE is not answered: the watch ends with an error instead of looking healthy for ever."""
    time = FakeTime()

    async def silent(peer: Peer, _: str) -> None:
        await peer.send("+ idling")
        await peer.hang()

    async with serving(idling(silent)) as server, watching(server, time, command_seconds=0.2) as watcher:
        await time.asleep()
        time.pass_by(600)
        error = await watcher.error()

    assert isinstance(error, ReadingFailedError)


async def close(peer: Peer, _: str) -> None:
    """Close in IDLE."""
    await peer.send("+ idling")
    peer.close()


async def abort(peer: Peer, _: str) -> None:
    """Break in IDLE."""
    await peer.send("+ idling")
    peer.abort()


async def bye(peer: Peer, _: str) -> None:
    """Say goodbye in IDLE, and keep the line open."""
    await peer.send("+ idling", "* BYE autologout")
    await peer.hang()


async def garbage(peer: Peer, _: str) -> None:
    """Stop speaking IMAP in IDLE."""
    await peer.send("+ idling", "HTTP/1.1 502 Bad Gateway")
    await peer.hang()


async def end(peer: Peer, tag: str) -> None:
    """End IDLE unasked."""
    await peer.send("+ idling", f"{tag} OK that is enough")
    await peer.hang()


async def never_end(peer: Peer, _: str) -> None:
    """Idle without news."""
    await peer.send("+ idling")
    await peer.hang()


async def never_begin(peer: Peer, _: str) -> None:
    """Take IDLE and say nothing at all."""
    await peer.hang()


@pytest.mark.parametrize("play", [close, abort, bye, garbage, end, never_begin])
async def test_whatever_ends_idle_ends_the_watch_with_an_error(play: Play):
    """The caller connects again with back-off."""
    async with serving(idling(play)) as server, watching(server, FakeTime(), command_seconds=0.3) as watcher:
        error = await watcher.error()

    assert isinstance(error, ReadingFailedError)


async def test_nobody_there_is_unreachable():
    """As with reading."""
    async with serving() as server:
        pass
    async with watching(server, FakeTime()) as watcher:
        assert isinstance(await watcher.error(), MailboxUnreachableError)


@pytest.mark.parametrize("offered", [True, False])
async def test_without_idle_the_server_is_asked(offered: bool):  # noqa: FBT001 - a parameter
    """Not offered, or offered and refused: NOOP, as often as the settings say."""
    time = FakeTime()
    mailbox = Mailbox(capabilities="IMAP4rev1 IDLE" if offered else "IMAP4rev1", folders={"INBOX": [message(1)]})
    mailbox.answers["IDLE"] = ["{tag} NO not today"]
    answers: list[Answer] = [["{tag} OK nothing"], ["* 2 EXISTS", "{tag} OK news"]]
    mailbox.answers["NOOP"] = answers
    async with serving(mailbox) as server, watching(server, time, poll_seconds=60) as watcher:
        for _ in range(2):
            await time.asleep()
            time.pass_by(60)
        await watcher.heard(2)

    assert 2 == watcher.rings
    assert (1 if offered else 0) == len(mailbox.said("IDLE"))


async def test_closing_the_connector_ends_the_watch():
    """No task stays behind."""
    async with serving(idling(never_end)) as server, watching(server, FakeTime()) as watcher:
        await watcher.heard(1)
        await watcher.connector.close()

        assert isinstance(await watcher.error(), ReadingFailedError)
