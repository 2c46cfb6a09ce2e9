"""What an incoming message is, and what it says about whom.

Rule 1: the table `RULES` is tried from the top, and the first rule that says something decides.
Rule 2: complaints, receipts and notices about delivery come first; they call themselves automatic too. Then
        invitations, machines, people.
Rule 3: what a person wrote is a human reply unless it leaves no doubt that it is something else; "not interested" is
        one.
Rule 4: only the new text counts, never the quotation below it, and only the From header names the sender.
Rule 5: nothing here raises. What cannot be understood is `other`, with the reason in `evidence`.
"""

from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime

from relance.mail.classification import (
    RULES_VERSION,
    CalendarAnswer,
    Classification,
    Confidence,
    Incoming,
    Kind,
    Rule,
    as_json,
)
from relance.mail.message import Message
from relance.mail.reports import BouncedRecipient
from relance.mail.rules_notices import NOTICES
from relance.mail.rules_people import PEOPLE

__all__ = [
    "RULES",
    "RULES_VERSION",
    "BouncedRecipient",
    "CalendarAnswer",
    "Classification",
    "Confidence",
    "Kind",
    "Rule",
    "as_json",
    "classify",
]

RULES: tuple[Rule, ...] = (*NOTICES, *PEOPLE)


def classify(
    message: Message, *, own_addresses: AbstractSet[str] = frozenset(), received_at: datetime | None = None
) -> Classification:
    """Say what a message is.

    `own_addresses` are the case-folded addresses of the installation's mailboxes. `received_at` dates an absence
    notice whose return has no year; without it the message's own date serves.
    """
    incoming = Incoming(message=message, own_addresses=own_addresses, received_at=received_at)
    for rule in RULES:
        found = rule.read(incoming)
        if found is not None:
            return replace(found, rule=rule.name)
    raise AssertionError("the last rule takes every message")
