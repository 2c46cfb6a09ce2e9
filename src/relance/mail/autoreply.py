"""Machines that answer for people: absence notices, receipts of tickets, challenges (RFC 3834).

Rule 1: only what an autoresponder alone sets counts. `X-Auto-Response-Suppress` and `Auto-Submitted: auto-forwarded`
        stand on the ordinary mail of Exchange users and say nothing.
Rule 2: words alone make an answer automatic only when a machine's phrasing leaves little doubt: it calls itself one, or
        names who is there in the meantime. A person's answer must not be lost.
Rule 3: "no longer works here" and "retired" end the matter for good; they are absences without a return.
"""

import re
from dataclasses import dataclass
from datetime import date

from relance.mail import autoreply_signs as signs
from relance.mail.languages.wording import WORDINGS, plain, spoken
from relance.mail.message import Message
from relance.mail.return_dates import return_date

MAX_TEXT = 1500
_SHORT = 800

_TAG = re.compile(r"^(?:\[[^\]]{0,40}\]\s*)+")
_FAREWELL = re.compile("|".join(signs.FAREWELL_SIGNS))
_HEADERS = tuple((name, re.compile(pattern) if pattern else None) for name, pattern in signs.HEADER_SIGNS)
_CHALLENGE = re.compile("|".join(signs.CHALLENGE_SIGNS))
_CHALLENGE_BRAND = re.compile(signs.CHALLENGE_SIGNS[-1])
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
    subject, text = plain(_untagged(message.subject)), plain(new_text)
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
    words = plain(text)
    return any(wording.gone.search(words) for wording in spoken(words))


def read_challenge(
    message: Message, new_text: str, *, in_report: bool = False, by_machine: bool = False
) -> tuple[str, ...]:
    """Return why the message asks us to prove that we are human, or nothing.

    `by_machine`: it reads like a bounce. `in_report`: it is a report, which is automatic anyway; then only the name of
    a filter, or the subject, tells.
    """
    subject, text = plain(message.subject), plain(new_text)
    in_subject, in_text = _CHALLENGE_SUBJECT.search(subject), _CHALLENGE.search(text)
    automatic = not in_report and (
        by_machine
        or bool(_header_evidence(message))
        or "automat" in text
        or "challenge" in (message.header("return-path") or "")
    )
    named = (message.header(name) or "" for name in ("from", "return-path", "message-id"))
    names = text if by_machine else " ".join(named)
    branded = bool(_CHALLENGE_BRAND.search(names.casefold()))
    if in_text and (in_subject or automatic or branded) and not is_list_mail(message):
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
    in_subject = None if _CONVERSATION.match(subject) else _telling_subject(subject)
    if in_subject is None and is_distributed(message):
        return ()
    found: list[str] = []
    enough = in_subject is not None
    for wording in spoken(text):
        absent, machine = wording.absent.search(text), wording.machine.search(text)
        cover = wording.cover.search(text) if absent or machine else None
        further = wording.received.search(text) if machine else None
        reads_little = wording.limits.search(text) if absent and "?" not in text else None  # Who asks is a person.
        told = [each.group()[:60] for each in (absent, machine, cover, further) if each is not None]
        enough = enough or len(told) > 1 or bool(absent and (reads_little or _is_bulk(message)))
        found.extend(told)
    if in_subject is not None:
        return (f"subject: {in_subject[:60]}", *(f"text: {words}" for words in found[:2]))
    if enough:
        return tuple(f"text: {words}" for words in found[:3])
    # A colleague who tells that somebody left is a person who answers; here the absent one speaks, briefly.
    gone = _FAREWELL.search(text) if len(text) <= _SHORT else None
    return (f"text: {gone.group()[:60]}",) if gone else ()


def _untagged(subject: str) -> str:
    """Return a subject without the tags of gateways; a tag that says "auto-reply" stays, without its brackets."""
    tags = _TAG.match(subject)
    if tags is None:
        return subject
    inner = tags.group().strip("[] \t")
    return inner if _telling_subject(plain(inner)) else subject[tags.end() :]


def _telling_subject(subject: str) -> str | None:
    """Return how an automatic answer's subject begins, if it begins so in any language."""
    matches = (wording.away_subject.match(subject) for wording in WORDINGS)  # Too short to tell its language.
    return next((match.group() for match in matches if match is not None and match.group()), None)


def is_list_mail(message: Message) -> bool:
    """Tell whether the message came through a list or a mass mailer, so that its words are not meant for us."""
    return _is_bulk(message) or is_distributed(message)


def _is_bulk(message: Message) -> bool:
    """Tell of the header that mass mail and old vacation programs set alike."""
    return (message.header("precedence") or "").strip().lower() in {"bulk", "list", "junk"}


def is_distributed(message: Message) -> bool:
    """Tell whether a list handed the message round (RFC 2919, RFC 2369)."""
    return any(message.header(name) for name in ("list-id", "list-unsubscribe", "list-post"))


def _auto_submitted(message: Message) -> str:
    return (message.header("auto-submitted") or "").split(";")[0].split("(")[0].strip().lower()
