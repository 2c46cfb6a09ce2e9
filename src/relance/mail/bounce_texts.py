"""Bounces that no program was meant to read: qmail, Exim, old Postfix and Exchange, Yahoo, sendmail and the rest.

Rule 1: only the notice is read, never the returned message below it; an address or a phrase of ours must not count.
Rule 2: a machine's name is not enough: the notice must also say that something was not delivered.
Rule 3: places where servers put the failed address are tried from the surest to the vaguest, and the first that
        yields wins.
"""

import re
from dataclasses import dataclass
from itertools import islice

from relance.mail.addresses import fold_address
from relance.mail.bounce_signs import BODY_SIGNS, DELAY_SIGNS, LASTING_SIGNS, ORIGINAL_BEGINS, SUBJECT_SIGNS
from relance.mail.html_text import html_to_text
from relance.mail.message import Message

MAX_NOTICE = 16 * 1024
MAX_TAIL = 64 * 1024
MAX_RECIPIENTS = 200

_LOCAL = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.\u0080-\uffff-]{1,100}"
_HOST = r"[A-Za-z0-9\u0080-\uffff](?:[A-Za-z0-9._\u0080-\uffff-]{0,250}[A-Za-z0-9\u0080-\uffff])?"
_ADDRESS = rf"{_LOCAL}@{_HOST}"
_ANGLED = rf"<[ \t]{{0,9}}(?:mailto:|smtp:)?({_ADDRESS})[ \t]{{0,9}}>"
# An address that opens its line: `<a@b>: reason`, `  a@b`, `* a@b`, `a@b on Fri, …`, `554 5.0.0 <a@b>... reason`,
# `To: a@b`.
_OPENS_LINE = re.compile(
    rf"^[ \t>*\"'\[-]{{0,12}}(?:(?:to|rcpt to|recipient|address|failed recipient)[ \t]{{0,9}}:[ \t]{{0,40}}|"
    rf"\d{{3}}[ -](?:\d\.\d\.\d )?)?"
    rf"(?:{_ANGLED}|\(?({_ADDRESS})\)?)(?=[\"'\]]?[ \t]{{0,40}}(?:$|[:;,(]|on\s|\.\.\.|-\s|(?<=[ \t])\S))",
    re.MULTILINE | re.IGNORECASE,
)
_ALONE = re.compile(
    rf"^[ \t>*\"'\[-]{{0,12}}(?:{_ANGLED}|({_ADDRESS}))[\"'\]]?[ \t]{{0,40}}(?:$|[:(]|\.\.\.|on \w{{3}},|on \d)",
    re.MULTILINE | re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:rcpt to|recipients?|addresse?e?s?(?: to)?|undeliverable(?: address)?|deliver(?:ed|y|"
    r"able)?(?: \w+){0,4} (?:to|for)|attempts|failed|full|"
    rf"(?:message|mail) (?:to|for)|user|mailbox|account|sent to|reach|"
    rf"dda)\b[^@\n<]{{0,80}}?[<'\"( :=](?:smtp=)?({_ADDRESS})",
    re.IGNORECASE,
)
_LIST_BEGINS = re.compile(
    r"following (?:recipient|address|destination|user)[^\n:]{0,60}:|recipients?\(s\) could not be reached:",
    re.IGNORECASE,
)
_GLUED = re.compile(r"[^\x00-\x7f]*([\x21-\x7e]+@(?:[a-z0-9-]+\.)+[a-z]{2,24})[^\x00-\x7f]*")
_ANY = re.compile(rf"(?<![A-Za-z0-9.@_-])({_ADDRESS})")
_MACHINES = re.compile(
    r"^(?:[\"']?mailer[-_.]?(?:daemon|agent)|m?daemon|mail[-_.]?daemon|post[-_]?master|mail[-_.]?(?:delivery|"
    r"error|admin)[\w.-]*|"
    r"microsoftexchange[0-9a-f]+|ndr|bounces?|email-bounces|autoreply-bounce|mailadm|imss|delivery[\w.-]*|"
    r"[\w-]*smtp[\w-]*|system)\b"
    r"|mail[ -]?(?:delivery )?(?:sub)?system|system administrator|mail administrator|delivery (?:sub)?system|"
    r"internet mail delivery"
    r"|antivirus.{0,20}gateway",
    re.IGNORECASE,
)
_RETURNED_HEADER = re.compile(
    r"^[ \t>]{0,4}(?:received|from|to|subject|date|message-id|return-path|mime-version):", re.IGNORECASE | re.MULTILINE
)
_MESSAGE_ID = re.compile(r"^[ \t>]{0,4}(?:x-original-)?message-id:\s*(<[^<>\s]{1,500}>)", re.IGNORECASE | re.MULTILINE)
_ORIGINAL = re.compile(ORIGINAL_BEGINS, re.IGNORECASE | re.MULTILINE)
_SUBJECT = re.compile("|".join(SUBJECT_SIGNS))
_BODY = re.compile("|".join(BODY_SIGNS))
# Phishing dresses as a mail system: it wants a click, and quotes no answer of any server.
_LURE = re.compile(
    r"\b(?:release|retrieve|recover) (?:your |the |all |these |pending |held |undelivered |blocked )+"
    r"(?:e-?mails?|messages?)|\b(?:verify|validate|re-?validate|upgrade|update|confirm|re-?activate|keep) (?:your )"
    r"(?:\w+ )?(?:mail ?box|account|storage|quota|password|e-?mail)|\bavoid (?:account|losing|mail)"
)
_REPLY_CODE = re.compile(r"(?<![\d.])[45]\d\d[ -]|[45]\.\d\.\d")
_DELAY = re.compile("|".join(DELAY_SIGNS))
_LASTING = re.compile("|".join(LASTING_SIGNS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One failed address and the words that a notice says about it."""

    address: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A bounce read from its words.

    `delayed`: the server is still trying. `original_message_id` is the one quoted below the notice.
    """

    refusals: tuple[Refusal, ...]
    text: str
    delayed: bool
    original_message_id: str | None
    evidence: tuple[str, ...]


def read_notice(message: Message) -> Notice | None:
    """Return what the message says about failed delivery in plain words, or None if it is no bounce."""
    if not _may_be_bounce(message):
        return None
    whole = message.text if message.text.strip() else html_to_text(message.html)
    section, tail = split_original(whole)
    evidence = _signs(message, section)
    if not evidence:
        return None
    quoted = _MESSAGE_ID.search(returned_headers(tail[:MAX_TAIL]))
    return Notice(
        refusals=_refusals(message, section),
        text=section,
        delayed=is_delay(f"{message.subject}\n{section}"),
        original_message_id=quoted.group(1) if quoted else None,
        evidence=evidence,
    )


def split_original(text: str) -> tuple[str, str]:
    """Return the notice and what follows it: the returned message, as servers quote it."""
    head = text[:MAX_NOTICE]
    begins = _ORIGINAL.search(head)
    at = begins.start() if begins else len(head)
    return head[:at], text[at : at + MAX_TAIL]


def returned_headers(text: str) -> str:
    """Return the headers of the message that a notice quotes, without its body: a body may quote anybody's id.

    Where the text has no block of headers, it is returned whole.
    """
    blocks = re.split(r"\n[ \t>]{0,9}\n", text)
    return next((block for block in blocks if len(_RETURNED_HEADER.findall(block)) > 1), text)


def is_delay(text: str) -> bool:
    """Tell whether the words say that delivery is still being tried."""
    plain = " ".join(text[:MAX_NOTICE].casefold().split())
    return bool(_DELAY.search(plain)) and not _LASTING.search(plain)


def is_machine(message: Message) -> bool:
    """Tell whether the sender is a mail system rather than a person, by its address or name."""
    sender = message.from_
    if sender is None:
        return True
    return bool(_MACHINES.search(sender.address.partition("@")[0]) or _MACHINES.search(sender.name))


def has_null_sender(message: Message) -> bool:
    """Tell whether the envelope sender was empty, as RFC 3464 §2 asks of every notification."""
    return any(path.strip() in {"<>", ""} for path in message.all("return-path"))


def _may_be_bounce(message: Message) -> bool:
    """Tell from the headers whether reading the text can be worth it; it never is for most mail."""
    return bool(
        is_machine(message)
        or has_null_sender(message)
        or message.header("x-failed-recipients")
        or _SUBJECT.search(message.subject.casefold())
        or _returns_original(message)
    )


def _returns_original(message: Message) -> bool:
    sender = message.from_.address if message.from_ else ""
    unattended = re.match(r"(?:no|do[-_.]?not)[-_.]?reply@", sender)
    return bool(unattended) and any(part.content_type == "message/rfc822" for part in message.embedded)


def _signs(message: Message, section: str) -> tuple[str, ...]:
    subject, body = message.subject.casefold(), " ".join(section[:4096].casefold().replace("’", "'").split())
    signs: list[str] = []
    machine, null = is_machine(message), has_null_sender(message)
    in_subject, in_body = _SUBJECT.search(subject), _BODY.search(body)
    conversation = re.match(r"(?:re|fwd?|aw|sv|wg|tr)\s*:", subject)
    if message.header("x-failed-recipients"):
        signs.append("X-Failed-Recipients")
    elif machine and (in_subject or in_body) and (message.from_ is not None or (in_subject and in_body)):
        signs.append("from a mail system")
    elif in_subject and in_body and (null or not conversation):
        signs.append("null sender" if null else "subject and body of a bounce")
    elif null and in_body and _ALONE.search(section):
        signs.append("null sender")
    elif in_body and not conversation and _returns_original(message):
        signs.append("an unattended sender returns a message")
    if signs and _LURE.search(body) and not (_REPLY_CODE.search(section) or message.embedded):
        return ()
    if signs and in_subject:
        signs.append(f"subject: {in_subject.group()[:60]}")
    if signs and in_body:
        signs.append(f"text: {in_body.group()[:60]}")
    return tuple(signs)


def _refusals(message: Message, section: str) -> tuple[Refusal, ...]:
    own = {address.address for address in (*message.to, *message.cc)}
    own.update(address.address for address in (message.from_, message.sender) if address)
    header = [
        fold_address(part) for value in message.all("x-failed-recipients") for part in value.split(",") if "@" in part
    ]
    announced = _LIST_BEGINS.search(section)
    spans = _surest(section, announced.end(), own) if announced else []
    spans = spans or _surest(section, 0, own)
    places: dict[str, int] = {}
    for address, place in spans:
        places.setdefault(address, place)
    if header:
        places = {address: places.get(address, 0) for address in dict.fromkeys(header)}
    ordered = sorted(places.items(), key=lambda item: item[1])[:MAX_RECIPIENTS]
    if len(ordered) == 1:
        return (Refusal(address=ordered[0][0], text=section),)
    ends = [*(place for _, place in ordered), len(section)][1:]
    return tuple(
        Refusal(address=address, text=section[place:end]) for (address, place), end in zip(ordered, ends, strict=False)
    )


def _unglued(address: str) -> str:
    """Return an address without the letters that a script without spaces wrote against it: 宛先ann@example.com。."""
    found = _GLUED.fullmatch(address)
    return found.group(1) if found else address


def _surest(section: str, start: int, own: set[str]) -> list[tuple[str, int]]:
    """Return the addresses in the surest kind of place that has any, ours and mail systems' only failing others."""
    for pattern in (_ALONE, _OPENS_LINE, _NAMED, _ANY):
        found = [
            (_unglued(fold_address(next(group for group in match.groups() if group))), match.start())
            for match in islice(pattern.finditer(section, start), MAX_RECIPIENTS)
        ]
        others = [span for span in found if span[0] not in own and not _MACHINES.search(span[0].partition("@")[0])]
        if others or (found and pattern is _ALONE):
            return others or found
    return []
