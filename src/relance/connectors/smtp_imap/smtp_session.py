"""Sending one message in two steps: everything that can be refused first, then the body and the dot.

Rule 1: what fails before the dot is written is definite: nothing left. Only after it can the outcome be unknown.
Rule 2: a complete 2xx reply to the dot is a yes, a complete 4xx or 5xx reply is a no, anything else is neither.
Rule 3: a kept connection is proven by RSET before it is used, and replaced once; after MAIL nothing is tried again.
Rule 4: a transaction that is given up before its dot breaks the connection, so that no server takes it for whole.
"""

import asyncio
import contextlib
import re
from collections.abc import Callable
from typing import cast

import aiosmtplib

from relance.connectors.smtp_imap.data_phase import DataPhase, stuff_dots
from relance.connectors.smtp_imap.errors import WireLostError
from relance.connectors.smtp_imap.settings import Settings
from relance.connectors.smtp_imap.smtp_login import (
    SERVICE_CLOSES,
    connect_smtp,
    drop,
    explain,
    log_in_smtp,
    speaks_smtp,
)
from relance.connectors.smtp_imap.smtp_replies import Reply, enhanced_code
from relance.connectors.smtp_imap.tls import TlsDoors
from relance.ports.connector import (
    Accepted,
    Credentials,
    Envelope,
    LoginRefusedError,
    MailboxUnreachableError,
    NotReleasedError,
    OutcomeUnknownError,
    RejectedError,
    TransactionLostError,
)
from relance.ports.faultpoints import reach, reach_when_waiting

PROBE_SECONDS = 15.0  # for the RSET that proves a kept connection
START_INPUT = 354
LOGIN_REQUIRED = 530
BAD_ADDRESS = 553
QUIT_SECONDS = 0.5  # politeness has its limits
# RFC 5321 §4.1.2: a dot-string or a quoted string, then a domain or an address literal; printable ASCII only.
ADDRESS = re.compile(
    r"""(?:[^\s<>()\[\],;:\\"@\x00-\x1f\x7f-\U0010ffff]+|"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*")"""
    r"""@(?:[A-Za-z0-9._-]+|\[[A-Za-z0-9.:-]+\])"""
)


