"""Independent clients of the sandbox's servers: the standard library's, and a bare connection for what it lacks."""

import asyncio
import imaplib
import smtplib
import ssl
from collections.abc import Callable
from typing import TypeVar

from relance.sandbox.domains import Account, Endpoint, Security

T = TypeVar("T")

LIMIT = 10


def trusting(account: Account) -> ssl.SSLContext:
    """Return a context that trusts the sandbox's authority and nobody else."""
    return ssl.create_default_context(cafile=str(account.ca_file))


def open_smtp(account: Account, *, login: bool = True) -> smtplib.SMTP:
    """Connect as the account says, and log in."""
    host, port = account.smtp.host, account.smtp.port
    client: smtplib.SMTP
    match account.smtp.security:
        case Security.TLS:
            client = smtplib.SMTP_SSL(host, port, context=trusting(account), timeout=LIMIT)
        case Security.STARTTLS:
            client = smtplib.SMTP(host, port, timeout=LIMIT)
            client.starttls(context=trusting(account))
        case Security.PLAIN:
            client = smtplib.SMTP(host, port, timeout=LIMIT)
    if login:
        client.login(account.username, account.password)
    return client


def open_imap(account: Account, *, login: bool = True) -> imaplib.IMAP4:
    """Connect as the account says, and log in."""
    host, port = account.imap.host, account.imap.port
    client: imaplib.IMAP4
    match account.imap.security:
        case Security.TLS:
            client = imaplib.IMAP4_SSL(host, port, ssl_context=trusting(account), timeout=LIMIT)
        case Security.STARTTLS:
            client = imaplib.IMAP4(host, port, timeout=LIMIT)
            client.starttls(trusting(account))
        case Security.PLAIN:
            client = imaplib.IMAP4(host, port, timeout=LIMIT)
    if login:
        client.login(account.username, account.password)
    return client


async def with_smtp(account: Account, talk: Callable[[smtplib.SMTP], T]) -> T:
    """Run a conversation over SMTP in a thread."""

    def conversation() -> T:
        with open_smtp(account) as client:
            return talk(client)

    return await asyncio.to_thread(conversation)


async def with_imap(account: Account, talk: Callable[[imaplib.IMAP4], T]) -> T:
    """Run a conversation over IMAP in a thread."""

    def conversation() -> T:
        client = open_imap(account)
        try:
            return talk(client)
        finally:
            client.logout()

    return await asyncio.to_thread(conversation)


def letter(
    account: Account, to: str, *, message_id: str = "<one@test>", text: str = "Hello", subject: str = "Hi"
) -> bytes:
    """Write a message as the product might."""
    return (
        f"From: {account.display_name} <{account.address}>\r\nTo: {to}\r\nSubject: {subject}\r\n"
        f"Message-ID: {message_id}\r\nList-Unsubscribe: <mailto:{account.address}?subject=leave-42>\r\n"
        f"Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
    ).encode()


async def send(account: Account, to: str, *, message_id: str = "<one@test>", text: str = "Hello") -> None:
    """Send one message."""
    raw = letter(account, to, message_id=message_id, text=text)
    await with_smtp(account, lambda client: client.sendmail(account.address, [to], raw))


class BareClient:
    """A connection that writes what it is told and reads line by line."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def connect(cls, endpoint: Endpoint, context: ssl.SSLContext | None = None) -> "BareClient":
        """Connect and leave the greeting unread."""
        return cls(*await asyncio.open_connection(endpoint.host, endpoint.port, ssl=context))

    async def say(self, line: str) -> None:
        """Send one line."""
        self.writer.write(line.encode() + b"\r\n")
        await self.writer.drain()

    async def hear(self) -> str:
        """Return the next line, or nothing at the end."""
        return (await asyncio.wait_for(self.reader.readline(), LIMIT)).decode().rstrip("\r\n")

    async def hear_until(self, beginning: str) -> list[str]:
        """Return the lines up to the one that begins so."""
        lines = [await self.hear()]
        while not lines[-1].startswith(beginning):
            assert lines[-1] or not self.reader.at_eof()
            lines.append(await self.hear())
        return lines

    async def close(self) -> None:
        """Hang up."""
        self.writer.close()
        await asyncio.gather(self.writer.wait_closed(), return_exceptions=True)
