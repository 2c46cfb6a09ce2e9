"""Invitations and answers to them, as their calendar object says (RFC 5545, RFC 5546, RFC 6047).

Only two properties are read: METHOD, and the PARTSTAT of an attendee; nothing is ever put into a calendar.
"""

import re
from dataclasses import dataclass

from relance.mail.classification import CalendarAnswer
from relance.mail.message import Message

_TYPES = frozenset({"text/calendar", "application/ics"})
MAX_TEXT = 65_536
_METHOD = re.compile(r"^METHOD:[ \t]*([A-Z]{3,20})", re.MULTILINE)
_STATUS = re.compile(r"PARTSTAT=\"?(ACCEPTED|DECLINED|TENTATIVE)")
_ANSWERS = {
    "ACCEPTED": CalendarAnswer.ACCEPTED,
    "DECLINED": CalendarAnswer.DECLINED,
    "TENTATIVE": CalendarAnswer.TENTATIVE,
}
_METHODS = {
    "REQUEST": CalendarAnswer.REQUEST,
    "COUNTER": CalendarAnswer.COUNTER,
    "CANCEL": CalendarAnswer.CANCELLED,
    "DECLINECOUNTER": CalendarAnswer.DECLINED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarObject:
    """What the object says, and the words that say it; `answer` is None for a reply without a status."""

    answer: CalendarAnswer | None
    told: str


def read_calendar(message: Message) -> CalendarObject | None:
    """Return the invitation, or the answer to one, that a message carries; a mere event in a file is neither."""
    for part in message.embedded:
        if part.content_type not in _TYPES:
            continue
        text = re.sub(r"\n[ \t]", "", part.text[:MAX_TEXT].upper())  # Lines are folded (RFC 5545 §3.1).
        method = _METHOD.search(text)
        if method is None:
            continue
        if method.group(1) == "REPLY":
            status = _STATUS.search(text)
            answer = _ANSWERS[status.group(1)] if status else None
            return CalendarObject(answer=answer, told=f"METHOD:REPLY {status.group(1) if status else ''}".strip())
        if method.group(1) in _METHODS:
            return CalendarObject(answer=_METHODS[method.group(1)], told=f"METHOD:{method.group(1)}")
    return None
