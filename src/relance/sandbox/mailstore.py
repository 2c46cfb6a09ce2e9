"""What an IMAP server keeps, in memory: folders, messages, UIDs, modification sequences (RFC 3501 §2.3, RFC 7162)."""

import base64
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Protocol


class Use(StrEnum):
    """What a folder is for (RFC 6154)."""

    INBOX = "inbox"  #: Where mail arrives; it has no attribute.
    SENT = "\\Sent"  #: What left from this mailbox.
    JUNK = "\\Junk"  #: What the server takes for unwanted.
    ALL = "\\All"  #: What is not thrown away or unwanted, wherever else it lies: Gmail's.
    ARCHIVE = "\\Archive"  #: What the person or a rule put away.
    DRAFTS = "\\Drafts"  #: What is not sent yet.
    TRASH = "\\Trash"  #: What is thrown away.
    NONE = ""  #: A folder somebody made.


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """One message in one folder."""

    uid: int
    raw: bytes
    internal_date: datetime
    flags: frozenset[str]
    modseq: int

    @property
    def number(self) -> int:
        """The number that a message has in every folder alike (X-GM-MSGID)."""
        return int.from_bytes(blake2b(self.raw, digest_size=7).digest())


class Watcher(Protocol):
    """Somebody who has a folder selected and wants to know what changes in it."""

    def arrived(self) -> None:
        """Learn that one more message is in the folder."""

    def expunged(self, sequence: int) -> None:
        """Learn that the message at this sequence number (from 1) is gone."""


@dataclass(slots=True, kw_only=True)
class Folder:
    """One folder: messages in ascending UID order, and who watches it."""

    name: str
    use: Use
    uid_validity: int
    uid_next: int = 1
    highest_modseq: int = 1
    also_in: "Folder | None" = None
    """Where everything that comes into this folder is too: its other folders are labels then."""
    _messages: list[StoredMessage] = field(default_factory=list)
    _headers: dict[int, Mapping[str, list[str]]] = field(default_factory=dict)
    _watchers: list[Watcher] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[StoredMessage]:
        return iter(self._messages)

    def watch(self, watcher: Watcher) -> None:
        """Tell the watcher about changes from now on."""
        self._watchers.append(watcher)

    def unwatch(self, watcher: Watcher) -> None:
        """Tell the watcher nothing any more."""
        self._watchers = [each for each in self._watchers if each is not watcher]

    def append(self, raw: bytes, *, at: datetime, flags: Iterable[str] = ()) -> int:
        """Store a message and return its UID."""
        uid = self.uid_next
        self.uid_next += 1
        self.highest_modseq += 1
        self._messages.append(
            StoredMessage(uid=uid, raw=raw, internal_date=at, flags=frozenset(flags), modseq=self.highest_modseq)
        )
        for watcher in tuple(self._watchers):
            watcher.arrived()
        everything = self.also_in
        if everything is not None and self._messages[-1].number not in {each.number for each in everything}:
            everything.append(raw, at=at, flags=flags)
        return uid

    def sequence_of(self, uid: int) -> int | None:
        """Return the message's sequence number (from 1), or None if no message has this UID."""
        index = bisect_left(self._messages, uid, key=lambda message: message.uid)
        found = index < len(self._messages) and self._messages[index].uid == uid
        return index + 1 if found else None

    def chosen(self, numbers: Sequence[range], *, by_uid: bool) -> list[tuple[int, StoredMessage]]:
        """Return the messages of a set of UIDs or sequence numbers, with their sequence numbers."""
        lowest = min((each.start for each in numbers), default=1)
        first = bisect_left(self._messages, lowest, key=lambda message: message.uid) if by_uid else max(0, lowest - 1)
        found = []
        for sequence, message in enumerate(self._messages[first:], start=first + 1):
            number = message.uid if by_uid else sequence
            if any(number in each for each in numbers):
                found.append((sequence, message))
        return found

    def at(self, sequence: int) -> StoredMessage:
        """Return the message at a sequence number, from 1."""
        return self._messages[sequence - 1]

    def highest_uid(self) -> int:
        """Return the UID that `*` stands for."""
        return self._messages[-1].uid if self._messages else self.uid_next - 1

    def headers(self, message: StoredMessage) -> Mapping[str, list[str]]:
        """Return the message's header fields, unfolded, by lower-case name."""
        if message.uid not in self._headers:
            self._headers[message.uid] = header_fields(message.raw)
        return self._headers[message.uid]

    def set_flags(self, uid: int, flags: frozenset[str]) -> StoredMessage:
        """Replace a message's flags, which raises its modification sequence if they differ."""
        sequence = self.sequence_of(uid)
        if sequence is None:
            raise KeyError(uid)
        message = self._messages[sequence - 1]
        if message.flags == flags:
            return message
        self.highest_modseq += 1
        message = replace(message, flags=flags, modseq=self.highest_modseq)
        self._messages[sequence - 1] = message
        return message

    def expunge(self, uids: Iterable[int]) -> list[int]:
        """Remove messages and return the UIDs that were there."""
        removed = []
        for uid in sorted(uids, reverse=True):
            sequence = self.sequence_of(uid)
            if sequence is None:
                continue
            del self._messages[sequence - 1]
            self._headers.pop(uid, None)
            self.highest_modseq += 1
            removed.append(uid)
            for watcher in tuple(self._watchers):
                watcher.expunged(sequence)
        return removed[::-1]

    def rebuild(self) -> None:
        """Give everything new numbers under another UIDVALIDITY, as after a restored server."""
        self.uid_validity += 1
        self._headers.clear()
        self._messages = [replace(message, uid=index) for index, message in enumerate(self._messages, start=1)]
        self.uid_next = len(self._messages) + 1


