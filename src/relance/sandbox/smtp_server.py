"""The submission server of one domain (RFC 5321, RFC 6409): it accepts mail from its mailboxes and hands it on.

Rule: what the journal calls accepted is decided the moment the final dot arrives; the reply comes after, or never.
"""

import base64
import binascii
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from relance.sandbox.activity import Activity
from relance.sandbox.domains import Domain, SandboxMailbox, Security
from relance.sandbox.faults import DataFate, Faults, LoginFate, Protocol
from relance.sandbox.post_office import Envelope, PostOffice
from relance.sandbox.sasl import PlainLogin, oauth_refusal, read_plain, read_xoauth2
from relance.sandbox.wire import Listener, Wire

_SIZE_LIMIT = 26_214_400
_PATH = re.compile(r"(FROM|TO):\s*<([^>]*)>(.*)", re.IGNORECASE)


@dataclass(slots=True, kw_only=True)
class _Submission:
    """One connection's state."""

    wire: Wire
    mailbox: SandboxMailbox | None = None
    sender: str | None = None
    recipients: list[str] = field(default_factory=list)

    def reset(self) -> None:
        self.sender = None
        self.recipients = []


class _Reply(Exception):  # noqa: N818 -- an answer, not a fault
    """A refusal: the reply line to send instead of carrying the command out."""


