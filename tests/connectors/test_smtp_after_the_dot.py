"""The final dot is written: only a complete reply tells what became of the message."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from connectors.scripted import Peer, connector, serving
from connectors.smtp_scripts import (
    ENVELOPE,
    Play,
    greet,
    outcome,
    send,
    take_body,
    take_envelope,
)
from relance.ports.connector import (
    Accepted,
    OutcomeUnknownError,
    RejectedError,
)


async def test_an_accepted_message_brings_the_servers_words():
    """And what the server received is the message, with leading dots doubled (RFC 5321 §4.5.2)."""

    async def script(peer: Peer) -> None:
        await greet(peer)
        await take_envelope(peer)
        await take_body(peer)
        await peer.expect(r"\.")
        await peer.send("250-2.0.0 first line", "250 2.0.0 queued as 4F2A")

    result, server = await outcome(script)
    data = server.peers[0].heard
    body = data[data.index(b"DATA") + 1 :][:6]

    assert Accepted(response="250 2.0.0 first line\n2.0.0 queued as 4F2A") == result
    assert [b"From: ada@north.example", b"Subject: x", b"", b"..hidden", b"end", b"."] == body


def after_the_dot(*words: bytes, then: Callable[[Peer], Awaitable[None] | None] = Peer.close) -> Play:
    """Return a script that takes a whole message, says `words`, and ends so."""

    async def script(peer: Peer) -> None:
        await greet(peer)
        await take_envelope(peer)
        await take_body(peer)
        await peer.expect(r"\.")
        for word in words:
            await peer.send_raw(word)
            await asyncio.sleep(0)
        ending = then(peer)
        if ending is not None:
            await ending

    return script


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(after_the_dot(), id="closed"),
        pytest.param(after_the_dot(then=Peer.abort), id="broken"),
        pytest.param(after_the_dot(b"250 2.0.0 queued"), id="half a line"),
        pytest.param(after_the_dot(b"250-2.0.0 queued\r\n"), id="half a reply"),
        pytest.param(after_the_dot(b"550-5.7.1 refused\r\n"), id="half a refusal"),
        pytest.param(after_the_dot(b"what?\r\n"), id="garbage"),
        pytest.param(after_the_dot(b"354 go on\r\n"), id="neither yes nor no"),
        pytest.param(after_the_dot(b"25\r\n"), id="a short code"),
        pytest.param(after_the_dot(b"250-a\r\n251 b\r\n"), id="two codes in one reply"),
        pytest.param(after_the_dot(b"x" * 70_000), id="a reply without end"),
    ],
)
async def test_without_a_complete_reply_to_the_dot_nobody_knows(script: Play):
    """Reconcile before any retry; and the connector itself has not tried again."""
    result, server = await outcome(script)

    assert isinstance(result, OutcomeUnknownError)
    assert 1 == server.connections


async def test_silence_after_the_dot_is_unknown_once_the_time_is_over():
    """The limit runs from release to reply."""
    result, _ = await outcome(after_the_dot(then=Peer.hang), time_limit=0.3)

    assert isinstance(result, OutcomeUnknownError)


@pytest.mark.parametrize("reply", [b"550 5.7.1 spam\r\n", b"451 4.7.1 greylisted\r\n", b"421 4.3.2 closing\r\n"])
async def test_a_complete_refusal_of_the_dot_is_a_definite_no(reply: bytes):
    """Whatever the code: the server has said that it did not take the message."""
    result, _ = await outcome(after_the_dot(reply))

    assert isinstance(result, RejectedError)
    assert ("dot", int(reply[:3]), reply[4:9].decode()) == (result.stage, result.code, result.enhanced)


async def test_a_reply_in_pieces_is_one_reply():
    """Wherever the network cuts it."""
    pieces = [bytes([one]) for one in b"250-2.0.0 a\r\n250 2.0.0 b\r\n"]
    result, _ = await outcome(after_the_dot(*pieces))

    assert Accepted(response="250 2.0.0 a\n2.0.0 b") == result


async def test_a_task_that_is_cancelled_in_release_breaks_the_connection():
    """Nothing that was half said may become whole by a later message."""
    has_body = asyncio.Event()

    async def script(peer: Peer) -> None:
        await greet(peer)
        await take_envelope(peer)
        await take_body(peer)
        await peer.expect(r"\.")
        has_body.set()
        await peer.hang()

    async def again(peer: Peer) -> None:
        await greet(peer)
        await take_envelope(peer)
        await peer.hang()

    async with serving(script, again) as server:
        one = connector(smtp=server)
        sending = asyncio.ensure_future(send(one))
        await has_body.wait()
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        await one.stage(ENVELOPE)
        await one.close()

    assert 2 == server.connections
