"""Connect to an SMTP server and log in, with each failure named by its step.

RFC 5321 §3.1, RFC 3207 (STARTTLS), RFC 4954 (AUTH). One mechanism is tried, not all: three refusals in a row lock
mailboxes at some providers.
"""

import ssl
from collections.abc import Awaitable
from typing import TYPE_CHECKING, cast

import aiosmtplib

from relance.connectors.smtp_imap.errors import UnreachableError
from relance.connectors.smtp_imap.imap_login import ask_secret
from relance.connectors.smtp_imap.settings import Endpoint, Security, Settings
from relance.connectors.smtp_imap.tls import TlsDoors
from relance.connectors.smtp_imap.transport import in_words, open_door, resolve, tls_refusal
from relance.ports.connector import Credentials, LoginRefusedError, MailboxUnreachableError
from relance.ports.faultpoints import reach, reach_when_waiting

if TYPE_CHECKING:
    import asyncio

SERVICE_CLOSES = 421
TEMPORARY = range(400, 500)
REFUSALS = range(400, 600)


async def connect_smtp(settings: Settings, doors: TlsDoors, *, local_name: str) -> aiosmtplib.SMTP:
    """Return a connection that has greeted us, with TLS as the settings say. Raises UnreachableError."""
    endpoint = settings.smtp
    await resolve(endpoint, time_limit=settings.connect_seconds)
    context = None
    if endpoint.security is not Security.PLAIN:
        context = open_door(doors, endpoint, settings.ca_file).context
    smtp = aiosmtplib.SMTP(
        hostname=endpoint.host,
        port=endpoint.port,
        local_hostname=local_name,
        timeout=settings.connect_seconds,
        use_tls=endpoint.security is Security.TLS,
        start_tls=False,
        tls_context=context,
    )
    try:
        await _connect(smtp, endpoint)
        if endpoint.security is Security.STARTTLS:
            await _start_tls(smtp, endpoint)
    except BaseException:
        drop(smtp)
        raise
    smtp.timeout = settings.command_seconds
    return smtp


async def log_in_smtp(smtp: aiosmtplib.SMTP, credentials: Credentials, settings: Settings) -> str:
    """Log in and return how, in words. Raises LoginRefusedError, MailboxUnreachableError."""
    server = f"the SMTP server {settings.smtp}"
    username = credentials.smtp_username or credentials.username
    try:
        if smtp.is_ehlo_or_helo_needed:
            await _say_hello(smtp)
        if not smtp.supports_extension("auth"):
            return "the server asks for no login"  # if it does want one, it says so at MAIL
        mechanism = _choose(smtp.server_auth_methods, credentials, server)
        secret = await ask_secret(credentials)
        reach("smtp", "AUTH", "before")
        reach_when_waiting("smtp", "AUTH", "written")
        await _authenticate(smtp, mechanism, username, secret)
        reach("smtp", "AUTH", "answered")
    except aiosmtplib.SMTPResponseException as error:
        if not speaks_smtp(error.code) or error.code == SERVICE_CLOSES:
            raise MailboxUnreachableError(f"{server} sends us away: {explain(error)}") from error
        temporary = error.code in TEMPORARY
        advice = "try again later" if temporary else "check user name and password or token"
        raise LoginRefusedError(
            f"{server} refused the login ({error.code} {error.message}): {advice}", temporary=temporary
        ) from error
    except (aiosmtplib.SMTPException, OSError) as error:
        raise MailboxUnreachableError(f"{server} was lost during the login: {explain(error)}") from error
    return f"logged in as {username} by {mechanism.upper()}"


def drop(smtp: aiosmtplib.SMTP) -> None:
    """Break a connection, whatever state it is in."""
    if smtp.transport is not None:
        cast("asyncio.Transport", smtp.transport).abort()
    smtp.close()


def speaks_smtp(code: int) -> bool:
    """Tell whether a refusal has a code that means one; aiosmtplib gives -1 to garbage."""
    return code in REFUSALS


def explain(error: Exception) -> str:
    """Return aiosmtplib's or the system's words for people."""
    if isinstance(error, aiosmtplib.SMTPResponseException):
        return f"{error.code} {error.message}" if error.code > 0 else "it does not speak SMTP"
    return in_words(error)


async def _connect(smtp: aiosmtplib.SMTP, endpoint: Endpoint) -> None:
    reach("smtp", "connect", "before")
    try:
        await smtp.connect()
    except aiosmtplib.SMTPConnectResponseError as error:
        raise UnreachableError(f"{endpoint} sends us away: {explain(error)}", step="greeting") from error
    except aiosmtplib.SMTPConnectError as error:
        cause = error.__cause__
        if isinstance(cause, ssl.SSLError | ssl.CertificateError):
            raise tls_refusal(endpoint, cause) from error
        trouble = cause if isinstance(cause, OSError) else error
        raise UnreachableError(f"{endpoint} cannot be reached: {explain(trouble)}", step="connect") from error
    except aiosmtplib.SMTPException as error:
        raise UnreachableError(
            f"{endpoint} does not greet like an SMTP server: {explain(error)}", step="greeting"
        ) from error
    except OSError as error:
        raise UnreachableError(f"{endpoint} cannot be reached: {explain(error)}", step="connect") from error
    reach("smtp", "connect", "answered")


async def _start_tls(smtp: aiosmtplib.SMTP, endpoint: Endpoint) -> None:
    try:
        await _say_hello(smtp)
        if not smtp.supports_extension("starttls"):
            raise UnreachableError(f"{endpoint} offers no STARTTLS: use tls, usually on port 465", step="tls")
        reach("smtp", "STARTTLS", "before")
        reach_when_waiting("smtp", "STARTTLS", "written")
        await smtp.starttls()
        reach("smtp", "STARTTLS", "answered")
    except (ssl.SSLError, ssl.CertificateError) as error:
        raise tls_refusal(endpoint, error) from error
    except (aiosmtplib.SMTPException, OSError) as error:
        raise UnreachableError(f"{endpoint} does not begin TLS: {explain(error)}", step="tls") from error


async def _say_hello(smtp: aiosmtplib.SMTP) -> None:
    reach("smtp", "EHLO", "before")
    reach_when_waiting("smtp", "EHLO", "written")
    try:
        await smtp.ehlo()
    except aiosmtplib.SMTPHeloError:
        if not smtp.is_connected:
            raise
        await smtp.helo()
    reach("smtp", "EHLO", "answered")


def _choose(offered: list[str], credentials: Credentials, server: str) -> str:
    wanted = ("xoauth2",) if credentials.oauth else ("plain", "login", "cram-md5")
    for mechanism in wanted:
        if mechanism in offered:
            return mechanism
    names = ", ".join(offered).upper() or "nothing"
    raise LoginRefusedError(f"{server} offers {names}: use a kind of login that it knows")


def _authenticate(smtp: aiosmtplib.SMTP, mechanism: str, username: str, secret: str) -> Awaitable[object]:
    match mechanism:
        case "xoauth2":
            return smtp.auth_xoauth2(username, secret)
        case "plain":
            return smtp.auth_plain(username, secret)
        case "login":
            return smtp.auth_login(username, secret)
        case _:
            return smtp.auth_crammd5(username, secret)
