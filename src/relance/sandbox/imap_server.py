"""The IMAP server of one domain: greeting, login, IDLE, and the loop that hands commands to their functions.

It speaks IMAP4rev1 (RFC 3501) with the extensions its domain has; `imap_folders` and `imap_messages` do the rest.
"""

import base64
import binascii
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from relance.sandbox.activity import Activity
from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import Capability, Domain, SandboxMailbox, Security
from relance.sandbox.faults import Faults, LoginFate, Protocol
from relance.sandbox.imap_folders import FOLDER_COMMANDS
from relance.sandbox.imap_messages import MESSAGE_COMMANDS
from relance.sandbox.imap_session import Answer, Idling, Session
from relance.sandbox.imap_syntax import Command, CommandRefused, Token, read_command, text_of
from relance.sandbox.sasl import PlainLogin, oauth_refusal, read_plain, read_xoauth2
from relance.sandbox.wire import Listener, Wire


@dataclass(slots=True, kw_only=True)
class ImapServer:
    """Serves the mailboxes of one domain, by their user names."""

    domain: Domain
    clock: SandboxClock
    faults: Faults
    activity: Activity
    tls: ssl.SSLContext
    mailboxes: Mapping[str, SandboxMailbox]
    commands: int = 0
    """How many commands have been answered."""
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

    def cut_all(self) -> None:
        """Break every connection and keep listening."""
        self._listener.cut_all()

    async def _attend(self, wire: Wire) -> None:
        session = Session(wire=wire, domain=self.domain, clock=self.clock, faults=self.faults, activity=self.activity)
        wire.write(f"* OK [CAPABILITY {self._capabilities(session)}] {self.domain.name} ready\r\n".encode())
        wire.at_rest()
        try:
            while await self._converse(session):
                wire.at_rest()
        finally:
            session.choose(None)

    async def _converse(self, session: Session) -> bool:
        """Answer one command; False when the conversation is over."""
        tag = "*"
        try:
            command = await read_command(session.wire, literal_plus=session.has(Capability.LITERAL_PLUS))
            tag = command.tag
            self.commands += 1
            session.wire.write(b"".join(session.news()))
            answer = await self._answer(session, command)
        except CommandRefused as refused:
            answer = Answer(status=refused.status, text=refused.text)
        lines = [*answer.untagged, f"{tag} {answer.status} {answer.text}\r\n".encode()]
        session.wire.write(b"".join(lines))
        if answer.text == _BEGIN_TLS:
            await session.wire.start_tls(self.tls)
        return answer.text != _GOODBYE

    async def _answer(self, session: Session, command: Command) -> Answer:
        match command.name:
            case "LOGIN" | "AUTHENTICATE" | "STARTTLS" if session.mailbox is not None:
                raise CommandRefused("Already logged in", "BAD")
            case "LOGIN" | "AUTHENTICATE" if self._must_encrypt(session):
                raise CommandRefused("[PRIVACYREQUIRED] Encrypt first")
            case "LOGIN":
                return self._login(session, command.args)
            case "AUTHENTICATE":
                return await self._authenticate(session, command.args)
            case "STARTTLS" if self.domain.security is Security.STARTTLS and not session.wire.encrypted:
                return Answer(text=_BEGIN_TLS)
            case "IDLE" if session.has(Capability.IDLE):
                return await _idle(session)
            case "CAPABILITY":
                return Answer(
                    untagged=[f"* CAPABILITY {self._capabilities(session)}\r\n".encode()], text="CAPABILITY done"
                )
            case "LOGOUT":
                return Answer(untagged=[b"* BYE See you\r\n"], text=_GOODBYE)
            case _:
                return _plain_command(session, command)

    # --- who is there

    def _must_encrypt(self, session: Session) -> bool:
        return self.domain.security is Security.STARTTLS and not session.wire.encrypted

    def _capabilities(self, session: Session) -> str:
        offered = ["IMAP4rev1", "ID", "ENABLE", "UNSELECT", "NAMESPACE"]
        offered += sorted(each.value for each in self.domain.capabilities)
        if self._must_encrypt(session):
            return " ".join([*offered, "STARTTLS", "LOGINDISABLED"])
        return " ".join([*offered, "SASL-IR", "AUTH=PLAIN", "AUTH=XOAUTH2"])

    def _login(self, session: Session, args: list[Token]) -> Answer:
        if len(args) != 2:
            raise CommandRefused("LOGIN takes a name and a password", "BAD")
        return self._let_in(session, PlainLogin(username=text_of(args[0]), secret=text_of(args[1])))

    def _let_in(self, session: Session, login: PlainLogin) -> Answer:
        mailbox = self.mailboxes.get(login.username.lower())
        if mailbox is None or login.secret != mailbox.password:
            raise CommandRefused("[AUTHENTICATIONFAILED] Invalid credentials")
        match self.faults.at_login(Protocol.IMAP, mailbox.username):
            case LoginFate.UNAVAILABLE | LoginFate.REFUSED:
                raise CommandRefused("[UNAVAILABLE] Temporary authentication failure, try again later")
            case LoginFate.LET_IN:
                session.mailbox = mailbox
                return Answer(text=f"[CAPABILITY {self._capabilities(session)}] Logged in")

    async def _authenticate(self, session: Session, args: list[Token]) -> Answer:
        mechanism = text_of(args[0]).upper() if args else ""
        if mechanism not in {"PLAIN", "XOAUTH2"}:
            raise CommandRefused(f"[CANNOT] No mechanism {mechanism}")
        if len(args) > 1:
            response = text_of(args[1]).encode()
        else:
            session.wire.write(b"+ \r\n")
            response = await session.wire.line()
        if response == b"*":
            raise CommandRefused("Cancelled", "BAD")
        try:
            decoded = base64.b64decode(response, validate=True)
            login = read_plain(decoded) if mechanism == "PLAIN" else read_xoauth2(decoded)
        except (ValueError, binascii.Error):
            raise CommandRefused("Cannot read the response", "BAD") from None
        mailbox = self.mailboxes.get(login.username.lower())
        if mechanism == "XOAUTH2" and (mailbox is None or mailbox.password != login.secret):
            session.wire.write(b"+ " + oauth_refusal() + b"\r\n")
            await session.wire.line()
        return self._let_in(session, login)


