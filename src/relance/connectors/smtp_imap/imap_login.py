"""Open an IMAP connection and log in: greeting, STARTTLS, capabilities, the best mechanism, ID.

RFC 3501 §6.2, RFC 4616 (PLAIN), RFC 7628 (OAUTHBEARER), RFC 4959 (SASL-IR), RFC 2971 (ID), RFC 5530 (response codes).
"""

import asyncio
import base64
import contextlib

from relance.connectors.smtp_imap.errors import LostError, RefusedError, UnreachableError, login_refusal
from relance.connectors.smtp_imap.imap_commands import Command, String, command
from relance.connectors.smtp_imap.imap_parser import Condition
from relance.connectors.smtp_imap.imap_session import ImapSession
from relance.connectors.smtp_imap.settings import Endpoint, Security, Settings
from relance.connectors.smtp_imap.tls import TlsDoors
from relance.connectors.smtp_imap.transport import Wire, open_door
from relance.ports.connector import Credentials, LoginRefusedError, MailboxUnreachableError

SECRET_SECONDS = 60.0  # a command that fetches a token may be slow, not stuck


async def open_session(settings: Settings, credentials: Credentials, doors: TlsDoors) -> ImapSession:
    """Return a session that is logged in. Raises MailboxUnreachableError, LoginRefusedError."""
    session = await greet_server(settings, doors)
    try:
        await log_in(session, credentials)
    except BaseException:
        session.wire.abort()
        raise
    return session


async def greet_server(settings: Settings, doors: TlsDoors) -> ImapSession:
    """Connect, take the greeting and begin TLS as the settings say. Raises MailboxUnreachableError."""
    endpoint = settings.imap
    wire = await Wire.open(endpoint, doors=doors, ca_file=settings.ca_file, time_limit=settings.connect_seconds)
    session = ImapSession(wire, time_limit=settings.connect_seconds)
    try:
        _accept(await session.greet(), endpoint)
        if endpoint.security is Security.STARTTLS:
            await _start_tls(session, settings, doors)
        if not session.capabilities:
            await session.refresh_capabilities()
    except (LostError, RefusedError) as error:
        wire.abort()
        raise UnreachableError(f"{error}", step="greeting") from error
    except BaseException:
        wire.abort()
        raise
    session.time_limit = settings.command_seconds
    return session


async def log_in(session: ImapSession, credentials: Credentials) -> None:
    """Log in, learn the capabilities that hold afterwards, and say who we are.

    Raises LoginRefusedError, MailboxUnreachableError.
    """
    server = f"the IMAP server {session.wire.endpoint}"
    secret = await ask_secret(credentials)
    session.capabilities_told = False
    try:
        if session.preauthenticated:
            pass
        elif credentials.oauth:
            await _log_in_by_token(session, credentials.username, secret)
        else:
            await _log_in_by_password(session, credentials.username, secret)
        if not session.capabilities_told:
            await session.refresh_capabilities()
        await _introduce(session)
    except RefusedError as error:
        raise login_refusal(server, error.code, error.text) from error
    except LostError as error:
        raise MailboxUnreachableError(f"{server} was lost during the login: {error}") from error


async def ask_secret(credentials: Credentials) -> str:
    """Return password or token. Raises LoginRefusedError where it cannot be had."""
    try:
        async with asyncio.timeout(SECRET_SECONDS):
            return await credentials.secret()
    except TimeoutError:
        raise LoginRefusedError("the password or token was not handed over in time", temporary=True) from None
    except (OSError, ValueError, RuntimeError) as error:
        raise LoginRefusedError(f"the password or token cannot be had: {error}") from error


def bearer_token(username: str, token: str) -> bytes:
    """Return the initial response of XOAUTH2, encoded."""
    return base64.b64encode(f"user={username}\x01auth=Bearer {token}\x01\x01".encode())


def _accept(greeting: Condition, endpoint: Endpoint) -> None:
    """Raise UnreachableError where the greeting says that we cannot go on."""
    if greeting.kind == "BYE":
        raise UnreachableError(f"{endpoint} sends us away: {greeting.text}", step="greeting")
    if greeting.kind == "PREAUTH" and endpoint.security is Security.STARTTLS:
        raise UnreachableError(f"{endpoint} skips TLS by a PREAUTH greeting: use tls instead", step="tls")


async def _start_tls(session: ImapSession, settings: Settings, doors: TlsDoors) -> None:
    endpoint = settings.imap
    if not session.capabilities:
        await session.refresh_capabilities()
    if "STARTTLS" not in session.capabilities:
        raise UnreachableError(f"{endpoint} offers no STARTTLS: use tls, usually on port 993", step="tls")
    await session.run(command("STARTTLS"), doing="begin TLS")
    if session.waiting_event() is not None:
        raise UnreachableError(f"{endpoint} spoke before TLS began: this connection cannot be trusted", step="tls")
    await session.wire.start_tls(open_door(doors, endpoint, settings.ca_file), time_limit=settings.connect_seconds)
    # What was said in the clear may have been said by anybody (RFC 3501 §6.2.1).
    session.capabilities = frozenset()


async def _log_in_by_token(session: ImapSession, username: str, token: str) -> None:
    if "AUTH=OAUTHBEARER" in session.capabilities and "AUTH=XOAUTH2" not in session.capabilities:
        host, port = session.wire.endpoint.host, session.wire.endpoint.port
        escaped = username.replace("=", "=3D").replace(",", "=2C")
        text = f"n,a={escaped},\x01host={host}\x01port={port}\x01auth=Bearer {token}\x01\x01"
        first = base64.b64encode(text.encode())
        await session.authenticate("OAUTHBEARER", first, then=base64.b64encode(b"\x01"), doing="log in")
    else:
        # After a refusal the server explains itself in a challenge that wants an empty answer.
        await session.authenticate("XOAUTH2", bearer_token(username, token), then=b"", doing="log in")


async def _log_in_by_password(session: ImapSession, username: str, password: str) -> None:
    if "AUTH=PLAIN" in session.capabilities:
        first = base64.b64encode(f"\0{username}\0{password}".encode())
        try:
            await session.authenticate("PLAIN", first, then=b"*", doing="log in")
        except RefusedError as error:
            if error.kind == "NO" or "LOGINDISABLED" in session.capabilities:
                raise
            # BAD: it offers what it does not understand.
        else:
            return
    if "LOGINDISABLED" in session.capabilities:
        raise LoginRefusedError(f"{session.wire.endpoint} allows no password here: use tls or starttls, or OAuth")
    login = Command("LOGIN", (String(username.encode()), String(password.encode())))
    await session.run(login, doing="log in")


async def _introduce(session: ImapSession) -> None:
    """Say who we are; some providers refuse to open folders for the nameless (163.com: "Unsafe Login")."""
    if "ID" in session.capabilities:
        with contextlib.suppress(RefusedError):
            await session.run(command("ID", '("name" "imap-client" "version" "1")'), doing="take our name")
