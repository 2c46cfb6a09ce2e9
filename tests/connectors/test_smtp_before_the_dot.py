"""The SMTP server failing at every point before the final dot: all of it is definite, nothing left."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from connectors.scripted import Peer, connector, serving
from connectors.smtp_scripts import (
    ENVELOPE,
    RAW,
    Play,
    greet,
    outcome,
    send,
    take_body,
    take_envelope,
)
from relance.ports import faultpoints
from relance.ports.connector import (
    Accepted,
    MailboxUnreachableError,
    NotReleasedError,
    RejectedError,
    TransactionLostError,
)


async def close_at_once(peer: Peer) -> None:
    """Close instead of greeting."""
    peer.close()


async def greet_with_554(peer: Peer) -> None:
    """Send everybody away."""
    await peer.send("554 no service here")


async def greet_with_garbage(peer: Peer) -> None:
    """Speak another protocol."""
    await peer.send("SSH-2.0-OpenSSH_9.2")


async def close_in_ehlo(peer: Peer) -> None:
    """Close after EHLO."""
    await peer.send("220 hi")
    await peer.line()
    peer.abort()


async def close_in_auth(peer: Peer) -> None:
    """Close instead of answering AUTH."""
    await peer.send("220 hi")
    await peer.line()
    await peer.send("250-hi", "250 AUTH PLAIN")
    await peer.line()
    peer.close()


async def close_in_mail(peer: Peer) -> None:
    """Close instead of answering MAIL."""
    await greet(peer)
    await peer.line()
    peer.close()


async def answer_421_to_mail(peer: Peer) -> None:
    """Have no time now."""
    await greet(peer)
    await peer.line()
    await peer.send("421 4.3.2 shutting down")


async def garbage_for_rcpt(peer: Peer) -> None:
    """Answer RCPT with something that is no reply."""
    await greet(peer)
    await peer.line()
    await peer.send("250 ok")
    await peer.line()
    await peer.send("what?")


async def close_in_data(peer: Peer) -> None:
    """Close instead of answering DATA."""
    await greet(peer)
    await take_envelope(peer)
    await peer.line()
    peer.close()


async def strange_for_data(peer: Peer) -> None:
    """Answer DATA with a yes that is no 354."""
    await greet(peer)
    await take_envelope(peer)
    await peer.line()
    await peer.send("250 ok?")
    await peer.hang()


@pytest.mark.parametrize(
    "script",
    [
        close_at_once,
        greet_with_554,
        greet_with_garbage,
        close_in_ehlo,
        close_in_auth,
        close_in_mail,
        answer_421_to_mail,
        garbage_for_rcpt,
        close_in_data,
        strange_for_data,
    ],
)
async def test_a_server_that_fails_before_the_body_is_unreachable(script: Play):
    """Nothing left; the mailbox backs off, not the lead."""
    result, server = await outcome(script)

    assert isinstance(result, MailboxUnreachableError)
    assert 1 == server.connections
    assert b"." not in server.peers[0].heard


@pytest.mark.parametrize("script", [garbage_for_rcpt, close_in_data, strange_for_data])
async def test_a_server_that_is_lost_once_the_recipient_is_named_can_be_told_from_one_that_is_away(script: Play):
    """Perhaps it cannot bear this very message: others need not wait behind it."""
    result, _ = await outcome(script)
    before, _ = await outcome(close_in_mail)

    assert isinstance(result, TransactionLostError)
    assert not isinstance(before, TransactionLostError)


async def test_a_port_where_nobody_listens_is_unreachable():
    """The simplest case of all; the sentence names the place once."""
    async with serving() as server:
        port = server.port
    with pytest.raises(MailboxUnreachableError, match=f"127.0.0.1:{port} cannot be reached") as refused:
        await connector(smtp=port).stage(ENVELOPE)

    assert 1 == str(refused.value).count(str(port))


async def test_a_silent_server_is_noticed():
    """At the greeting and in the middle alike."""

    async def in_the_middle(peer: Peer) -> None:
        await greet(peer)
        await peer.hang()

    for script in (Peer.hang, in_the_middle):
        async with serving(script) as server:
            one = connector(smtp=server, command_seconds=0.2, connect_seconds=0.2)
            with pytest.raises(MailboxUnreachableError):
                await one.stage(ENVELOPE)


@pytest.mark.parametrize(
    "stage, reply", [("MAIL", "550 5.7.1 not yours"), ("RCPT", "550 5.1.1 unknown"), ("RCPT", "421 4.7.0 slow")]
)
async def test_a_refusal_before_the_body_is_rejected_with_its_stage(stage: str, reply: str):
    """Code, enhanced code and text come along, to be classified."""

    async def script(peer: Peer) -> None:
        await greet(peer)
        await peer.line()
        if stage == "RCPT":
            await peer.send("250 ok")
            await peer.line()
        await peer.send(reply)
        await peer.hang()

    result, _ = await outcome(script)

    assert isinstance(result, RejectedError)
    assert (stage, int(reply[:3]), reply[4:9]) == (result.stage, result.code, result.enhanced)


async def test_a_refused_recipient_leaves_the_connection_in_use():
    """RSET, and the next message goes the same way."""

    async def script(peer: Peer) -> None:
        await greet(peer)
        await peer.line()
        await peer.send("250 ok")
        await peer.line()
        await peer.send("550-5.1.1 no", "550 5.1.1 such user")
        await peer.expect("RSET")
        await peer.send("250 ok")
        await take_envelope(peer)
        await take_body(peer)
        await peer.expect(r"\.")
        await peer.send("250 ok")

    async with serving(script) as server:
        one = connector(smtp=server)
        with pytest.raises(RejectedError):
            await one.stage(ENVELOPE)

        assert Accepted(response="250 ok") == await send(one)
        await one.close()


async def test_an_address_that_smtp_cannot_carry_is_rejected_by_us():
    """Nothing is sent that the server could misread."""
    async with serving() as server:
        one = connector(smtp=server)
        for recipient in (
            "jörg@south.example",
            "b@s.example>\r\nRCPT TO:<e@s.example",
            "Bob <b@s.example>",
            "",
            "b @s.example",
        ):
            with pytest.raises(RejectedError) as rejected:
                await one.stage(replace(ENVELOPE, recipient=recipient))

            assert ("RCPT", 553) == (rejected.value.stage, rejected.value.code)
    assert 0 == server.connections


async def test_a_size_that_the_server_cannot_take_is_asked_before():
    """RFC 1870: it may say no to MAIL instead of to the dot."""

    async def script(peer: Peer) -> None:
        await greet(peer, "SIZE 10")
        await peer.expect(rf"MAIL FROM:<ada@north.example> SIZE={len(RAW)}")
        await peer.send("552 5.3.4 too large")
        await peer.hang()

    result, _ = await outcome(script)

    assert isinstance(result, RejectedError)
    assert ("MAIL", 552) == (result.stage, result.code)


@pytest.mark.parametrize("reply", ["451 4.3.0 try later", "554 5.7.1 no"])
async def test_a_refused_data_is_rejected_and_the_connection_stays(reply: str):
    """The server is in step: nothing of the body was written."""

    async def script(peer: Peer) -> None:
        await greet(peer)
        await take_envelope(peer)
        await peer.expect("DATA")
        await peer.send(reply)
        await peer.expect("RSET")
        await peer.send("250 ok")
        await take_envelope(peer)
        await peer.expect("RSET")
        await peer.send("250 ok")
        await peer.expect("QUIT")

    async with serving(script) as server:
        one = connector(smtp=server)
        with pytest.raises(RejectedError) as rejected:
            await send(one)
        staged = await one.stage(ENVELOPE)

        assert ("DATA", int(reply[:3])) == (rejected.value.stage, rejected.value.code)
        await staged.discard()
        await one.close()


async def test_a_connection_lost_in_the_body_is_definite():
    """Closed or broken, with megabytes still to write: no dot, nothing left."""
    large = replace(ENVELOPE, raw=RAW + b"x" * 70 + b"\r\n" + (b"y" * 70 + b"\r\n") * 200_000)

    for end in (Peer.close, Peer.abort):

        async def script(peer: Peer, end: Callable[[Peer], None] = end) -> None:
            await greet(peer)
            await take_envelope(peer)
            await peer.expect("DATA")
            await peer.send("354 go")
            await peer.exactly(10_000)
            end(peer)

        async with serving(script) as server:
            one = connector(smtp=server)
            staged = await one.stage(large)
            with pytest.raises(MailboxUnreachableError):
                await staged.release(may_leave=lambda: True, time_limit=5)


async def test_a_refusal_in_the_middle_of_the_body_is_rejected():
    """552 while we are still writing: the dot is never written."""
    large = replace(ENVELOPE, raw=RAW + (b"y" * 70 + b"\r\n") * 200_000)

    async def script(peer: Peer) -> None:
        await greet(peer)
        await take_envelope(peer)
        await peer.expect("DATA")
        await peer.send("354 go")
        await peer.exactly(10_000)
        await peer.send("552 5.3.4 too much")
        await peer.hang()

    async with serving(script) as server:
        one = connector(smtp=server)
        staged = await one.stage(large)
        with pytest.raises(RejectedError) as rejected:
            await staged.release(may_leave=lambda: True, time_limit=5)

    assert ("DATA", 552) == (rejected.value.stage, rejected.value.code)


async def test_a_server_that_takes_no_body_costs_the_time_limit_and_no_more():
    """Its window is full: the deadline passes before the dot, and the mailbox backs off before it tries again."""
    large = replace(ENVELOPE, raw=RAW + (b"y" * 70 + b"\r\n") * 400_000)
    stuck = asyncio.Event()

    async def script(peer: Peer) -> None:
        await greet(peer)
        await take_envelope(peer)
        await peer.expect("DATA")
        peer.stop_reading()
        await peer.send("354 go")
        await stuck.wait()

    async with serving(script) as server:
        one = connector(smtp=server)
        staged = await one.stage(large)
        with pytest.raises(TransactionLostError, match="did not take the body in time: nothing left"):
            await staged.release(may_leave=lambda: True, time_limit=0.3)
        stuck.set()


async def test_the_last_look_comes_after_the_body_and_before_the_dot():
    """A no means that the server has everything but the dot, and never gets it."""
    looks: list[bytes] = []

    async def script(peer: Peer) -> None:
        await greet(peer)
        await take_envelope(peer)
        await take_body(peer)
        assert (await peer.line()) == b""

    def look() -> bool:
        looks.append(b"looked")
        return False

    async with serving(script) as server:
        one = connector(smtp=server)
        staged = await one.stage(ENVELOPE)
        with pytest.raises(NotReleasedError):
            await staged.release(may_leave=look, time_limit=5)
        await one.close()

    assert [b"looked"] == looks
    assert b"." not in server.peers[0].heard


async def test_a_process_that_slept_between_body_and_dot_writes_no_dot(monkeypatch: pytest.MonkeyPatch):
    """The connector has a stopwatch of its own: whoever is asked may know as little as it of how long that was."""
    loop = asyncio.get_running_loop()
    time = loop.time

    async def script(peer: Peer) -> None:
        await greet(peer)
        await take_envelope(peer)
        await take_body(peer)
        assert (await peer.line()) == b""

    def oversleep(place: str) -> None:
        if place == "smtp body: written":
            monkeypatch.setattr(loop, "time", lambda: time() + 60)

    monkeypatch.setattr(faultpoints, "hook", oversleep)
    async with serving(script) as server:
        one = connector(smtp=server)
        staged = await one.stage(ENVELOPE)
        with pytest.raises(NotReleasedError):
            await staged.release(may_leave=lambda: True, time_limit=20)
        await one.close()

    assert b"." not in server.peers[0].heard


async def test_a_staged_message_can_be_released_once_and_only_while_it_is_the_last():
    """Released, discarded and superseded ones raise, and write nothing."""

    async def script(peer: Peer) -> None:
        await greet(peer)
        await take_envelope(peer)
        for _ in range(2):
            await peer.expect("RSET")
            await peer.send("250 ok")
            if _ == 0:
                await take_envelope(peer)
        await peer.expect("QUIT")
        await peer.send("221 bye")

    async with serving(script) as server:
        one = connector(smtp=server)
        first = await one.stage(ENVELOPE)
        second = await one.stage(ENVELOPE)
        await second.discard()
        for stale in (first, second):
            with pytest.raises(NotReleasedError):
                await stale.release(may_leave=lambda: True, time_limit=5)
        await one.close()

    assert b"DATA" not in server.peers[0].heard
