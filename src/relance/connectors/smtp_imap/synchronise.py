"""What is new in one folder after its cursor (RFC 3501 §2.3.1.1, RFC 4549), planned before anything is fetched.

Rule 1: UIDs only ever count within one UIDVALIDITY; where that changed, or the server went back in time, the folder is
        read again from `since`, and whoever stores the messages recognises those it has.
Rule 2: first contact reads what came after `since`, whatever else the folder holds.
Rule 3: a cursor never claims more than was handed over: `highest_modseq` moves with the last batch only.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from relance.connectors.smtp_imap.errors import RefusedError
from relance.connectors.smtp_imap.folders import Folder
from relance.connectors.smtp_imap.imap_commands import Command, String, Text, command, search_date, string
from relance.connectors.smtp_imap.imap_parser import Event, Fetched, Searched
from relance.connectors.smtp_imap.imap_selected import Selected
from relance.connectors.smtp_imap.imap_session import ImapSession
from relance.ports.connector import Cursor

UNSEARCHABLE_TAIL = 2000  # messages looked at one by one where the server cannot search by date


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The rest of what has to be read of one folder."""

    folder: Folder
    uid_validity: int
    pending: tuple[int, ...]  #: UIDs, ascending.
    position: int = 0  #: How many of them are done.
    last_uid: int  #: Highest UID read so far.
    final_uid: int  #: Highest UID read once all is done.
    modseq_before: int | None
    modseq_after: int | None
    since: datetime
    bounded: bool  #: Messages older than `since` are left out.

    @property
    def is_done(self) -> bool:
        """Tell whether every pending message was dealt with."""
        return self.position >= len(self.pending)

    def cursor(self) -> Cursor:
        """Return the cursor that is right now."""
        return Cursor(
            folder=self.folder.name,
            role=self.folder.role,
            uid_validity=self.uid_validity,
            last_uid=max(self.last_uid, self.final_uid) if self.is_done else self.last_uid,
            highest_modseq=self.modseq_after if self.is_done else self.modseq_before,
        )


async def plan_folder(session: ImapSession, folder: Folder, cursor: Cursor | None, *, since: datetime) -> Plan:
    """Open a folder and find what is new in it. Raises LostError, RefusedError."""
    selected = await session.examine(folder.wire_name, shown=folder.name)
    uid_validity = selected.uid_validity or 0
    if cursor is not None and cursor.uid_validity == uid_validity:
        found = await _uids_after(session, selected, cursor.last_uid)
        new = tuple(uid for uid in found if uid > cursor.last_uid)
        if new or not await _went_back(session, selected, cursor):
            return Plan(
                folder=folder,
                uid_validity=uid_validity,
                pending=new,
                last_uid=cursor.last_uid,
                final_uid=max(new, default=cursor.last_uid),
                modseq_before=cursor.highest_modseq,
                modseq_after=selected.highest_modseq,
                since=since,
                bounded=False,
            )
    # What arrives between the two commands is above `highest` and in `recent`, or only above both: nothing is lost.
    highest = await _highest_uid(session, selected)
    recent = await _uids_since(session, selected, since)
    return Plan(
        folder=folder,
        uid_validity=uid_validity,
        pending=recent,
        last_uid=0,
        final_uid=max((highest, *recent)),
        modseq_before=None,
        modseq_after=selected.highest_modseq,
        since=since,
        bounded=True,
    )


async def search(session: ImapSession, *arguments: str | Text | String) -> tuple[int, ...]:
    """Return the UIDs that fit, ascending, each once. Raises LostError, RefusedError."""
    events = await session.run(command("UID SEARCH", *arguments), doing="search")
    return tuple(sorted({uid for event in events if isinstance(event, Searched) for uid in event.numbers if uid}))


async def _search_surely(session: ImapSession, *arguments: str) -> tuple[int, ...]:
    """Return the UIDs that fit; a yes without the answer is a refusal, since it looks like an empty folder.

    Raises LostError, RefusedError.
    """
    doing = "search"
    events = await session.run(command("UID SEARCH", *arguments), doing=doing)
    answers = [event.numbers for event in events if isinstance(event, Searched)]
    if not answers:  # RFC 3501 §7.2.5: there is one, though it be empty
        raise RefusedError(doing, kind="OK", code=None, text="it said yes and nothing else")
    return tuple(sorted({uid for numbers in answers for uid in numbers if uid}))


async def search_header(session: ImapSession, name: str, value: str) -> tuple[int, ...]:
    """Return the UIDs of messages whose header `name` contains `value`. Raises LostError, RefusedError."""
    return await search(session, "HEADER", string(name), string(value))


def search_since(since: datetime) -> tuple[str, str]:
    """Return the search keys for everything after `since`, a day too wide.

    SINCE compares dates in the server's own zone (RFC 3501 §6.4.4), which can be a day behind ours.
    """
    return "SINCE", search_date((since - timedelta(days=1)).date())


async def _uids_after(session: ImapSession, selected: Selected, last_uid: int) -> tuple[int, ...]:
    if selected.exists == 0:
        return ()
    wanted = f"{last_uid + 1}:*"  # holds the last message even if its UID is lower (RFC 3501 §6.4.8)
    try:
        return await _search_surely(session, "UID", wanted)
    except RefusedError:
        events = await session.run(Command("UID FETCH", (Text(wanted.encode()), Text(b"(UID)"))), doing="list messages")
        return _uids(events)


async def _uids_since(session: ImapSession, selected: Selected, since: datetime) -> tuple[int, ...]:
    if selected.exists == 0:
        return ()
    try:
        return await _search_surely(session, *search_since(since))
    except RefusedError:
        first = max(1, selected.exists - UNSEARCHABLE_TAIL + 1)
        events = await session.run(
            Command("FETCH", (Text(f"{first}:*".encode()), Text(b"(UID INTERNALDATE)"))), doing="list messages"
        )
        return _uids(events)


async def _highest_uid(session: ImapSession, selected: Selected) -> int:
    if selected.exists == 0:
        return 0
    try:
        events = await session.run(Command("FETCH", (Text(b"*"), Text(b"(UID)"))), doing="name its last message")
    except RefusedError:
        return (selected.uid_next or 1) - 1
    return max(_uids(events), default=0)


async def _went_back(session: ImapSession, selected: Selected, cursor: Cursor) -> bool:
    """Tell whether UIDs will be given a second time under the same UIDVALIDITY: a restored backup.

    UIDNEXT alone is not believed: some servers keep it at 1.
    """
    if selected.uid_next is None or selected.uid_next > cursor.last_uid:
        return False
    return await _highest_uid(session, selected) < cursor.last_uid


def _uids(events: list[Event]) -> tuple[int, ...]:
    return tuple(sorted({event.uid for event in events if isinstance(event, Fetched) and event.uid}))
