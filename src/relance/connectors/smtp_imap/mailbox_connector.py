"""One mailbox by SMTP and IMAP: the port `Connector`, put together from its parts.

Rule 1: sending has one connection, reading a second, watching a third; none waits for another.
Rule 2: a kept reading connection that was unused for a while is proven before it is trusted, and replaced once.
Rule 3: between two batches nothing is locked: whoever takes the batches may use the connector meanwhile.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import datetime

from relance.connectors.smtp_imap.errors import LostError, RefusedError
from relance.connectors.smtp_imap.fetching import FetchLimits, Trouble, next_batch
from relance.connectors.smtp_imap.folders import Folder, choose_folders, sent_name
from relance.connectors.smtp_imap.imap_login import open_session
from relance.connectors.smtp_imap.imap_parser import Listed
from relance.connectors.smtp_imap.imap_session import ImapSession
from relance.connectors.smtp_imap.mailbox_check import MailboxCheck
from relance.connectors.smtp_imap.sent_folder import find_sent, save_copy
from relance.connectors.smtp_imap.settings import Settings
from relance.connectors.smtp_imap.smtp_session import SmtpSender
from relance.connectors.smtp_imap.surveying import (
    Settled,
    Standing,
    foreign_names,
    is_unchanged,
    list_folders,
    survey,
)
from relance.connectors.smtp_imap.synchronise import Plan, plan_folder
from relance.connectors.smtp_imap.tls import TlsDoors
from relance.connectors.smtp_imap.watching import watch_inbox
from relance.ports.clock import Monotonic
from relance.ports.connector import (
    CheckReport,
    Credentials,
    Cursor,
    Envelope,
    FolderBatch,
    FolderRole,
    Lookup,
    ReadingFailedError,
    Sought,
    Staged,
)

UNPROVEN_SECONDS = 30.0  # unused for longer: ask NOOP before relying on it
PROOF_SECONDS = 15.0
GOODBYE_SECONDS = 1.0
LISTING_SECONDS = 60.0  # how long the list of folders is believed: a first Junk folder may hold an answer


class SmtpImapConnector:
    """See `ports.connector.Connector`."""

    def __init__(
        self,
        *,
        address: str,
        settings: Settings,
        credentials: Credentials,
        doors: TlsDoors,
        monotonic: Monotonic,
        limits: FetchLimits | None = None,
    ) -> None:
        self._settings = settings
        self._credentials = credentials
        self._doors = doors
        self._monotonic = monotonic
        self._limits = limits or FetchLimits()
        self._sender = SmtpSender(
            settings=settings, credentials=credentials, doors=doors, local_name=_local_name(address)
        )
        self._reading: ImapSession | None = None
        self._reading_turn = asyncio.Lock()
        self._last_used = 0.0
        self._expiry: asyncio.TimerHandle | None = None
        self._listed = tuple[Listed, ...]()
        self._foreign: tuple[bytes, ...] = ()
        self._listed_at: float | None = None
        self._settled: dict[str, Settled] = {}
        self._trouble = Trouble()
        self._watching: set[ImapSession] = set()

    async def stage(self, envelope: Envelope) -> Staged:
        """Connect, log in, MAIL and RCPT."""
        return await self._sender.stage(envelope)

    async def read(self, cursors: Mapping[str, Cursor], *, since: datetime) -> AsyncIterator[FolderBatch]:
        """Yield what is new in every folder where answers land, oldest first.

        A folder that is refused does not keep the others from being read; the refusal is raised at the end.
        """
        async with self._reader() as session:
            folders = await self._folders(session)
            standings = await survey(session, folders)
        refused: list[str] = []
        kept: set[int] = set()
        for folder in folders:
            cursor = cursors.get(folder.name)
            standing = standings[folder.name]
            now = self._monotonic.seconds()
            if is_unchanged(cursor, standing, self._settled.get(folder.name), now=now):
                continue
            try:
                async with self._reader() as session:
                    plan = await plan_folder(session, folder, cursor, since=since)
                while not plan.is_done:
                    async with self._reader() as session:
                        portion = await next_batch(session, plan, self._trouble, self._limits, kept)
                    plan = portion.rest
                    yield portion.batch
                    kept |= portion.numbers
            except RefusedError as error:
                self._listed_at = None  # perhaps it was renamed
                refused.append(str(error))
                continue
            if not plan.pending and plan.cursor() != cursor:
                yield FolderBatch(messages=(), cursor=plan.cursor())
            self._settle(folder, plan, standing, now)
        if refused:
            raise ReadingFailedError("; ".join(refused))
        async with self._reader() as session:
            await session.unselect()

    async def watch(self, on_change: Callable[[], None]) -> None:
        """Hold the notification on a connection of its own and call `on_change` for every hint of new mail."""
        session = await open_session(self._settings, self._credentials, self._doors)
        self._watching.add(session)
        try:
            await watch_inbox(session, on_change, settings=self._settings, monotonic=self._monotonic)
        finally:
            self._watching.discard(session)
            session.wire.abort()

    async def find_sent(self, sought: Sought) -> Lookup:
        """Look for a message of ours in the Sent folders."""
        async with self._reader() as session:
            found = await find_sent(session, await self._folders(session), sought)
            await session.unselect()
            return found

    async def save_sent(self, raw: bytes, *, at: datetime) -> None:
        r"""Append a copy, flagged \Seen, to the Sent folder; create one where there is none."""
        async with self._reader() as session:
            folders = await self._folders(session)
            await save_copy(session, folders, sent_name(self._listed), raw, at)
            if not any(folder.role is FolderRole.SENT for folder in folders):
                self._listed_at = None

    async def check(self, probe: Envelope, *, sleep: Callable[[float], Awaitable[None]]) -> CheckReport:
        """Try every part with precise words, send `probe` to the mailbox itself, and learn what happens to it."""
        checking = MailboxCheck(
            settings=self._settings, credentials=self._credentials, doors=self._doors, sender=self._sender, sleep=sleep
        )
        return await checking.run(probe)

    async def close(self) -> None:
        """Let go of all connections."""
        await self._sender.close()
        for session in tuple(self._watching):
            session.wire.abort()
        async with self._reading_turn:
            self._expire_after(None)
            if self._reading is not None:
                self._reading.log_out()
                await self._reading.wire.wait_closed(time_limit=GOODBYE_SECONDS)
                self._reading = None

    # --- the reading connection ---

    @contextlib.asynccontextmanager
    async def _reader(self) -> AsyncIterator[ImapSession]:
        """Lend the reading connection. Raises MailboxUnreachableError, LoginRefusedError."""
        async with self._reading_turn:
            self._expire_after(None)
            session = await self._proven()
            try:
                yield session
            except LostError:
                self._forget()
                raise
            finally:
                self._last_used = self._monotonic.seconds()
                if self._reading is not None:
                    self._expire_after(self._settings.keep_seconds)

    async def _proven(self) -> ImapSession:
        kept = self._reading
        if kept is not None and not kept.is_lost and self._monotonic.seconds() - self._last_used > UNPROVEN_SECONDS:
            with contextlib.suppress(LostError, RefusedError):
                await kept.noop(time_limit=min(PROOF_SECONDS, self._settings.command_seconds))
        if kept is None or kept.is_lost:
            self._forget()
            kept = self._reading = await open_session(self._settings, self._credentials, self._doors)
        return kept

    def _forget(self) -> None:
        self._expire_after(None)
        if self._reading is not None:
            self._reading.wire.abort()
            self._reading = None

    def _retire(self) -> None:
        """Take leave of a server that was not needed for a while; runs between two uses only."""
        if self._reading is not None:
            self._reading.log_out()
            self._reading = None

    def _expire_after(self, seconds: float | None) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        if seconds is not None:
            self._expiry = asyncio.get_running_loop().call_later(seconds, self._retire)

    async def _folders(self, session: ImapSession) -> tuple[Folder, ...]:
        now = self._monotonic.seconds()
        if self._listed_at is None or now - self._listed_at > LISTING_SECONDS:
            if self._listed_at is None:
                self._foreign = await foreign_names(session)
            self._listed = await list_folders(session)
            self._listed_at = now
        return choose_folders(self._listed, foreign=self._foreign)

    def _settle(self, folder: Folder, plan: Plan, standing: Standing, now: float) -> None:
        self._settled[folder.name] = Settled(cursor=plan.cursor(), standing=standing, at=now)


def _local_name(address: str) -> str:
    """Return the name for EHLO: the mailbox's domain, which tells nothing about this machine."""
    domain = address.rpartition("@")[2]
    fits = domain.isascii() and domain and all(part.replace("-", "").isalnum() for part in domain.split("."))
    return domain if fits else "localhost"
