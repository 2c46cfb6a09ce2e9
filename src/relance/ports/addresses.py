"""Asking the world whether an address takes mail."""

from dataclasses import dataclass
from typing import Protocol

from relance.core.address_check import AddressVerdict, Verification
from relance.core.mail_hosts import MailHost


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found out, and in words why."""

    verdict: AddressVerdict
    reason: str
    host: MailHost | None = None  #: Who runs the mail of its domain; None: not known, or it takes none.


class AddressChecker(Protocol):
    """Asks name servers, and perhaps the mail server of the address."""

    async def check(self, address: str, question: Verification) -> Finding:
        """Ask. Whatever goes wrong is an answer too: `AddressVerdict.UNKNOWN`, and why."""
        ...
