"""A definite failure to send: nothing left. Whose trouble it is decides what happens next.

Rule 1: the person's trouble moves the person (cooldown, or a bounce).
Rule 2: the mailbox's trouble puts the mailbox off and leaves the person where they are.
"""

from dataclasses import dataclass
from datetime import datetime

from relance.core.mailbox import MailboxStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressRejected:
    """The address will never take mail: the same as a hard bounce that comes later."""

    reason: str
    response: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TryLater:
    """Temporary, and about this message or person (greylisting, mailbox full): cool down, then try again."""

    reason: str
    response: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxTrouble:
    """About the sending mailbox or its server. `status` None: it only waits until `until`."""

    reason: str
    response: str
    status: MailboxStatus | None
    until: datetime
    person_named: bool = False  #: It came once the recipient was named: perhaps it is about that message only.


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """We ourselves stopped before the dot; the enrollment's row says why, or it is simply tried again."""

    reason: str


Failure = AddressRejected | TryLater | MailboxTrouble | Withdrawn
