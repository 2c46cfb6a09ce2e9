"""Machines that answer for people: absence notices, receipts of tickets, challenges (RFC 3834).

Rule 1: only what an autoresponder alone sets counts. `X-Auto-Response-Suppress` and `Auto-Submitted: auto-forwarded`
        stand on the ordinary mail of Exchange users and say nothing.
Rule 2: words alone make an answer automatic only when a machine's phrasing leaves little doubt; a person's answer
        must not be lost.
Rule 3: "no longer works here" and "retired" end the matter for good; they are absences without a return.
"""

import re
from dataclasses import dataclass
from datetime import date

from relance.mail import autoreply_signs as signs
from relance.mail.message import Message
from relance.mail.return_dates import return_date

MAX_TEXT = 1500
_SHORT = 800

_TAG = re.compile(r"^(?:\[[^\]]{0,40}\]\s*)+")
_SUBJECT = re.compile("|".join(signs.SUBJECT_SIGNS))
_TEXT = tuple(re.compile(pattern) for pattern in signs.TEXT_SIGNS)
_FAREWELL = re.compile("|".join(signs.FAREWELL_SIGNS))
_PERMANENT = re.compile("|".join(signs.PERMANENT_SIGNS))
_HEADERS = tuple((name, re.compile(pattern) if pattern else None) for name, pattern in signs.HEADER_SIGNS)
_CHALLENGE = re.compile("|".join(signs.CHALLENGE_SIGNS))
_CHALLENGE_SUBJECT = re.compile(signs.CHALLENGE_SUBJECTS)
_CONVERSATION = re.compile(r"^(?:re|aw|sv|antw|odp|ré|rif|回复|答复)\s*[:：]")


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoReply:
    """Why a message is an automatic answer. `certain`: its headers say so. `permanent`: the person will not be back."""

    evidence: tuple[str, ...]
    certain: bool
    permanent: bool
    return_date: date | None


def read_auto_reply(message: Message, new_text: str, received: date | None) -> AutoReply | None:
    """Return what an automatic answer says, or None if a person may have written the message."""
    subject, text = _plain(_TAG.sub("", message.subject)), _plain(new_text)
    headers = _header_evidence(message)
    words = _word_evidence(message, subject, text)
    if not headers and not words:
        return None
    return AutoReply(
        evidence=(*headers, *words),
        certain=bool(headers),
        permanent=says_permanent(f"{message.subject} {new_text}"),
        return_date=return_date(f"{new_text[:MAX_TEXT]} . {message.subject}", received),
    )


def says_permanent(text: str) -> bool:
    """Tell whether the words say that the person has left or the address is given up."""
    return bool(_PERMANENT.search(_plain(text)))


def read_challenge(message: Message, new_text: str) -> tuple[str, ...]:
    """Return why the message asks us to prove that we are human, or nothing."""
    subject, text = _plain(message.subject), _plain(new_text)
    in_subject, in_text = _CHALLENGE_SUBJECT.search(subject), _CHALLENGE.search(text)
    automatic = (
        bool(_header_evidence(message)) or "automat" in text or "challenge" in (message.header("return-path") or "")
    )
    if in_text and (in_subject or automatic) and not is_list_mail(message):
        return (f"text: {in_text.group()[:60]}",)
    return ()


def is_machine_generated(message: Message) -> bool:
    """Tell whether the message calls itself made by a program (RFC 3834 §5); forwarding does not count."""
    return _auto_submitted(message) in {"auto-generated", "auto-replied", "auto-notified"}


def _header_evidence(message: Message) -> tuple[str, ...]:
    if _auto_submitted(message) == "auto-replied":
        return ("Auto-Submitted: auto-replied",)
    for name, pattern in _HEADERS:
        for value in message.all(name):
            if pattern is None or pattern.search(value.casefold()):
                return (f"header {name}",)
    return ()


def _word_evidence(message: Message, subject: str, text: str) -> tuple[str, ...]:
    in_subject = None if _CONVERSATION.match(subject) else _SUBJECT.match(subject)
    if not in_subject and is_list_mail(message):
        return ()
    in_text = [match.group()[:60] for pattern in _TEXT if (match := pattern.search(text))][:2]
    if in_subject:
        return (f"subject: {in_subject.group()[:60]}", *(f"text: {words}" for words in in_text))
    if len(in_text) > 1:
        return tuple(f"text: {words}" for words in in_text)
    # A colleague who tells that somebody left is a person who answers; here the absent one speaks, briefly.
    gone = _FAREWELL.search(text) if len(text) <= _SHORT else None
    return (f"text: {gone.group()[:60]}",) if gone else ()


def is_list_mail(message: Message) -> bool:
    """Tell whether the message came through a list or a mass mailer, so that its words are not meant for us."""
    bulk = (message.header("precedence") or "").strip().lower() in {"bulk", "list", "junk"}
    return bulk or any(message.header(name) for name in ("list-id", "list-unsubscribe", "list-post"))


def _auto_submitted(message: Message) -> str:
    return (message.header("auto-submitted") or "").split(";")[0].split("(")[0].strip().lower()


def _plain(text: str) -> str:
    return " ".join(text[:MAX_TEXT].casefold().replace("’", "'").split())