class SmtpSender:
    """One mailbox's sending side. Keeps its connection between messages, for a while."""

    def __init__(self, *, settings: Settings, credentials: Credentials, doors: TlsDoors, local_name: str) -> None:
        self._settings = settings
        self._credentials = credentials
        self._doors = doors
        self._local_name = local_name
        self._smtp: aiosmtplib.SMTP | None = None
        self._used = False  # whether RSET has to prove the connection
        self._turn = asyncio.Lock()
        self._staged: StagedMessage | None = None
        self._expiry: asyncio.TimerHandle | None = None

    async def stage(self, envelope: Envelope) -> "StagedMessage":
        """Connect or reuse, MAIL and RCPT. A message that was staged before and not released is given up.

        Raises MailboxUnreachableError, LoginRefusedError, RejectedError.
        """
        _refuse_bad_address("MAIL", envelope.sender)
        _refuse_bad_address("RCPT", envelope.recipient)
        async with self._turn:
            if self._staged is not None:
                self._staged.is_over = True
                self._staged = None
            self._keep(None)
            smtp = await self._connection()
            self._used = True
            try:
                await self._announce(smtp, envelope)
            except BaseException as error:
                if not isinstance(error, RejectedError):
                    self.abort()
                elif smtp.is_connected:
                    self._keep(self._settings.keep_seconds)
                raise
            self._staged = StagedMessage(self, smtp, envelope)
            return self._staged

    async def prove_login(self) -> str:
        """Connect and log in afresh and return how. Raises MailboxUnreachableError, LoginRefusedError."""
        async with self._turn:
            await self._quit()
            return await self._open()

    async def close(self) -> None:
        """Take leave of the server."""
        async with self._turn:
            self._keep(None)
            await self._quit()

    def abort(self) -> None:
        """Break the connection at once."""
        smtp, self._smtp = self._smtp, None
        self._keep(None)
        if smtp is not None:
            drop(smtp)

    async def hand_over(self, staged: "StagedMessage", may_leave: Callable[[], bool], time_limit: float) -> Accepted:
        """Write body and dot of `staged`; see `Staged.release`."""
        deadline = asyncio.get_running_loop().time() + time_limit
        async with self._turn:
            transport = staged.smtp.transport
            if staged.is_over or staged.smtp is not self._smtp:
                raise NotReleasedError("the transaction was given up before its body: nothing left")
            staged.is_over = True
            self._staged = None
            if transport is None or transport.is_closing():
                self.abort()
                raise TransactionLostError(f"{self._server} closed the connection before the body: nothing left")
            phase = DataPhase(cast("asyncio.Transport", transport))
            try:
                reply = await self._transmit(phase, staged.envelope, may_leave, deadline)
            except BaseException as error:
                if isinstance(error, RejectedError) and not phase.takes_body:
                    phase.give_back()
                    self._settle(error.code)
                else:
                    phase.abort()
                    phase.give_back()
                    self.abort()
                raise
            phase.give_back()
            self._settle(reply.code)
            if reply.is_no:
                raise _rejected("dot", reply)
            return Accepted(response=f"{reply.code} {reply.text}")

    async def discard(self, staged: "StagedMessage") -> None:
        """Give `staged` up, leaving the server without an open transaction."""
        async with self._turn:
            if staged.is_over or staged.smtp is not self._smtp:
                return
            staged.is_over = True
            self._staged = None
            if await self._reset(staged.smtp):
                self._keep(self._settings.keep_seconds)
            else:
                self.abort()

    # --- inside ---

    @property
    def _server(self) -> str:
        return f"the SMTP server {self._settings.smtp}"

    async def _connection(self) -> aiosmtplib.SMTP:
        """Return a live connection that is logged in, the kept one if it can be proven."""
        if self._smtp is not None and self._used and not (self._smtp.is_connected and await self._reset(self._smtp)):
            self.abort()
        if self._smtp is None:
            await self._open()
        if self._smtp is None:
            raise MailboxUnreachableError(f"{self._server} closed the connection at once")
        return self._smtp

    async def _open(self) -> str:
        smtp = await connect_smtp(self._settings, self._doors, local_name=self._local_name)
        self._smtp, self._used = smtp, False
        try:
            return await log_in_smtp(smtp, self._credentials, self._settings)
        except BaseException:
            self.abort()
            raise

    async def _reset(self, smtp: aiosmtplib.SMTP) -> bool:
        reach("smtp", "RSET", "before")
        reach_when_waiting("smtp", "RSET", "written")
        try:
            await smtp.rset(timeout=min(PROBE_SECONDS, self._settings.command_seconds))
        except (aiosmtplib.SMTPException, OSError):
            return False
        reach("smtp", "RSET", "answered")
        return True

    async def _announce(self, smtp: aiosmtplib.SMTP, envelope: Envelope) -> None:
        size = f" SIZE={len(envelope.raw)}" if smtp.supports_extension("size") else ""
        for stage, argument in (("MAIL", f"FROM:<{envelope.sender}>{size}"), ("RCPT", f"TO:<{envelope.recipient}>")):
            reach("smtp", stage, "before")
            reach_when_waiting("smtp", stage, "written")
            try:
                # Not mail() and rcpt(): they would make some address out of whatever they are given.
                code, text = await smtp.execute_command(stage.encode("ascii"), argument.encode("ascii"))
            except (aiosmtplib.SMTPException, OSError) as error:
                lost = TransactionLostError if stage == "RCPT" else MailboxUnreachableError
                raise lost(f"{self._server} was lost before the message: {explain(error)}") from error
            reach("smtp", stage, "answered")
            if not Reply(code=code, text=text).is_yes:
                raise self._refusal(stage, code, text)

    def _refusal(self, stage: str, code: int, text: str) -> Exception:
        if not speaks_smtp(code):
            lost = TransactionLostError if stage == "RCPT" else MailboxUnreachableError
            return lost(f"{self._server} answered {stage} with something that is no refusal: {code}")
        if stage == "MAIL" and code == SERVICE_CLOSES:
            return MailboxUnreachableError(f"{self._server} takes no message now: {code} {text}")
        if stage == "MAIL" and code == LOGIN_REQUIRED:
            return LoginRefusedError(f"{self._server} wants a login first: {code} {text}")
        return RejectedError(stage=stage, code=code, enhanced=enhanced_code(text), text=text)

    async def _transmit(
        self, phase: DataPhase, envelope: Envelope, may_leave: Callable[[], bool], deadline: float
    ) -> Reply:
        await self._send_body(phase, stuff_dots(envelope.raw), deadline)
        if asyncio.get_running_loop().time() >= deadline or not may_leave():
            raise NotReleasedError("the last look before the final dot said no: nothing left")
        reach("smtp", "dot", "before")
        try:
            phase.write_dot()
        except WireLostError as error:
            raise TransactionLostError(f"{self._server} was lost before the final dot: {error}") from error
        reach("smtp", "dot", "written")
        try:
            async with asyncio.timeout_at(deadline):
                reply = await phase.reply()
        except TimeoutError:
            raise OutcomeUnknownError(f"{self._server} did not answer the final dot in time") from None
        except WireLostError as error:
            raise OutcomeUnknownError(f"{self._server} was lost after the final dot: {error}") from error
        reach("smtp", "dot", "answered")
        if not (reply.is_yes or reply.is_no):
            raise OutcomeUnknownError(f"{self._server} answered the final dot with {reply.code} {reply.text}")
        return reply

    async def _send_body(self, phase: DataPhase, body: bytes, deadline: float) -> None:
        """Send everything but the dot. Whatever goes wrong here is definite."""
        try:
            async with asyncio.timeout_at(deadline):
                reach("smtp", "DATA", "before")
                await phase.write(b"DATA\r\n")
                reach("smtp", "DATA", "written")
                start = await phase.reply()
                reach("smtp", "DATA", "answered")
                if start.code != START_INPUT:
                    raise self._no_start(start)
                phase.takes_body = True
                await phase.write(body)
                reach("smtp", "body", "written")
                await asyncio.sleep(0)  # let what the server already said be heard
        except TimeoutError:
            # Not NotReleasedError, which is tried again at once: megabytes over a slow line would be, for ever.
            raise TransactionLostError(f"{self._server} did not take the body in time: nothing left") from None
        except WireLostError as error:
            early = _early(phase)
            if early is not None and early.is_no:
                raise _rejected("DATA", early) from error
            raise TransactionLostError(f"{self._server} was lost before the final dot: {error}") from error
        if phase.was_interrupted:
            early = _early(phase)
            if early is not None and early.is_no:
                raise _rejected("DATA", early)
            raise TransactionLostError(f"{self._server} spoke in the middle of the message: nothing left")

    def _no_start(self, reply: Reply) -> Exception:
        if reply.is_no:
            return _rejected("DATA", reply)
        return TransactionLostError(f"{self._server} answered DATA with {reply.code} {reply.text}: nothing left")

    def _settle(self, code: int) -> None:
        """Keep the connection for the next message, unless the server said that it closes."""
        if code == SERVICE_CLOSES:
            self.abort()
        else:
            self._keep(self._settings.keep_seconds)

    def _keep(self, seconds: float | None) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        if seconds is not None:
            self._expiry = asyncio.get_running_loop().call_later(seconds, self._retire)

    def _retire(self) -> None:
        """Take leave of a server that was not needed for a while; runs between two messages only."""
        smtp, self._smtp = self._smtp, None
        if smtp is not None and smtp.is_connected:
            reach("smtp", "QUIT", "before")
            cast("asyncio.Transport", smtp.transport).write(b"QUIT\r\n")
            reach("smtp", "QUIT", "written")
            smtp.close()

    async def _quit(self) -> None:
        if self._smtp is not None and self._smtp.is_connected:
            transport = cast("asyncio.Transport", self._smtp.transport)  # quit() forgets it half closed
            reach("smtp", "QUIT", "before")
            reach_when_waiting("smtp", "QUIT", "written")
            with contextlib.suppress(aiosmtplib.SMTPException, OSError):
                await self._smtp.quit(timeout=min(QUIT_SECONDS, self._settings.command_seconds))
            reach("smtp", "QUIT", "answered")
            transport.abort()
        self.abort()
        await asyncio.sleep(0)  # lets the loop forget the socket before it may be closed itself


