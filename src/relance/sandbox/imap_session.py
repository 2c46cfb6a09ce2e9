"""What the IMAP server knows about one connection, and how commands see it.

Rule: changes by others are told before a command is carried out, so that sequence numbers always agree with what the
client has been told (RFC 3501 §7.4.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from relance.sandbox.activity import Activity
from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import Capability, Domain, SandboxMailbox
from relance.sandbox.faults import Faults, PushFate
from relance.sandbox.imap_syntax import CommandRefused, Token, text_of
from relance.sandbox.mailstore import Folder, decode_folder
from relance.sandbox.wire import Wire


class Idling(StrEnum):
    """Whether the connection is inside IDLE, and whether it hears anything there."""

    NO = "no"  #: Ordinary commands.
    TOLD = "told"  #: News is pushed.
    SILENT = "silent"  #: A fault: news is kept back until the client ends IDLE.


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A command's outcome: untagged lines (with their ends), then the status and its text."""

    untagged: Sequence[bytes] = ()
    text: str
    status: str = "OK"


@dataclass(slots=True, kw_only=True, eq=False)
class Session:
    """One connection's state; it watches the selected folder."""

    wire: Wire
    domain: Domain
    clock: SandboxClock
    faults: Faults
    activity: Activity
    mailbox: SandboxMailbox | None = None
    folder: Folder | None = None
    read_only: bool = False
    condstore: bool = False
    """Whether the client has shown that it understands MODSEQ (RFC 7162 §3.1)."""
    idling: Idling = Idling.NO
    _news: list[bytes] = field(default_factory=list)
    _told_exists: int = 0

    def owner(self) -> SandboxMailbox:
        """Return whose mail this is; NO before a login."""
        if self.mailbox is None:
            raise CommandRefused("Log in first")
        return self.mailbox

    def selected(self) -> Folder:
        """Return the selected folder; NO when none is."""
        if self.folder is None:
            raise CommandRefused("Select a folder first")
        return self.folder

    def named(self, token: Token) -> Folder:
        """Return a folder by its name on the wire; NO when there is none."""
        name = text_of(token)
        folder = self.owner().store.folder(decode_folder(name))
        if folder is None:
            raise CommandRefused(f"[NONEXISTENT] No folder {name}")
        return folder

    def has(self, capability: Capability) -> bool:
        """Say whether the domain offers an extension."""
        return capability in self.domain.capabilities

    def choose(self, folder: Folder | None, *, read_only: bool = False) -> None:
        """Select another folder, or none."""
        if self.folder is not None:
            self.folder.unwatch(self)
        self.folder, self.read_only = folder, read_only
        self._news.clear()
        if folder is not None:
            folder.watch(self)
            self._told_exists = len(folder)
            self.activity.read(folder)

    # --- what others do to the folder (mailstore.Watcher)

    def arrived(self) -> None:
        """Push the news to a client that idles; keep it for the next command otherwise."""
        if self.idling is not Idling.TOLD:
            return
        match self.faults.at_push():
            case PushFate.PUSH:
                self.wire.push(b"".join(self.news()), self.folder)
            case PushFate.SILENCE:
                self.idling = Idling.SILENT
            case PushFate.CLOSE:
                self.idling = Idling.SILENT
                self.wire.close()

    def expunged(self, sequence: int) -> None:
        """Keep the news for the next command, or push it to a client that idles."""
        if sequence <= self._told_exists:
            self._told_exists -= 1
            self._news.append(b"* %d EXPUNGE\r\n" % sequence)
        if self.idling is Idling.TOLD:
            self.wire.push(b"".join(self.news()), self.folder)

    def news(self) -> list[bytes]:
        """Return what the client has not been told about the selected folder, and count it as told."""
        told, self._news = self._news, []
        if self.folder is not None and len(self.folder) != self._told_exists:
            self._told_exists = len(self.folder)
            told.append(b"* %d EXISTS\r\n" % self._told_exists)
        return told
