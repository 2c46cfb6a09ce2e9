"""A way into one mailbox: sending in two steps, reading after cursors, being told of new mail.

Each error says what to do next. Library exceptions never cross this port.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class FolderRole(StrEnum):
    """What a folder is for; answers may land in every one of them."""

    INBOX = "inbox"
    JUNK = "junk"
    ARCHIVE = "archive"
    ALL = "all"
    SENT = "sent"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What is to be sent, composed."""

    sender: str
    recipient: str
    message_id: str
    raw: bytes  #: CRLF line ends, 7-bit.


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The server said yes to the final dot."""

    response: str  #: The server's own words, such as `250 2.0.0 queued as 4F2A`.
    provider_message_id: str | None = None
    provider_thread_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """How far one folder has been read. None in the mapping of cursors means: never."""

    folder: str  #: Name as the server says it, decoded.
    role: FolderRole
    uid_validity: int
    last_uid: int  #: Highest UID read.
    highest_modseq: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedMessage:
    """One raw message and where it lay."""

    folder: str
    role: FolderRole
    uid_validity: int
    uid: int
    internal_date: datetime
    raw: bytes  #: At most the connector's literal cap; larger ones are cut after their headers.
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderBatch:
    """Some new messages of one folder and the cursor that is right once they are stored."""

    messages: tuple[FetchedMessage, ...]
    cursor: Cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """Every mark by which one of our messages can be recognised in a Sent folder."""

    message_ids: tuple[str, ...]
    trace_header: str
    trace: str
    copy_header: str  #: Bears it who was put into Sent by us: such a copy is a find, but no witness to the route.
    recipient: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """It is in the mailbox: it was sent."""

    wire_message_id: str | None
    at: datetime
    by_us: bool = False  #: Only a copy that we put there is.


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound:
    """It is not there. Absence counts by what the server filed of ours after it, by the same route: its witness."""

    witness: datetime | None  #: When the newest such message was sent and filed, by whichever clock says less.


@dataclass(frozen=True, slots=True, kw_only=True)
class CannotLook:
    """This mailbox gives no way to look (nothing is saved to Sent, or there is no Sent folder)."""

    reason: str


Lookup = Found | NotFound | CannotLook


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckStep:
    """One line of a mailbox check."""

    name: str
    ok: bool
    detail: str  #: What was found and, if not ok, what to do.


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What a mailbox check found; None where it could not be learned."""

    steps: tuple[CheckStep, ...]
    saves_sent: bool | None = None
    ids_survive: bool | None = None

    @property
    def ok(self) -> bool:
        """Whether every step passed."""
        return all(step.ok for step in self.steps)


class ConnectorError(Exception):
    """Something outside said no. `str()` is one sentence for a person."""


class MailboxUnreachableError(ConnectorError):
    """The server does not answer or its certificate is not trusted. Nothing left: back off the mailbox."""


class TransactionLostError(MailboxUnreachableError):
    """The server was lost once the recipient had been named. Nothing left; perhaps it cannot bear this very message."""


class LoginRefusedError(ConnectorError):
    """The credentials were refused. Nothing left. Back off the mailbox and tell a person.

    `temporary`: the server said that it is its own trouble (`454`, `[UNAVAILABLE]`), not the password's.
    """

    def __init__(self, message: str, *, temporary: bool = False) -> None:
        super().__init__(message)
        self.temporary = temporary


class RejectedError(ConnectorError):
    """The server refused this message with a reply code. Nothing left. Classify code and text, then decide."""

    def __init__(self, *, stage: str, code: int, enhanced: str | None, text: str) -> None:
        super().__init__(f"{stage} was refused: {code} {text}")
        self.stage = stage  #: `MAIL`, `RCPT`, `DATA` or `dot`.
        self.code = code
        self.enhanced = enhanced  #: Such as `5.1.1`.
        self.text = text


class NotReleasedError(ConnectorError):
    """The last look before the final dot said no, or the deadline passed: the dot was not written. Nothing left."""


class OutcomeUnknownError(ConnectorError):
    """Perhaps the message left, perhaps not. Look it up before anything is tried again."""


class ReadingFailedError(ConnectorError):
    """A folder could not be read; cursors that were yielded still stand. Read again later; freshness does not move."""


class Staged(Protocol):
    """A transaction that the server is ready to take: nothing that can be refused before the body was refused."""

    async def release(self, *, may_leave: Callable[[], bool], time_limit: float) -> Accepted:
        """Write body and final dot and return the server's yes.

        `may_leave` is asked once more immediately before the dot. `time_limit` is in real seconds from now to the
        dot's reply. Raises NotReleasedError, RejectedError or MailboxUnreachableError (nothing left), or
        OutcomeUnknownError (dot written, no reply).
        """
        ...

    async def discard(self) -> None:
        """Give the transaction up; nothing has left."""
        ...


class Connector(Protocol):
    """One mailbox's connections. Not safe for two concurrent sends; reading and sending may overlap."""

    async def stage(self, envelope: Envelope) -> Staged:
        """Connect, log in, MAIL and RCPT. Raises MailboxUnreachableError, LoginRefusedError, RejectedError."""
        ...

    def read(self, cursors: Mapping[str, Cursor], *, since: datetime) -> AsyncIterator[FolderBatch]:
        r"""Yield what is new in every folder where answers land (Sent too), oldest first, then return.

        `since` bounds the first contact with a folder and the back-fill after a lost cursor. Never changes `\Seen`.
        Raises MailboxUnreachableError, LoginRefusedError, ReadingFailedError.
        """
        ...

    async def watch(self, on_change: Callable[[], None]) -> None:
        """Hold the notification and call `on_change` for every hint of new mail; returns only by raising.

        The first call says that it is held: something may have come in before. Calls `on_change` before anything is
        answered to the server, so that nobody can think the mailbox quiet. Raises MailboxUnreachableError,
        LoginRefusedError, ReadingFailedError; the caller reconnects with back-off.
        """
        ...

    async def find_sent(self, sought: Sought) -> Lookup:
        """Look for a message of ours in the Sent folder. Raises as `read` does."""
        ...

    async def save_sent(self, raw: bytes, *, at: datetime) -> None:
        r"""Append a copy, flagged \Seen, to the Sent folder. Raises as `read` does."""
        ...

    async def check(self, probe: Envelope, *, sleep: Callable[[float], Awaitable[None]]) -> CheckReport:
        """Try every part with precise words, send `probe` to the mailbox itself, and learn what happens to it."""
        ...

    async def close(self) -> None:
        """Let go of all connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """How to log in, opened just before use."""

    username: str
    secret: Callable[[], Awaitable[str]]  #: Password or token; may run a command. Asked at each login.
    oauth: bool = False  #: XOAUTH2 instead of a password.
    smtp_username: str | None = None  #: Where it differs.


class ConnectorFactory(Protocol):
    """Registered in the entry-point group `relance.connectors` under the provider's name."""

    def parse_settings(self, settings: Mapping[str, object]) -> Mapping[str, object]:
        """Validate a mailbox's settings and return them complete. Raises ValueError with what to do."""
        ...

    def connect(self, *, address: str, settings: Mapping[str, object], credentials: Credentials) -> Connector:
        """Return a connector; opens nothing yet."""
        ...
