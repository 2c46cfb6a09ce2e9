"""What people read in a message and how their programs write one: the ground of answers and of opt-outs."""

import re
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from email.policy import SMTP
from email.utils import format_datetime, formataddr, parseaddr
from urllib.parse import parse_qs, unquote

# The stock policy turns a long References into encoded words (it folds at 78): real programs never do that.
_POLICY = SMTP.clone(max_line_length=998)
_PREFIXES = re.compile(r"^(?:\s*(?:re|aw|sv|antw|ré|rv|tr|fwd?|wg)\s*(?:\[\d+\])?\s*:)+\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailTo:
    """A mailto link: an address with the subject and body it asks for (RFC 6068)."""

    address: str
    subject: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A received message as its reader sees it."""

    message_id: str
    references: str
    subject: str
    sender_name: str
    sender_address: str
    reply_to: str
    unsubscribe: MailTo | None
    text: str
    raw: bytes


def read(raw: bytes) -> Original:
    """Read a message; what is missing is empty."""
    message = message_from_bytes(raw)
    name, address = parseaddr(_text(message, "From"))
    return Original(
        message_id=_text(message, "Message-ID"),
        references=" ".join(_text(message, "References").split()),
        subject=_text(message, "Subject"),
        sender_name=name or address,
        sender_address=address,
        reply_to=parseaddr(_text(message, "Reply-To"))[1] or address,
        unsubscribe=_mailto(_text(message, "List-Unsubscribe")),
        text=plain_text(message),
        raw=raw,
    )


def _text(message: Message, name: str) -> str:
    value = re.sub(r"\r?\n(?=[ \t])", "", str(message.get(name, "")))
    try:
        return str(make_header(decode_header(value))).strip()
    except (ValueError, LookupError):
        return value.strip()


def plain_text(message: Message) -> str:
    """Return the first text/plain part, decoded, with plain line ends."""
    for part in message.walk():
        payload = part.get_payload(decode=True) if part.get_content_type() == "text/plain" else None
        if isinstance(payload, bytes):
            try:
                text = payload.decode(part.get_content_charset("utf-8"), "replace")
            except LookupError:
                text = payload.decode("utf-8", "replace")
            return text.replace("\r\n", "\n")
    return ""


def _mailto(value: str) -> MailTo | None:
    found = re.search(r"<mailto:([^>]+)>", "".join(value.split()), re.IGNORECASE)
    if found is None:
        return None
    address, _, query = found[1].partition("?")
    fields = {name.lower(): values[0] for name, values in parse_qs(query).items()}
    return MailTo(address=unquote(address), subject=fields.get("subject", "unsubscribe"), body=fields.get("body", ""))


def without_prefixes(subject: str) -> str:
    """Return the subject without Re: and its relatives."""
    return _PREFIXES.sub("", subject)


def start_letter(*, name: str, sender: str, to: str, subject: str, at: datetime, message_id: str) -> EmailMessage:
    """Begin a message from a person."""
    letter = EmailMessage(policy=_POLICY)
    letter["From"] = formataddr((name, sender))
    letter["To"] = to
    letter["Subject"] = subject
    letter["Date"] = format_datetime(at)
    letter["Message-ID"] = message_id
    return letter


def thread(letter: EmailMessage, original: Original) -> None:
    """Make the letter an answer to the original (RFC 5322 §3.6.4)."""
    if original.message_id:
        letter["In-Reply-To"] = original.message_id
        letter["References"] = f"{original.references} {original.message_id}".strip()