@dataclass(slots=True, kw_only=True)
class SmtpServer:
    """Serves the mailboxes of one domain, by their user names."""

    domain: Domain
    faults: Faults
    activity: Activity
    tls: ssl.SSLContext
    mailboxes: Mapping[str, SandboxMailbox]
    post_office: PostOffice
    refusal_of: Callable[[str], str | None]
    """Say how a recipient outside this world is refused at RCPT, or None when they are not."""
    _listener: Listener = field(init=False)

    def __post_init__(self) -> None:
        self._listener = Listener(self.activity, self._attend)

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        return self._listener.port

    async def start(self) -> None:
        """Listen."""
        await self._listener.start(self.tls if self.domain.security is Security.TLS else None)

    async def stop(self) -> None:
        """Stop listening and break every connection."""
        await self._listener.stop()

    def cut_all(self, only: Callable[[Wire], bool] = lambda _: True) -> None:
        """Break every connection, or only some, and keep listening."""
        self._listener.cut_all(only)

    async def _attend(self, wire: Wire) -> None:
        if self.faults.refuses_connection():
            wire.write(f"421 4.3.2 {self.domain.name} too busy, try again later\r\n".encode())
            return
        wire.write(f"220 smtp.{self.domain.name} ESMTP sandbox\r\n".encode())
        submission = _Submission(wire=wire)
        going_on = True
        while going_on:
            wire.at_rest()
            line = (await wire.line()).decode("utf-8", "replace")
            verb, _, argument = line.partition(" ")
            try:
                going_on = await self._answer(submission, verb.upper(), argument.strip())
            except _Reply as reply:
                wire.write(f"{reply}\r\n".encode())

    async def _answer(self, submission: _Submission, verb: str, argument: str) -> bool:
        """Carry out one command; False when the conversation is over."""
        wire = submission.wire
        match verb:
            case "EHLO":
                submission.reset()
                wire.write(self._greeting(wire))
            case "HELO":
                submission.reset()
                wire.write(f"250 smtp.{self.domain.name}\r\n".encode())
            case "STARTTLS" if self._must_encrypt(wire):
                wire.write(b"220 2.0.0 Begin TLS\r\n")
                await wire.start_tls(self.tls)
                submission.mailbox = None
                submission.reset()
            case "AUTH":
                await self._authenticate(submission, argument)
            case "MAIL":
                self._mail(submission, argument)
            case "RCPT":
                self._rcpt(submission, argument)
            case "DATA":
                return await self._data(submission)
            case "RSET":
                submission.reset()
                wire.write(b"250 2.0.0 Forgotten\r\n")
            case "NOOP":
                wire.write(b"250 2.0.0 Here\r\n")
            case "VRFY":
                wire.write(b"252 2.5.0 Try to send\r\n")
            case "QUIT":
                wire.write(b"221 2.0.0 See you\r\n")
                return False
            case _:
                raise _Reply(f"500 5.5.1 No command {verb[:20]}")
        return True

    # --- who is there

    def _must_encrypt(self, wire: Wire) -> bool:
        return self.domain.security is Security.STARTTLS and not wire.encrypted

    def _greeting(self, wire: Wire) -> bytes:
        lines = [f"smtp.{self.domain.name}", f"SIZE {_SIZE_LIMIT}", "8BITMIME", "PIPELINING", "ENHANCEDSTATUSCODES"]
        lines.append("STARTTLS" if self._must_encrypt(wire) else "AUTH PLAIN LOGIN XOAUTH2")
        marks = ["-"] * (len(lines) - 1) + [" "]
        return "".join(f"250{mark}{line}\r\n" for mark, line in zip(marks, lines, strict=True)).encode()

    async def _authenticate(self, submission: _Submission, argument: str) -> None:
        wire = submission.wire
        if self._must_encrypt(wire):
            raise _Reply("530 5.7.0 Encrypt first")
        if submission.mailbox is not None:
            raise _Reply("503 5.5.1 Already logged in")
        mechanism, _, initial = argument.partition(" ")
        login = await self._login(wire, mechanism.upper(), initial.strip())
        mailbox = self.mailboxes.get(login.username.lower())
        if mailbox is None or mailbox.password != login.secret:
            if mechanism.upper() == "XOAUTH2":
                wire.write(b"334 " + oauth_refusal() + b"\r\n")
                await wire.line()
            raise _Reply("535 5.7.8 Authentication credentials invalid")
        match self.faults.at_login(Protocol.SMTP, mailbox.username):
            case LoginFate.UNAVAILABLE:
                raise _Reply("454 4.7.0 Temporary authentication failure")
            case LoginFate.REFUSED:
                raise _Reply("535 5.7.8 Authentication credentials invalid")
            case LoginFate.LET_IN:
                submission.mailbox = mailbox
                wire.write(b"235 2.7.0 Logged in\r\n")

    async def _login(self, wire: Wire, mechanism: str, initial: str) -> PlainLogin:
        try:
            match mechanism:
                case "PLAIN":
                    return read_plain(base64.b64decode(initial or await _ask(wire, ""), validate=True))
                case "XOAUTH2":
                    return read_xoauth2(base64.b64decode(initial or await _ask(wire, ""), validate=True))
                case "LOGIN":
                    name = initial or await _ask(wire, "Username:")
                    secret = await _ask(wire, "Password:")
                    return PlainLogin(username=_decoded(name), secret=_decoded(secret))
                case _:
                    raise _Reply("504 5.5.4 No such mechanism")
        except (ValueError, binascii.Error):
            raise _Reply("501 5.5.2 Cannot read the response") from None

    # --- a message

    def _mail(self, submission: _Submission, argument: str) -> None:
        if submission.mailbox is None:
            raise _Reply("530 5.7.0 Log in first")
        if submission.sender is not None:
            raise _Reply("503 5.5.1 One message at a time")
        sender, options = _path(argument, "FROM")
        size = re.search(r"\bSIZE=(\d+)", options, re.IGNORECASE)
        if size is not None and int(size[1]) > _SIZE_LIMIT:
            raise _Reply("552 5.3.4 Too large")
        submission.sender = sender
        submission.wire.write(b"250 2.1.0 Sender fine\r\n")

    def _rcpt(self, submission: _Submission, argument: str) -> None:
        if submission.mailbox is None or submission.sender is None:
            raise _Reply("503 5.5.1 Say MAIL first")
        recipient, _ = _path(argument, "TO")
        if "@" not in recipient:
            raise _Reply("553 5.1.3 No address")
        refusal = self._refusal(recipient)
        if refusal is not None:
            self.post_office.refuse(submission.mailbox, recipient, refusal)
            raise _Reply(refusal)
        submission.recipients.append(recipient)
        submission.wire.write(b"250 2.1.5 Recipient fine\r\n")

    def _refusal(self, recipient: str) -> str | None:
        if self.post_office.is_ours(recipient):
            known = self.post_office.mailbox_of(recipient) is not None
            return None if known else f"550 5.1.1 <{recipient}>: Recipient address rejected: User unknown"
        refusal = self.refusal_of(recipient.lower())
        if refusal is None and self.faults.greylists(recipient.lower()):
            return f"451 4.7.1 <{recipient}>: Recipient address rejected: Greylisted, try again in 300 seconds"
        return refusal

    async def _data(self, submission: _Submission) -> bool:
        if submission.mailbox is None or submission.sender is None or not submission.recipients:
            raise _Reply("554 5.5.1 No valid recipients")
        wire = submission.wire
        wire.write(b"354 End with a dot\r\n")
        raw = await _message(wire)
        if len(raw) > _SIZE_LIMIT:
            submission.reset()
            raise _Reply("552 5.3.4 Too large")
        envelope = Envelope(
            mailbox=submission.mailbox, sender=submission.sender, recipients=tuple(submission.recipients), raw=raw
        )
        submission.reset()
        to_people = any(not self.post_office.is_ours(each) for each in envelope.recipients)
        fate = self._fate() if to_people else DataFate.ACCEPT
        match fate:
            case DataFate.ACCEPT:
                self.post_office.accept(envelope)
                wire.write(b"250 2.0.0 Accepted\r\n")
                return True
            case DataFate.ACCEPT_AND_DROP:
                self.post_office.accept(envelope)
            case DataFate.LOSE_AND_DROP:
                self.post_office.lose(envelope)
        wire.cut()
        return False

    def _fate(self) -> DataFate:
        return self.faults.after_data(self.domain.name, saves_sent=self.domain.saves_sent)


async def _message(wire: Wire) -> bytes:
    """Read up to the final dot and take the stuffed dots away (RFC 5321 §4.5.2)."""
    if await wire.starts_with(b".\r\n"):
        await wire.exactly(3)
        return b""
    stuffed = (await wire.until(b"\r\n.\r\n"))[:-3]
    return re.sub(rb"(\A|\r\n)\.", rb"\1", stuffed)


async def _ask(wire: Wire, prompt: str) -> str:
    wire.write(b"334 " + base64.b64encode(prompt.encode()) + b"\r\n")
    answer = (await wire.line()).decode("ascii", "replace")
    if answer == "*":
        raise _Reply("501 5.0.0 Cancelled")
    return answer


def _decoded(text: str) -> str:
    return base64.b64decode(text, validate=True).decode()


def _path(argument: str, keyword: str) -> tuple[str, str]:
    """Read `FROM:<…>` or `TO:<…>` with its options."""
    found = _PATH.fullmatch(argument)
    if found is None or found[1].upper() != keyword:
        raise _Reply(f"501 5.5.4 {keyword}:<address> is missing")
    return found[2], found[3]
