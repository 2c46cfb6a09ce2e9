"""Who runs the mail of a domain, by the servers that its MX records name; and what a sequence makes of it."""

from collections.abc import Collection
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class MailHost(StrEnum):
    """Those that most mail lies with, and everybody else."""

    GOOGLE = "google"
    MICROSOFT = "microsoft"
    OTHER = "other"


class ProviderMatch(StrEnum):
    """Whether a conversation is opened from a mailbox of the same provider as the person's."""

    OFF = "off"
    PREFER = "prefer"  #: From one of the same if one is free, else from any.
    ONLY = "only"  #: A person with Google from a Google mailbox, one with Microsoft from a Microsoft one.


#: What their mail servers' names end in. Google: support.google.com/a/answer/174125. Microsoft: "DNS records for
#: Microsoft 365", and `mx.microsoft` for domains with DANE.
_SERVERS: Final = MappingProxyType(
    {
        "google.com": MailHost.GOOGLE,
        "googlemail.com": MailHost.GOOGLE,
        "outlook.com": MailHost.MICROSOFT,
        "mx.microsoft": MailHost.MICROSOFT,
    }
)
#: The lane of those whom any mailbox may write to first.
ANYBODY: Final = ""


def host_of(exchanger: str) -> MailHost:
    """Return who runs a mail server of this name."""
    name = exchanger.casefold().rstrip(".")
    return next((host for end, host in _SERVERS.items() if name == end or name.endswith(f".{end}")), MailHost.OTHER)


def lanes(match: ProviderMatch, own: MailHost, free: Collection[MailHost]) -> tuple[str, ...]:
    """Return from which lanes a mailbox of `own` opens conversations, in this order.

    `free`: of which providers there are mailboxes that could do it as well, now.
    """
    if match is ProviderMatch.OFF:
        return (ANYBODY, *map(str, MailHost))
    mine = () if own is MailHost.OTHER else (own,)
    alone = {host for host in (MailHost.GOOGLE, MailHost.MICROSOFT) if host is not own and host not in free}
    strangers = sorted(alone) if match is ProviderMatch.PREFER else ()
    return tuple(map(str, (*mine, ANYBODY, MailHost.OTHER, *strangers)))
