"""Which folders have to be looked into: one round trip for all of them, and nothing believed that cannot be checked.

Rule 1: a folder is passed over only if nothing that the server says of it changed since it was last read to the end.
Rule 2: HIGHESTMODSEQ counts where the server gives one; without it UIDNEXT decides; without both the folder is
        searched.
Rule 3: after `SWEEP_SECONDS` a folder is looked into whatever STATUS says: some servers answer it from a stale cache.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from relance.connectors.smtp_imap.errors import RefusedError
from relance.connectors.smtp_imap.folders import Folder
from relance.connectors.smtp_imap.imap_commands import Command, String, Text, command
from relance.connectors.smtp_imap.imap_parser import Event, FolderStatus, Listed, Namespaces
from relance.connectors.smtp_imap.imap_session import ImapSession
from relance.ports.connector import Cursor

SWEEP_SECONDS = 15 * 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What STATUS said of a folder; None where it said nothing usable."""

    uid_validity: int | None = None
    uid_next: int | None = None
    highest_modseq: int | None = None
    messages: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A folder that was read to the end: the cursor that was yielded, and what STATUS had said before."""

    cursor: Cursor
    standing: Standing
    at: float  #: Monotonic seconds.


async def list_folders(session: ImapSession) -> tuple[Listed, ...]:
    """Return all folders, with their special uses where the server knows them. Raises LostError, RefusedError."""
    answers: list[Event] = []
    if {"SPECIAL-USE", "LIST-EXTENDED"} <= session.capabilities:
        with contextlib.suppress(RefusedError):
            answers = await session.run(command("LIST", '""', '"*"', "RETURN (SPECIAL-USE)"), doing="list its folders")
    if not answers:
        answers = await session.run(command("LIST", '""', '"*"'), doing="list its folders")
    listed = tuple(event for event in answers if isinstance(event, Listed))
    if not listed:  # there is always an INBOX: an empty answer is a failure that looks like success
        raise RefusedError("list its folders", kind="OK", code=None, text="it named none, not even INBOX")
    return listed


async def foreign_names(session: ImapSession) -> tuple[bytes, ...]:
    """Return how the names of folders begin that are not the owner's; nothing where the server does not say.

    Raises LostError.
    """
    if "NAMESPACE" not in session.capabilities:
        return ()
    try:
        answers = await session.run(command("NAMESPACE"), doing="tell whose folders they are")
    except RefusedError:
        return ()
    return tuple(name for event in answers if isinstance(event, Namespaces) for name in event.foreign)


async def survey(session: ImapSession, folders: Sequence[Folder]) -> Mapping[str, Standing]:
    """Return what STATUS says of each folder; a folder that it refuses has an empty Standing. Raises LostError."""
    await session.unselect()
    standings = await _ask(session, folders)
    if any(one is None for one in standings) and "CONDSTORE" in session.capabilities:
        session.capabilities -= {"CONDSTORE"}  # perhaps that was the trouble
        again = await _ask(session, folders)
        if all(one is None for one in again):
            again = standings
        standings = again
    return {folder.name: one or Standing() for folder, one in zip(folders, standings, strict=True)}


def is_unchanged(cursor: Cursor | None, standing: Standing, settled: Settled | None, *, now: float) -> bool:
    """Tell whether a folder may be passed over."""
    if cursor is None or standing.uid_validity != cursor.uid_validity:
        return False
    if standing.uid_next is None and standing.highest_modseq is None:
        return False
    if settled is not None and settled.cursor == cursor:
        return settled.standing == standing and now - settled.at < SWEEP_SECONDS
    if standing.highest_modseq is not None and cursor.highest_modseq not in {None, standing.highest_modseq}:
        return False
    if standing.uid_next is not None:
        return standing.uid_next == cursor.last_uid + 1
    return cursor.highest_modseq is not None


async def _ask(session: ImapSession, folders: Sequence[Folder]) -> list[Standing | None]:
    items = "MESSAGES UIDNEXT UIDVALIDITY" + (" HIGHESTMODSEQ" if "CONDSTORE" in session.capabilities else "")
    wanted = Text(f"({items})".encode("ascii"))
    commands = [Command("STATUS", (String(folder.wire_name), wanted)) for folder in folders]
    spoken, refusals = await session.run_all(commands, doing="say what is new")
    return [
        _find(spoken, folder) if refusal is None else None for folder, refusal in zip(folders, refusals, strict=True)
    ]


def _find(events: Sequence[Event], folder: Folder) -> Standing:
    for event in events:
        if isinstance(event, FolderStatus) and _same(event.name, folder.wire_name):
            return Standing(
                uid_validity=event.items.get("UIDVALIDITY"),
                uid_next=event.items.get("UIDNEXT") or None,
                highest_modseq=event.items.get("HIGHESTMODSEQ") or None,  # 0: it keeps none (RFC 7162 §3.1.2.2)
                messages=event.items.get("MESSAGES"),
            )
    return Standing()


def _same(one: bytes, other: bytes) -> bool:
    return one == other or one.upper() == other.upper() == b"INBOX"
