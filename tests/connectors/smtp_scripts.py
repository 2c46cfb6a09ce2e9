"""Pieces of SMTP dialogues, the message that they carry, and the way to its outcome."""

from collections.abc import Awaitable, Callable

from connectors.scripted import Peer, ScriptedServer, connector, serving
from relance.connectors.smtp_imap.mailbox_connector import SmtpImapConnector
from relance.ports.connector import (
    Accepted,
    ConnectorError,
    Envelope,
)

RAW = b"From: ada@north.example\r\nSubject: x\r\n\r\n.hidden\r\nend\r\n"
ENVELOPE = Envelope(sender="ada@north.example", recipient="bob@south.example", message_id="<1@north.example>", raw=RAW)
AUTH_PLAIN = r"AUTH PLAIN AGFkYQBzZXNhbWU="
Play = Callable[[Peer], Awaitable[None]]


async def greet(peer: Peer, *extensions: str) -> None:
    """Play everything up to the login."""
    await peer.send("220 mail.north.example ESMTP")
    await peer.expect("EHLO north.example")
    await peer.send("250-mail.north.example", *(f"250-{one}" for one in extensions), "250 AUTH PLAIN LOGIN")
    await peer.expect(AUTH_PLAIN)
    await peer.send("235 2.7.0 welcome")


async def take_envelope(peer: Peer) -> None:
    """Play MAIL and RCPT."""
    await peer.expect("MAIL FROM:<ada@north.example>")
    await peer.send("250 2.1.0 ok")
    await peer.expect("RCPT TO:<bob@south.example>")
    await peer.send("250 2.1.5 ok")


async def take_body(peer: Peer) -> None:
    """Play DATA up to the last line before the dot."""
    await peer.expect("DATA")
    await peer.send("354 go ahead")
    while await peer.line() != b"end":
        pass


async def send(one: SmtpImapConnector, *, may_leave: bool = True, time_limit: float = 5.0) -> Accepted:
    """Stage and release."""
    staged = await one.stage(ENVELOPE)
    return await staged.release(may_leave=lambda: may_leave, time_limit=time_limit)


async def outcome(*scripts: Play, time_limit: float = 5.0) -> tuple[ConnectorError | Accepted, ScriptedServer]:
    """Send one message to a server that plays the scripts, and return what became of it."""
    async with serving(*scripts) as server:
        one = connector(smtp=server)
        try:
            result: ConnectorError | Accepted = await send(one, time_limit=time_limit)
        except ConnectorError as error:
            result = error
        await one.close()
    return result, server


async def whole(peer: Peer) -> None:
    """Take one message on a new connection."""
    await greet(peer)
    await take_envelope(peer)
    await take_body(peer)
    await peer.expect(r"\.")
    await peer.send("250 ok")