_BEGIN_TLS = "Begin TLS"
_GOODBYE = "LOGOUT done"


async def _idle(session: Session) -> Answer:
    """IDLE: push news of the selected folder until the client says DONE (RFC 2177)."""
    session.owner()
    session.idling = Idling.TOLD
    try:
        session.wire.write(b"+ idling\r\n")
        session.wire.at_rest()
        line = await session.wire.line()
    finally:
        session.idling = Idling.NO
    if line.upper() != b"DONE":
        raise CommandRefused("IDLE ends with DONE", "BAD")
    return Answer(untagged=session.news(), text="IDLE done")


def _noop(session: Session, _: list[Token]) -> Answer:
    if session.folder is not None:
        session.activity.read(session.folder)
    return Answer(text="Done")


def _id(_: Session, __: list[Token]) -> Answer:
    return Answer(untagged=[b'* ID ("name" "sandbox")\r\n'], text="ID done")


def _enable(session: Session, args: list[Token]) -> Answer:
    wants = {text_of(each).upper() for each in args}
    if "CONDSTORE" in wants and session.has(Capability.CONDSTORE):
        session.condstore = True
        return Answer(untagged=[b"* ENABLED CONDSTORE\r\n"], text="ENABLE done")
    return Answer(untagged=[b"* ENABLED\r\n"], text="ENABLE done")


_COMMANDS: Mapping[str, Callable[[Session, list[Token]], Answer]] = {
    **FOLDER_COMMANDS,
    **MESSAGE_COMMANDS,
    "NOOP": _noop,
    "CHECK": _noop,
    "ID": _id,
    "ENABLE": _enable,
}
_BEFORE_LOGIN = {"NOOP", "ID"}


def _plain_command(session: Session, command: Command) -> Answer:
    function = _COMMANDS.get(command.name)
    if function is None:
        raise CommandRefused(f"No command {command.name}", "BAD")
    if command.name not in _BEFORE_LOGIN:
        session.owner()
    return function(session, command.args)