class Mailstore:
    """All folders of one mailbox."""

    def __init__(self, folders: Mapping[Use, str], *, uid_validity: int) -> None:
        self._next_validity = uid_validity
        self._folders: dict[str, Folder] = {}
        for use, name in folders.items():
            self.create(name, use)

    def __iter__(self) -> Iterator[Folder]:
        return iter(self._folders.values())

    def create(self, name: str, use: Use = Use.NONE) -> Folder:
        """Make a folder; an existing one is returned as it is."""
        existing = self.folder(name)
        if existing is not None:
            return existing
        folder = Folder(name=name, use=use, uid_validity=self._next_validity)
        self._next_validity += 1
        self._folders[name] = folder
        everything = self.by_use(Use.ALL)
        for each in self._folders.values():
            if everything.use is Use.ALL and each.use not in {Use.ALL, Use.JUNK, Use.TRASH}:
                each.also_in = everything
        return folder

    def remove(self, name: str) -> None:
        """Forget a folder with what is in it; one made under its name later has another UIDVALIDITY."""
        del self._folders[name]

    def folder(self, name: str) -> Folder | None:
        """Return the folder of this (decoded) name, or None; INBOX is found in any case."""
        return self._folders.get("INBOX" if name.upper() == "INBOX" else name)

    def by_use(self, use: Use) -> Folder:
        """Return the folder that serves a purpose; the inbox when there is none."""
        for folder in self._folders.values():
            if folder.use is use:
                return folder
        return self._folders.get("INBOX") or next(iter(self._folders.values()))


def header_block(raw: bytes) -> bytes:
    """Return the header of a message with the empty line that ends it."""
    end = raw.find(b"\r\n\r\n")
    return raw if end < 0 else raw[: end + 4]


def header_fields(raw: bytes) -> Mapping[str, list[str]]:
    """Return the header fields, unfolded but not decoded, by lower-case name."""
    unfolded = re.sub(r"\r?\n(?=[ \t])", "", header_block(raw).decode("utf-8", "replace"))
    fields: dict[str, list[str]] = {}
    for line in unfolded.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            fields.setdefault(name.strip().lower(), []).append(value.strip())
    return fields


def encode_folder(name: str) -> str:
    """Write a folder's name in modified UTF-7 (RFC 3501 §5.1.3)."""
    parts = []
    for printable, other in re.findall(r"([\x20-\x7e]+)|([^\x20-\x7e]+)", name):
        if printable:
            parts.append(printable.replace("&", "&-"))
        else:
            packed = base64.b64encode(other.encode("utf-16-be")).rstrip(b"=").replace(b"/", b",")
            parts.append(f"&{packed.decode()}-")
    return "".join(parts)


def decode_folder(name: str) -> str:
    """Read a folder's name from modified UTF-7; what is not modified UTF-7 stays as it is."""

    def plain(match: re.Match[str]) -> str:
        packed = match[1].replace(",", "/")
        if not packed:
            return "&"
        return base64.b64decode(packed + "=" * (-len(packed) % 4)).decode("utf-16-be", "replace")

    return re.sub(r"&([A-Za-z0-9+,]*)-", plain, name)
