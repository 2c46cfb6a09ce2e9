"""What the servers of the world saw, in order: the only source of the verdict.

Times are sandbox times: `Accepted.at` is when the final dot arrived, `Arrived.at` when a message became visible.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Nature(StrEnum):
    """What kind of message arrived in a mailbox."""

    ANSWER = "answer"  #: A person wrote it.
    OPT_OUT = "opt_out"  #: A person wants no more mail.
    AUTO_REPLY = "auto_reply"  #: A person's mail system answered.
    BOUNCE = "bounce"  #: A final report that a message was not delivered.
    DELAY = "delay"  #: A report that a message is late.
    OTHER = "other"  #: Something else, such as a mailbox's mail to itself.


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A server took responsibility for a message to one recipient, whether or not the client learned of it."""

    at: datetime
    mailbox: str
    recipient: str
    message_id: str
    subject: str
    marker: str | None
    """The step, where the message's text gives it away."""
    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A server said no to a recipient."""

    at: datetime
    mailbox: str
    recipient: str
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A connection was cut after the final dot, and nobody received the message."""

    at: datetime
    mailbox: str
    recipient: str
    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """A message became visible in a mailbox."""

    at: datetime
    mailbox: str
    folder: str
    person: str
    """The person's own address, whichever address they wrote from."""
    nature: Nature
    message_id: str


Entry = Accepted | Refused | Lost | Arrived


class Journal:
    """An append-only list of entries."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entry: Entry) -> None:
        """Append what was seen."""
        self._entries.append(entry)

    def accepted(self) -> Iterator[Accepted]:
        """Return what was accepted, oldest first."""
        return (entry for entry in self._entries if isinstance(entry, Accepted))

    def arrived(self) -> Iterator[Arrived]:
        """Return what became visible in the mailboxes, oldest first."""
        return (entry for entry in self._entries if isinstance(entry, Arrived))
