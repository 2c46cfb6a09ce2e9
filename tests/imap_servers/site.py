"""A mailbox on some server, and what a rule may do with it. Rules know nothing else of the server."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

from acceptance.realservers.endpoint import Endpoint
from acceptance.realservers.layouts import Folder, Role
from connectors.scripted import FakeTime
from imap_servers.owner import Owner
from relance.connectors.smtp_imap.factory import SmtpImapFactory
from relance.ports.connector import Connector, Credentials, FetchedMessage, FolderRole
from relance.testing.connector_suite import Reader


def secret_of(text: str) -> Callable[[], Awaitable[str]]:
    """Return a secret as Credentials take it."""

    async def ask() -> str:
        return text

    return ask


@dataclass(slots=True, kw_only=True)
class Site:
    """One empty mailbox. `deliver` is the server's own way in; everything else the owner does over IMAP."""

    address: str
    username: str
    password: str
    endpoints: Sequence[Endpoint]  #: The first is used unless a rule asks for another.
    ca_file: Path
    folders: Sequence[Folder]
    separator: str
    all_mail: str | None = None  #: Where everything is that is neither unwanted nor thrown away: Gmail's.
    prefix: str
    now: Callable[[], datetime]
    deliver_raw: Callable[[bytes], Awaitable[None]]
    owner: Owner = field(init=False)
    time: FakeTime = field(default_factory=FakeTime)
    _opened: list[Connector] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Give the owner a mail program."""
        self.owner = Owner(self.endpoints[0], ca_file=self.ca_file, username=self.username, password=self.password)

    # --- the product's side

    def connect(
        self, *, through: Endpoint | str | None = None, password: str | None = None, **wishes: object
    ) -> Connector:
        """Return a connector of the product to this mailbox; `through` another port."""
        settings = {
            "smtp": "127.0.0.1:9:plain",
            "imap": str(through or self.endpoints[0]),
            "ca_file": str(self.ca_file),
            "command_seconds": 20.0,
            **wishes,
        }
        credentials = Credentials(username=self.username, secret=secret_of(password or self.password))
        factory = SmtpImapFactory(self.time)
        self._opened.append(factory.connect(address=self.address, settings=settings, credentials=credentials))
        return self._opened[-1]

    def reader(self, *, since: datetime | None = None) -> Reader:
        """Return a reader that keeps cursors as the engine does; by default from an hour ago on."""
        return Reader(self.connect(), since or self.now() - timedelta(hours=1))

    # --- what happens on the server

    def folder(self, role: Role) -> Folder:
        """Return the folder for a role."""
        return next(folder for folder in self.folders if folder.role is role)

    def home(self, name: str) -> tuple[str, FolderRole]:
        """Return under which folder, and as what, mail is handed over that lies in a folder somebody made."""
        return (self.all_mail, FolderRole.ALL) if self.all_mail else (name, FolderRole.OTHER)

    def user_folder(self, *parts: str) -> str:
        """Return the name of a folder somebody made, as this server spells it."""
        return self.prefix + self.separator.join(parts)

    async def deliver(self, *subjects: str, size: int = 0) -> None:
        """Let mail arrive in the INBOX, one after the other."""
        for subject in subjects:
            await self.deliver_raw(letter(self, subject, size=size))

    async def put(self, folder: str, *subjects: str, at: datetime | None = None) -> None:
        """File mail into a folder; `folder` is its name on the wire."""
        for subject in subjects:
            await asyncio.to_thread(self.owner.put, folder, letter(self, subject), at=at or self.now())

    async def remove(self, subject: str) -> None:
        """Let the owner delete a message for good; where there is all mail, it only left the INBOX before."""
        for folder in ("INBOX", *([self.all_mail] if self.all_mail else [])):
            await asyncio.to_thread(self.owner.remove, subject, folder)

    async def do(self, act: Callable[..., None], *arguments: str) -> None:
        """Let the owner do something."""
        await asyncio.to_thread(act, *arguments)

    async def close(self) -> None:
        """Let go of everything."""
        await asyncio.to_thread(self.owner.close)
        for connector in self._opened:
            await connector.close()


def letter(site: Site, subject: str, *, size: int = 0) -> bytes:
    """Return a message to the mailbox, with CRLF line ends; `size` more bytes of text."""
    message = EmailMessage()
    message["From"] = "whoever@south.example"
    message["To"] = site.address
    message["Date"] = format_datetime(site.now())
    message["Subject"] = subject
    message["Message-ID"] = f"<{subject.replace(' ', '-')}@south.example>"
    message.set_content("Text.\n" + ("x" * 76 + "\n") * (size // 77))
    return message.as_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def subject_of(message: FetchedMessage) -> str:
    """Return a message's subject."""
    return next(line[9:].decode() for line in message.raw.split(b"\r\n") if line.startswith(b"Subject: "))


def subjects(messages: Sequence[FetchedMessage]) -> list[str]:
    """Return the subjects of what was read, in its order."""
    return [subject_of(message) for message in messages]
