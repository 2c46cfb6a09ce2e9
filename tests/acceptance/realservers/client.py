"""Reading and sending with the standard library's own clients, over TLS that is verified against the CA."""

import email
import imaplib
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage, Message
from email.policy import default as modern
from pathlib import Path

from acceptance.realservers.endpoint import Endpoint, Security

TIMEOUT = 10.0  #: Seconds for one network operation.


@contextmanager
def imap_session(endpoint: Endpoint, *, ca_file: Path, login: tuple[str, str] | None) -> Iterator[imaplib.IMAP4]:
    """Connect, protect the connection as the endpoint says, log in if asked to, and log out at the end."""
    context = ssl.create_default_context(cafile=str(ca_file))
    session: imaplib.IMAP4
    if endpoint.security is Security.TLS:
        session = imaplib.IMAP4_SSL(endpoint.host, endpoint.port, ssl_context=context, timeout=TIMEOUT)
    else:
        session = imaplib.IMAP4(endpoint.host, endpoint.port, timeout=TIMEOUT)
    with session:
        if endpoint.security is Security.STARTTLS:
            session.starttls(context)
        if login is not None:
            session.login(*login)
        yield session


@contextmanager
def smtp_session(endpoint: Endpoint, *, ca_file: Path, login: tuple[str, str] | None) -> Iterator[smtplib.SMTP]:
    """Connect, protect the connection as the endpoint says, log in if asked to, and quit at the end."""
    context = ssl.create_default_context(cafile=str(ca_file))
    session: smtplib.SMTP
    if endpoint.security is Security.TLS:
        session = smtplib.SMTP_SSL(endpoint.host, endpoint.port, context=context, timeout=TIMEOUT)
    else:
        session = smtplib.SMTP(endpoint.host, endpoint.port, timeout=TIMEOUT)
    with session:
        if endpoint.security is Security.STARTTLS:
            session.starttls(context=context)
        if login is not None:
            session.login(*login)
        yield session


def read_folder(session: imaplib.IMAP4, wire: str) -> list[EmailMessage]:
    """Return every message of a folder in the order of arrival, leaving its flags alone.

    `wire` is the folder's name in modified UTF-7, unquoted. Raises `LookupError` if the server does not open it.
    """
    status, answer = session.select(quoted(wire), readonly=True)
    if status != "OK":
        raise LookupError(wire, answer)
    if answer == [b"0"]:
        return []
    _, parts = session.uid("FETCH", "1:*", "(BODY.PEEK[])")
    return [parsed(part[1]) for part in parts if isinstance(part, tuple)]


def parsed(raw: bytes) -> EmailMessage:
    """Read a message the way the standard library does today."""
    message: Message = email.message_from_bytes(raw, policy=modern)
    if not isinstance(message, EmailMessage):
        raise TypeError(message)
    return message


def quoted(name: str) -> str:
    """Spell a name as an IMAP quoted string (RFC 3501 §4.3)."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
