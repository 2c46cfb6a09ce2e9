"""Try every part of a mailbox, step by step, and say what to do about the first thing that fails."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from relance.connectors.smtp_imap.errors import LostError, RefusedError, UnreachableError
from relance.connectors.smtp_imap.folders import Folder, choose_folders
from relance.connectors.smtp_imap.imap_login import greet_server, log_in
from relance.connectors.smtp_imap.imap_session import ImapSession
from relance.connectors.smtp_imap.sent_folder import Marks, header_lines, read_marks
from relance.connectors.smtp_imap.settings import Settings
from relance.connectors.smtp_imap.smtp_session import SmtpSender
from relance.connectors.smtp_imap.surveying import foreign_names, list_folders
from relance.connectors.smtp_imap.synchronise import search
from relance.connectors.smtp_imap.tls import TlsDoors
from relance.ports.connector import (
    CheckReport,
    CheckStep,
    ConnectorError,
    Credentials,
    Envelope,
    FolderRole,
    LoginRefusedError,
    MailboxUnreachableError,
    ReadingFailedError,
)

WAITS = (0.5, 1.0, 2.0, 3.0, 5.0, 5.0, 5.0, 10.0, 10.0, 10.0, 10.0)  #: Seconds between two looks for the probe.
SENT_WAITS = (0.0, 1.0, 2.0, 4.0)  #: Some servers save to Sent a moment later.
PROBE_SECONDS = 60.0
ARRIVAL = (FolderRole.INBOX, FolderRole.JUNK)
LOOKED_THROUGH = 50  # newest messages, where the folder's last UID was not known


@dataclass(slots=True)
class MailboxCheck:
    """One check. Every step that could be tried is in the report; later steps need the earlier ones."""

    settings: Settings
    credentials: Credentials
    doors: TlsDoors
    sender: SmtpSender
    sleep: Callable[[float], Awaitable[None]]
    steps: list[CheckStep] = field(default_factory=list)

    async def run(self, probe: Envelope) -> CheckReport:
        """Check all and return the report; raises nothing of the port's."""
        smtp_works = await self._check_smtp()
        session = await self._check_imap()
        if session is None:
            return CheckReport(steps=tuple(self.steps))
        try:
            return await self._check_mail(session, probe, smtp_works=smtp_works)
        except (LostError, RefusedError, ReadingFailedError) as error:
            self._say("read", ok=False, detail=f"{error}; the server broke off, try again")
            return CheckReport(steps=tuple(self.steps))
        finally:
            session.log_out()

    async def _check_smtp(self) -> bool:
        endpoint = self.settings.smtp
        try:
            how = await self.sender.prove_login()
        except LoginRefusedError as error:
            self._say("smtp connection", ok=True, detail=f"{endpoint} answers ({endpoint.security})")
            self._say("smtp login", ok=False, detail=str(error))
            return False
        except MailboxUnreachableError as error:
            self._say(_step("smtp", error), ok=False, detail=_advise(error))
            return False
        self._say("smtp connection", ok=True, detail=f"{endpoint} answers ({endpoint.security})")
        self._say("smtp login", ok=True, detail=how)
        return True

    async def _check_imap(self) -> ImapSession | None:
        endpoint = self.settings.imap
        session = None
        try:
            session = await greet_server(self.settings, self.doors)
            self._say("imap connection", ok=True, detail=f"{endpoint} answers ({endpoint.security})")
            await log_in(session, self.credentials)
        except LoginRefusedError as error:
            self._say("imap login", ok=False, detail=str(error))
        except MailboxUnreachableError as error:
            name = "imap login" if session is not None else _step("imap", error)
            self._say(name, ok=False, detail=_advise(error))
        else:
            self._say("imap login", ok=True, detail=f"logged in as {self.credentials.username}")
            return session
        if session is not None:
            session.wire.abort()
        return None

    async def _check_mail(self, session: ImapSession, probe: Envelope, *, smtp_works: bool) -> CheckReport:
        every = choose_folders(await list_folders(session), foreign=await foreign_names(session))
        folders = [folder for folder in every if folder.role is not FolderRole.OTHER]
        more = len(every) - len(folders)
        named = ", ".join(f"{folder.name} ({folder.role})" for folder in folders)
        self._say("folders", ok=True, detail=named + (f", and {more} more" if more else ""))
        if not smtp_works:
            return CheckReport(steps=tuple(self.steps))
        before = {folder.name: await _last_uid(session, folder) for folder in folders}
        if not await self._send(probe):
            return CheckReport(steps=tuple(self.steps))
        arrived = await self._wait_for(session, folders, ARRIVAL, before, probe, WAITS)
        if arrived is None:
            self._say("probe", ok=False, detail="it was accepted but did not arrive: look into the provider's sent log")
        else:
            self._say("probe", ok=True, detail=f"a message to itself arrived in {arrived[0].name}")
        sent = [folder for folder in folders if folder.role is FolderRole.SENT]
        copy = await self._wait_for(session, sent, (FolderRole.SENT,), before, probe, SENT_WAITS) if sent else None
        self._say("sent copy", ok=True, detail=_describe_copy(sent, saved=copy is not None))
        seen = [there[1].message_id for there in (arrived, copy) if there is not None]
        survive = all(one == probe.message_id for one in seen) if seen else None
        if survive is not None:
            self._say("message ids", ok=True, detail="they survive" if survive else f"rewritten to {seen[0]}")
        return CheckReport(steps=tuple(self.steps), saves_sent=copy is not None, ids_survive=survive)

    async def _send(self, probe: Envelope) -> bool:
        try:
            staged = await self.sender.stage(probe)
            await staged.release(may_leave=lambda: True, time_limit=PROBE_SECONDS)
        except ConnectorError as error:
            self._say("probe", ok=False, detail=f"a message to itself was not accepted: {error}")
            return False
        return True

    async def _wait_for(
        self,
        session: ImapSession,
        folders: Sequence[Folder],
        roles: Sequence[FolderRole],
        before: dict[str, int],
        probe: Envelope,
        waits: Sequence[float],
    ) -> tuple[Folder, Marks] | None:
        """Look for the probe among what came since, until it is there or patience ends."""
        wanted = [folder for folder in folders if folder.role in roles]
        for seconds in waits:
            if seconds:
                await self.sleep(seconds)
            for folder in wanted:
                marks = await _find_probe(session, folder, before[folder.name], probe)
                if marks is not None:
                    return folder, marks
        return None

    def _say(self, name: str, *, ok: bool, detail: str) -> None:
        self.steps.append(CheckStep(name=name, ok=ok, detail=detail))


