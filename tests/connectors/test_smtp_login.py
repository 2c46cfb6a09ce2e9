"""Logging in to SMTP: each refusal with what it means."""

import pytest

from connectors.scripted import Peer, connector, serving
from connectors.smtp_scripts import AUTH_PLAIN, ENVELOPE, outcome
from relance.ports.connector import (
    LoginRefusedError,
    MailboxUnreachableError,
)


@pytest.mark.parametrize(
    "reply, temporary",
    [
        ("535 5.7.8 wrong", False),
        ("534 5.7.9 mechanism too weak", False),
        ("454 4.7.0 try later", True),
        ("432 4.7.12 a password transition is needed", True),
    ],
)
async def test_a_refused_login_says_whether_it_is_for_good(reply: str, temporary: bool):  # noqa: FBT001 - a parameter
    """4xx is the server's own trouble, 5xx the credentials'; the server is asked once."""

    async def script(peer: Peer) -> None:
        await peer.send("220 hi")
        await peer.line()
        await peer.send("250-hi", "250 AUTH PLAIN LOGIN CRAM-MD5")
        await peer.expect(AUTH_PLAIN)
        await peer.send(reply)
        assert (await peer.line()) in {b"", b"QUIT"}

    result, _ = await outcome(script)

    assert isinstance(result, LoginRefusedError)
    assert temporary == result.temporary


async def test_421_in_the_login_is_no_refusal():
    """The server closes; the password may be right."""

    async def script(peer: Peer) -> None:
        await peer.send("220 hi")
        await peer.line()
        await peer.send("250-hi", "250 AUTH PLAIN")
        await peer.line()
        await peer.send("421 4.7.0 too many connections")

    result, _ = await outcome(script)

    assert isinstance(result, MailboxUnreachableError)


async def test_530_for_mail_is_a_matter_of_the_login():
    """A server that offered none, and then wants one."""

    async def script(peer: Peer) -> None:
        await peer.send("220 hi")
        await peer.line()
        await peer.send("250 hi")
        await peer.expect("MAIL .*")
        await peer.send("530 5.7.0 authentication required")
        await peer.hang()

    result, _ = await outcome(script)

    assert isinstance(result, LoginRefusedError)


async def test_a_token_is_spoken_as_xoauth2():
    """And a refusal's challenge gets its empty answer (Google's XOAUTH2 page)."""

    async def script(peer: Peer) -> None:
        await peer.send("220 hi")
        await peer.line()
        await peer.send("250-hi", "250 AUTH XOAUTH2 PLAIN")
        await peer.expect(r"AUTH XOAUTH2 dXNlcj1hZGEBYXV0aD1CZWFyZXIgc2VzYW1lAQE=")
        await peer.send("334 eyJzdGF0dXMiOiI0MDEifQ==")
        await peer.expect("")
        await peer.send("535 5.7.8 expired")

    async with serving(script) as server:
        with pytest.raises(LoginRefusedError, match="expired"):
            await connector(smtp=server, oauth=True).stage(ENVELOPE)
