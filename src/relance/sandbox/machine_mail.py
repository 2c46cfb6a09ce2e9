"""What mail systems write by themselves: out-of-office answers (RFC 3834) and delivery reports (RFC 3464)."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from email.utils import format_datetime
from enum import StrEnum

from relance.sandbox.answers import Occasion, Post
from relance.sandbox.chance import below, token
from relance.sandbox.letters import start_letter, thread, without_prefixes
from relance.sandbox.mailstore import header_block
from relance.sandbox.person import Language

_MONTHS: Mapping[Language, tuple[str, ...]] = {
    Language.ENGLISH: (
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
    Language.FRENCH: (
        "janvier", "février", "mars", "avril", "mai", "juin",
        "juillet", "août", "septembre", "octobre", "novembre", "décembre",
    ),
    Language.SPANISH: (
        "enero", "febrero", "marzo", "abril", "mayo", "junio",
        "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
    ),
    Language.DUTCH: (
        "januari", "februari", "maart", "april", "mei", "juni",
        "juli", "augustus", "september", "oktober", "november", "december",
    ),
}  # fmt: skip
_DAY: Mapping[Language, Callable[[datetime], str]] = {
    Language.ENGLISH: lambda day: f"{day.day} {_MONTHS[Language.ENGLISH][day.month - 1]} {day.year}",
    Language.GERMAN: lambda day: f"{day:%d.%m.%Y}",
    Language.FRENCH: lambda day: f"{day.day} {_MONTHS[Language.FRENCH][day.month - 1]} {day.year}",
    Language.SPANISH: lambda day: f"{day.day} de {_MONTHS[Language.SPANISH][day.month - 1]} de {day.year}",
    Language.DUTCH: lambda day: f"{day.day} {_MONTHS[Language.DUTCH][day.month - 1]} {day.year}",
}
_AWAY: Mapping[Language, tuple[str, str]] = {
    Language.ENGLISH: (
        "Automatic reply: ",
        "Thank you. I am out of the office and will be back on {day}.\nIn urgent cases please call our reception.",
    ),
    Language.GERMAN: (
        "Automatische Antwort: ",
        "Vielen Dank für Ihre Nachricht. Ich bin bis zum {day} nicht im Büro.\nIhre E-Mail wird nicht weitergeleitet.",
    ),
    Language.FRENCH: (
        "Réponse automatique : ",
        "Bonjour,\nje suis absent(e) du bureau jusqu'au {day}. Je vous répondrai à mon retour.",
    ),
    Language.SPANISH: (
        "Respuesta automática: ",
        "Gracias por su mensaje. Estoy fuera de la oficina hasta el {day}.",
    ),
    Language.DUTCH: (
        "Automatisch antwoord: ",
        "Bedankt voor uw bericht. Ik ben afwezig tot en met {day}.",
    ),
}


def out_of_office(occasion: Occasion, at: datetime) -> Post:
    """Write a person's automatic answer, with the day they are back."""
    person, original = occasion.person, occasion.original
    prefix, text = _AWAY[person.language]
    back = at + timedelta(days=2 + below(occasion.seed, 9, "back", person.address))
    letter = start_letter(
        name=person.name,
        sender=person.address,
        to=original.sender_address,
        subject=prefix + without_prefixes(original.subject),
        at=at,
        message_id=f"<{token(occasion.seed, 'away', person.address)}@{person.address.rpartition('@')[2]}>",
    )
    thread(letter, original)
    letter["Auto-Submitted"] = "auto-replied"
    if person.turn % 2:
        letter["X-Auto-Response-Suppress"] = "All"
    letter.set_content(f"{text.format(day=_DAY[person.language](back))}\n\n{person.name}\n", charset="utf-8")
    return Post(to=original.sender_address, sender="", raw=letter.as_bytes())


class BounceForm(StrEnum):
    """How a mail system reports that a message cannot be delivered."""

    POSTFIX = "postfix"  #: multipart/report with the whole original.
    EXCHANGE = "exchange"  #: multipart/report with the original's header only.
    QMAIL = "qmail"  #: Plain text with the original below, by no standard.
    AFTER_DELAY = "after_delay"  #: A delay notice first, the final report a day later.


def bounce_form(turn: int) -> BounceForm:
    """Return how the mail system of the turn-th undeliverable person reports it."""
    return tuple(BounceForm)[turn % len(BounceForm)]