async def _last_uid(session: ImapSession, folder: Folder) -> int:
    """Return the highest UID in a folder before the probe is sent."""
    await session.unselect()
    selected = await session.examine(folder.wire_name, shown=folder.name)
    if selected.exists == 0:
        return 0
    return max(await search(session, "UID", "*"), default=0)


async def _find_probe(session: ImapSession, folder: Folder, last_uid: int, probe: Envelope) -> Marks | None:
    await session.unselect()
    selected = await session.examine(folder.wire_name, shown=folder.name)
    if selected.exists == 0:
        return None
    new = [uid for uid in await search(session, "UID", f"{last_uid + 1}:*") if uid > last_uid]
    ours = header_lines(probe.raw)
    for marks in await read_marks(session, new[-LOOKED_THROUGH:], ()):
        if marks.message_id == probe.message_id or _same_marks(marks, ours):
            return marks
    return None


def _same_marks(marks: Marks, ours: Mapping[str, str]) -> bool:
    """Tell whether a message is the probe although its Message-ID was rewritten: by our own headers, or its subject."""
    own = {name: value for name, value in ours.items() if name.startswith("x-")} or {"subject": ours.get("subject", "")}
    return any(value and value in marks.values(name) for name, value in own.items())


def _step(server: str, error: MailboxUnreachableError) -> str:
    step = error.step if isinstance(error, UnreachableError) else "login"
    return f"{server} {step}"


def _advise(error: MailboxUnreachableError) -> str:
    if isinstance(error, UnreachableError) and error.step == "resolve":
        return f"{error}: check the host name"
    if isinstance(error, UnreachableError) and error.step == "connect":
        return f"{error}: check host and port, and whether a firewall stands between"
    return str(error)


def _describe_copy(sent: Sequence[Folder], *, saved: bool) -> str:
    if not sent:
        return "there is no folder for sent mail: one is created with the first copy"
    if not saved:
        return f"the server saves nothing to {sent[0].name}: copies are appended after each message"
    return f"the server saves to {sent[0].name} by itself"