class StagedMessage:
    """A message that the server is ready to take; see `ports.connector.Staged`."""

    __slots__ = ("_sender", "envelope", "is_over", "smtp")

    def __init__(self, sender: SmtpSender, smtp: aiosmtplib.SMTP, envelope: Envelope) -> None:
        self._sender = sender
        self.smtp = smtp
        self.envelope = envelope
        self.is_over = False

    async def release(self, *, may_leave: Callable[[], bool], time_limit: float) -> Accepted:
        """Write body and dot and return the server's yes.

        Raises NotReleasedError, MailboxUnreachableError or RejectedError (nothing left), OutcomeUnknownError.
        """
        return await self._sender.hand_over(self, may_leave, time_limit)

    async def discard(self) -> None:
        """Give the transaction up; nothing has left."""
        await self._sender.discard(self)


def _refuse_bad_address(stage: str, address: str) -> None:
    """Raise RejectedError for what SMTP cannot carry, or could be made to misread."""
    if ADDRESS.fullmatch(address) is None:
        text = "the address cannot be written in SMTP without SMTPUTF8"
        raise RejectedError(stage=stage, code=BAD_ADDRESS, enhanced="5.6.7", text=text)


def _early(phase: DataPhase) -> Reply | None:
    with contextlib.suppress(WireLostError):
        return phase.early_reply()
    return None


def _rejected(stage: str, reply: Reply) -> RejectedError:
    return RejectedError(stage=stage, code=reply.code, enhanced=reply.enhanced, text=reply.text)