def bounce(occasion: Occasion, at: datetime, to: str) -> Post:
    """Write the final report of a mail system that had accepted the message."""
    match bounce_form(occasion.person.turn):
        case BounceForm.POSTFIX:
            return _report(occasion, at, to, failed=True, whole=True, diagnostic=_POSTFIX_SAYS)
        case BounceForm.AFTER_DELAY:
            return _report(occasion, at, to, failed=True, whole=True, diagnostic=_TIMED_OUT_SAYS)
        case BounceForm.EXCHANGE:
            return _report(occasion, at, to, failed=True, whole=False, diagnostic=_EXCHANGE_SAYS)
        case BounceForm.QMAIL:
            return _qmail(occasion, at, to)


def delay_notice(occasion: Occasion, at: datetime, to: str) -> Post:
    """Write the notice of a mail system that is still trying."""
    return _report(occasion, at, to, failed=False, whole=False, diagnostic=_DELAYED_SAYS)


_POSTFIX_SAYS = ("5.1.1", "550 5.1.1 <{address}>: Recipient address rejected: User unknown in local recipient table")
_EXCHANGE_SAYS = (
    "5.1.10",
    "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient {address} not found by SMTP address lookup",
)
_TIMED_OUT_SAYS = ("5.1.1", "550 5.1.1 <{address}>: user does not exist")
_DELAYED_SAYS = ("4.4.1", "connect to {domain}[192.0.2.25]:25: Connection timed out")


def _report(
    occasion: Occasion, at: datetime, to: str, *, failed: bool, whole: bool, diagnostic: tuple[str, str]
) -> Post:
    address = occasion.person.address
    domain = address.rpartition("@")[2]
    status, template = diagnostic
    reason = template.format(address=address, domain=domain)
    unique = token(occasion.seed, "report", address, occasion.original.message_id, str(failed))
    title = "Undelivered Mail Returned to Sender" if failed else "Delayed Mail (still being retried)"
    told = (
        "I'm sorry to have to inform you that your message could not\nbe delivered to one or more recipients."
        if failed
        else "Your message has been waiting for more than 4 hour(s).\nIt will be retried until it is 5 day(s) old."
    )
    original = occasion.original.raw if whole else header_block(occasion.original.raw)
    original_type = "message/rfc822" if whole else "text/rfc822-headers"
    head = [
        f"From: Mail Delivery System <MAILER-DAEMON@mx.{domain}>",
        f"To: {to}",
        f"Subject: {title}",
        f"Date: {format_datetime(at)}",
        f"Message-ID: <{unique}@mx.{domain}>",
        "Auto-Submitted: auto-replied",
        "MIME-Version: 1.0",
        f'Content-Type: multipart/report; report-type=delivery-status;\r\n\tboundary="{unique}"',
        "",
        f"--{unique}",
        "Content-Type: text/plain; charset=us-ascii",
        "",
        f"This is the mail system at host mx.{domain}.",
        "",
        *told.split("\n"),
        "",
        f"<{address}>: {reason}",
        "",
        f"--{unique}",
        "Content-Type: message/delivery-status",
        "",
        f"Reporting-MTA: dns; mx.{domain}",
        f"Arrival-Date: {format_datetime(occasion.received_at)}",
        "",
        f"Final-Recipient: rfc822; {address}",
        f"Action: {'failed' if failed else 'delayed'}",
        f"Status: {status}",
        f"Diagnostic-Code: {'smtp' if failed else 'X-Postfix'}; {reason}",
        "",
        f"--{unique}",
        f"Content-Type: {original_type}",
        "",
        "",
    ]
    raw = "\r\n".join(head).encode() + original + f"\r\n--{unique}--\r\n".encode()
    return Post(to=to, sender="", raw=raw)


def _qmail(occasion: Occasion, at: datetime, to: str) -> Post:
    address = occasion.person.address
    domain = address.rpartition("@")[2]
    unique = token(occasion.seed, "qmail", address, occasion.original.message_id)
    head = [
        f"From: MAILER-DAEMON@{domain}",
        f"To: {to}",
        "Subject: failure notice",
        f"Date: {format_datetime(at)}",
        f"Message-ID: <{unique}@{domain}>",
        "",
        f"Hi. This is the qmail-send program at {domain}.",
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        "This is a permanent error; I've given up. Sorry it didn't work out.",
        "",
        f"<{address}>:",
        "Sorry, no mailbox here by that name. (#5.1.1)",
        "",
        "--- Below this line is a copy of the message.",
        "",
        f"Return-Path: <{to}>",
        "",
    ]
    return Post(to=to, sender="", raw="\r\n".join(head).encode() + occasion.original.raw)
