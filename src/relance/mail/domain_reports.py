"""Reports about a whole domain, not about a message: DMARC aggregates (RFC 7489 §7.2) and TLS reports (RFC 8460)."""

import re

from relance.mail.message import Message

_SUBJECT = re.compile(
    r"\breport[ -]?domain:.{0,300}\breport-?id:|\bdmarc\b.{0,60}\b(?:aggregate )?report\b", re.IGNORECASE
)
# RFC 7489 §7.2.1.1: receiver!domain!begin!end[!id].xml, compressed or not.
_FILE = re.compile(
    r"^[^\s!]{1,255}![^\s!]{1,255}!\d{6,12}!\d{6,12}(?:![^\s!]{1,100})?\.(?:xml|zip|xml\.gz|gz|json|json\.gz)$"
)
_TLS = frozenset({"application/tlsrpt+gzip", "application/tlsrpt+json"})


def read_domain_report(message: Message) -> str | None:
    """Return why the message is a report about a domain, or None."""
    for attachment in message.attachments:
        if attachment.content_type in _TLS:
            return f"attachment {attachment.content_type}"
        if _FILE.match(attachment.filename):
            return f"attachment {attachment.filename[:80]}"
    if message.attachments and _SUBJECT.search(message.subject[:1000]):
        return "subject of an aggregate report"
    return None
