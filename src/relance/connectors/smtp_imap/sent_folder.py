"""Was it sent? Looking for our own messages by every mark they bear, and keeping copies.

Rule 1: the server's search is only a hint: each hit is proven by its headers, and the recent messages are looked
        through whatever the search said, because some servers do not search the headers they do not index.
Rule 2: absence counts only if a message of ours that is later, by our clock in `Date` and by the server's
        INTERNALDATE, is there: a clock that runs ahead must not make an earlier message a later one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32
from email.utils import parsedate_to_datetime

from relance.connectors.smtp_imap.errors import RefusedError
from relance.connectors.smtp_imap.folders import Folder
from relance.connectors.smtp_imap.imap_commands import Bulk, Command, String, Text, append_date, write_set
from relance.connectors.smtp_imap.imap_parser import Fetched
from relance.connectors.smtp_imap.imap_session import ImapSession
from relance.connectors.smtp_imap.synchronise import search, search_header, search_since
from relance.ports.connector import CannotLook, FolderRole, Found, Lookup, NotFound, Sought

MOST_HITS = 20
MOST_RECENT = 2000
AT_ONCE = 200
MISSING = frozenset({"TRYCREATE", "NONEXISTENT"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What the headers of one message in a folder say."""

    uid: int
    internal_date: datetime | None
    headers: Message

    def values(self, name: str) -> tuple[str, ...]:
        """Return the values of a header, trimmed."""
        return tuple(str(value).strip() for value in self.headers.get_all(name, []))

    @property
    def message_id(self) -> str | None:
        """Its Message-ID as it stands there."""
        return next(iter(self.values("Message-ID")), None)

    @property
    def date(self) -> datetime | None:
        """Its Date header, in UTC, where it can be read."""
        for value in self.values("Date"):
            try:
                written = parsedate_to_datetime(value)
            except (ValueError, OverflowError, TypeError):
                return None
            return (written if written.tzinfo else written.replace(tzinfo=UTC)).astimezone(UTC)
        return None


async def find_sent(session: ImapSession, folders: Sequence[Folder], sought: Sought) -> Lookup:
    """Look for a message of ours in every Sent folder. Raises LostError, RefusedError."""
    sent = [folder for folder in folders if folder.role is FolderRole.SENT]
    if not sent:
        return CannotLook(reason="the mailbox has no folder for sent mail")
    witness: datetime | None = None
    ours: Found | None = None
    for folder in sent:
        await session.unselect()  # opened afresh, so that the newest messages are seen
        selected = await session.examine(folder.wire_name, shown=folder.name)
        if selected.exists == 0:
            continue
        for marks in await _candidates(session, sought):
            if _is_it(marks, sought):
                at = marks.internal_date or marks.date or sought.since
                found = Found(wire_message_id=marks.message_id, at=at, by_us=_is_by_us(marks, sought))
                if not found.by_us:
                    return found
                ours = found
            witness = max(filter(None, (witness, _witnessed(marks, sought))), default=None)
    return ours or NotFound(witness=witness)


async def save_copy(session: ImapSession, folders: Sequence[Folder], new_name: bytes, raw: bytes, at: datetime) -> None:
    r"""Append `raw` to the Sent folder, flagged \Seen, creating the folder where there is none.

    Raises LostError, RefusedError.
    """
    sent = [folder for folder in folders if folder.role is FolderRole.SENT]
    wire_name = sent[0].wire_name if sent else new_name
    append = Command("APPEND", (String(wire_name), Text(b"(\\Seen)"), Text(append_date(at).encode("ascii")), Bulk(raw)))
    if sent:
        try:
            await session.run(append, doing="keep a copy of sent mail")
        except RefusedError as error:
            if error.code not in MISSING:
                raise
        else:
            return
    try:
        await session.run(Command("CREATE", (String(wire_name),)), doing="create the folder for sent mail")
    except RefusedError as error:
        if error.code != "ALREADYEXISTS":
            raise
    await session.run(append, doing="keep a copy of sent mail")


async def read_marks(session: ImapSession, uids: Sequence[int], names: Sequence[str]) -> list[Marks]:
    """Return the named headers of messages in the open folder, newest first. Raises LostError, RefusedError."""
    section = f"BODY.PEEK[HEADER.FIELDS ({' '.join(name.upper() for name in names)})]" if names else "BODY.PEEK[HEADER]"
    found: dict[int, Marks] = {}
    for at in range(0, len(uids), AT_ONCE):
        wanted = Text(write_set(uids[at : at + AT_ONCE]).encode("ascii"))
        items = Text(f"(UID INTERNALDATE {section})".encode("ascii"))
        for event in await session.run(Command("UID FETCH", (wanted, items)), doing="show headers"):
            if isinstance(event, Fetched) and event.uid is not None and event.sections:
                raw = b"".join(content.data for content in event.sections.values())
                headers = BytesHeaderParser(policy=compat32).parsebytes(raw)
                found[event.uid] = Marks(uid=event.uid, internal_date=event.internal_date, headers=headers)
    return [found[uid] for uid in sorted(found, reverse=True)]


async def _candidates(session: ImapSession, sought: Sought) -> list[Marks]:
    hits: set[int] = set()
    refused = False
    terms = [("Message-ID", one) for one in sought.message_ids] + [(sought.trace_header, sought.trace)]
    for name, value in terms:
        try:
            hits.update((await search_header(session, name, value))[-MOST_HITS:])
        except RefusedError:
            refused = True
    try:
        recent = (await search(session, *search_since(sought.since)))[-MOST_RECENT:]
    except RefusedError:
        if refused:
            raise  # neither way to look is open: not seeing is not the same as not being there
        recent = ()
    return await read_marks(
        session, sorted(hits.union(recent)), ("Message-ID", "Date", sought.trace_header, sought.copy_header)
    )


def _is_it(marks: Marks, sought: Sought) -> bool:
    wanted = {one.strip() for one in sought.message_ids}
    return marks.message_id in wanted or sought.trace in marks.values(sought.trace_header)


def _is_by_us(marks: Marks, sought: Sought) -> bool:
    return bool(marks.values(sought.copy_header))


def _witnessed(marks: Marks, sought: Sought) -> datetime | None:
    """Return when a message of ours, filed by the server, came later: by its clock and by ours, whichever says less."""
    if not marks.values(sought.trace_header) or _is_by_us(marks, sought):
        return None
    at = min((at for at in (marks.internal_date, marks.date) if at is not None), default=None)
    return at if at is not None and at > sought.since else None


def header_lines(raw: bytes) -> Mapping[str, str]:
    """Return the headers of a message of ours by lower-case name."""
    headers = BytesHeaderParser(policy=compat32).parsebytes(raw)
    return {name.lower(): str(value).strip() for name, value in headers.items()}
