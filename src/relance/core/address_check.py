"""What was found out about a person's address before the first message (B16).

Rule 1: what is certain is used for `VERIFIED_FOR`; then it is asked for once more before anybody is written to.
Rule 2: `unknown` is no verdict: a server that is slow, greylists or turns probes away says nothing of the address.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from relance.core.defaults import VERIFIED_FOR
from relance.core.mail_hosts import MailHost


class Verification(StrEnum):
    """What a sequence asks about an address before it writes to it for the first time."""

    OFF = "off"
    MX = "mx"  #: Does its domain take mail?
    RCPT = "rcpt"  #: And does the domain's server take mail for this very person?


class AddressVerdict(StrEnum):
    """What is known."""

    VALID = "valid"
    INVALID = "invalid"  #: Never written to.
    CATCH_ALL = "catch_all"  #: Its server takes mail for whomever: nobody can tell.
    UNKNOWN = "unknown"  #: Asked, and no answer that says anything.


#: Verdicts with which a first message may leave.
MAY_BE_WRITTEN_TO = frozenset({AddressVerdict.VALID, AddressVerdict.CATCH_ALL})


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressCheck:
    """The last answer about a lead's address."""

    address: str
    asked: Verification  #: How it was found out.
    verdict: AddressVerdict | None = None  #: None: asked for, and not looked at yet.
    host: MailHost | None = None  #: Who runs its mail, where that is known.
    reason: str = ""
    checked_at: datetime | None = None

    def answers(self, question: Verification, *, address: str, at: datetime) -> bool:
        """Whether nothing needs to be asked any more: it is certain, of this address, thorough enough, and recent."""
        certain = self.verdict is not None and self.verdict is not AddressVerdict.UNKNOWN
        thorough = self.verdict is AddressVerdict.INVALID or self.asked is Verification.RCPT or self.asked is question
        recent = self.checked_at is not None and abs(at - self.checked_at) <= VERIFIED_FOR
        return certain and thorough and recent and self.address == address
