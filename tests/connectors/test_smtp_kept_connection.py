"""One SMTP connection for many messages, replaced only where nothing can be doubled."""

import asyncio

import pytest

from connectors.scripted import LIMIT, Peer, connector, serving
from connectors.smtp_scripts import (
    Play,
    send,
    take_body,
    take_envelope,
    whole,
)
from relance.ports.connector import (
    Accepted,
    MailboxUnreachableError,
)


async def test_the_connection_is_kept_between_messages():
    """One login for two messages, proven by RSET in between."""

    async def script(peer: Peer) -> None:
        await whole(peer)
        await peer.expect("RSET")
        await peer.send("250 ok")
        await take_envelope(peer)
        await take_body(peer)
        await peer.expect(r"\.")
        await peer.send("250 ok")
        await peer.expect("QUIT")
        await peer.send("221 bye")

    async with serving(script) as server:
        one = connector(smtp=server)
        await send(one)
        await send(one)
        await one.close()

    assert 1 == server.connections


async def closes(peer: Peer) -> None:
    """Take one message, then close while idle."""
    await whole(peer)
    peer.close()


async def says_421(peer: Peer) -> None:
    """Take one message, then have enough."""
    await whole(peer)
    await peer.expect("RSET")
    await peer.send("421 4.4.2 idle for too long")


async def says_421_at_once(peer: Peer) -> None:
    """Take one message, and say goodbye without being asked (RFC 5321 §3.8)."""
    await whole(peer)
    await peer.send("421 4.4.2 goodbye")
    peer.close()


async def goes_silent(peer: Peer) -> None:
    """Take one message, then nothing any more."""
    await whole(peer)
    await peer.hang()


@pytest.mark.parametrize("script", [closes, says_421, says_421_at_once, goes_silent])
async def test_a_connection_lost_while_idle_is_replaced_once(script: Play):
    """Before MAIL, so that nothing can be doubled."""
    async with serving(script, whole) as server:
        one = connector(smtp=server, command_seconds=0.5)
        await send(one)

        assert Accepted(response="250 ok") == await send(one)
        await one.close()

    assert 2 == server.connections


async def test_after_mail_nothing_is_tried_again():
    """A kept connection that dies after it was proven is the mailbox's trouble."""

    async def script(peer: Peer) -> None:
        await whole(peer)
        await peer.expect("RSET")
        await peer.send("250 ok")
        await peer.expect("MAIL .*")
        peer.close()

    async with serving(script, whole) as server:
        one = connector(smtp=server)
        await send(one)
        with pytest.raises(MailboxUnreachableError):
            await send(one)
        await one.close()

    assert 1 == server.connections


async def test_an_unused_connection_is_let_go():
    """A mailbox that sends twice a day holds no socket in between, and leaves politely."""
    ended = asyncio.Event()

    async def script(peer: Peer) -> None:
        await whole(peer)
        await peer.expect("QUIT")
        await peer.expect("")
        ended.set()

    async with serving(script) as server:
        one = connector(smtp=server, keep_seconds=0.05)
        await send(one)
        async with asyncio.timeout(LIMIT):
            await ended.wait()
