"""The mail domains of the world and the mailboxes on them: how each server is built and what it can do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from relance.sandbox.mailstore import Mailstore, Use


class Security(StrEnum):
    """How a connection is protected; the words of the command line."""

    TLS = "tls"  #: Encrypted from the first byte.
    STARTTLS = "starttls"  #: Encrypted on the client's demand, and nothing else is served before.
    PLAIN = "plain"  #: Not encrypted: loopback only.


class Capability(StrEnum):
    """An IMAP extension that a domain may have or lack."""

    CONDSTORE = "CONDSTORE"  #: RFC 7162
    GMAIL = "X-GM-EXT-1"  #: Gmail's own: a number for each message, the same in every folder.
    IDLE = "IDLE"  #: RFC 2177
    LITERAL_PLUS = "LITERAL+"  #: RFC 7888
    MOVE = "MOVE"  #: RFC 6851
    SPECIAL_USE = "SPECIAL-USE"  #: RFC 6154
    UIDPLUS = "UIDPLUS"  #: RFC 4315


ENGLISH: Mapping[Use, str] = {
    Use.INBOX: "INBOX",
    Use.DRAFTS: "Drafts",
    Use.SENT: "Sent",
    Use.JUNK: "Junk",
    Use.ARCHIVE: "Archive",
    Use.TRASH: "Trash",
}
GMAIL_LIKE: Mapping[Use, str] = {
    Use.INBOX: "INBOX",
    Use.ARCHIVE: "[Gmail]/All Mail",
    Use.DRAFTS: "[Gmail]/Drafts",
    Use.SENT: "[Gmail]/Sent Mail",
    Use.JUNK: "[Gmail]/Spam",
    Use.TRASH: "[Gmail]/Trash",
}
GMAIL: Mapping[Use, str] = {
    Use.INBOX: "INBOX",
    Use.ALL: "[Gmail]/All Mail",
    Use.DRAFTS: "[Gmail]/Drafts",
    Use.SENT: "[Gmail]/Sent Mail",
    Use.JUNK: "[Gmail]/Spam",
    Use.TRASH: "[Gmail]/Trash",
}
GERMAN: Mapping[Use, str] = {
    Use.INBOX: "INBOX",
    Use.DRAFTS: "Entwürfe",
    Use.SENT: "Gesendete Objekte",
    Use.JUNK: "Unerwünschte Werbung",
    Use.ARCHIVE: "Archiv",
    Use.TRASH: "Gelöschte Objekte",
}
FRENCH: Mapping[Use, str] = {
    Use.INBOX: "INBOX",
    Use.DRAFTS: "Brouillons",
    Use.SENT: "Éléments envoyés",
    Use.JUNK: "Courrier indésirable",
    Use.ARCHIVE: "Archives",
    Use.TRASH: "Éléments supprimés",
}
UNDER_INBOX: Mapping[Use, str] = {
    Use.INBOX: "INBOX",
    Use.DRAFTS: "INBOX.Drafts",
    Use.SENT: "INBOX.Sent",
    Use.JUNK: "INBOX.Junk",
    Use.ARCHIVE: "INBOX.Archive",
    Use.TRASH: "INBOX.Trash",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """How one domain's SMTP and IMAP servers behave."""

    name: str
    security: Security
    capabilities: frozenset[Capability] = frozenset(Capability) - {Capability.GMAIL}
    folders: Mapping[Use, str] = field(default_factory=lambda: ENGLISH)
    separator: str = "/"
    saves_sent: bool = True
    """Whether the SMTP side puts a copy of what it accepts into Sent, as hosted providers do."""
    rewrites_message_id: bool = False
    """Whether the SMTP side replaces the Message-ID, as some relays do."""


DEFAULT_DOMAINS = (
    Domain(name="brightmail.example", security=Security.TLS, folders=GMAIL_LIKE),
    Domain(name="nordpost.example", security=Security.STARTTLS, folders=GERMAN),
    Domain(
        name="kleinhost.example",
        security=Security.PLAIN,
        capabilities=frozenset({Capability.IDLE}),
        folders=UNDER_INBOX,
        separator=".",
        saves_sent=False,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a server listens and how to talk to it."""

    host: str
    port: int
    security: Security

    def __str__(self) -> str:
        """Write it as the command line takes it: HOST:PORT:SECURITY."""
        return f"{self.host}:{self.port}:{self.security}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What somebody needs to know to connect a mailbox of this world."""

    address: str
    display_name: str
    smtp: Endpoint
    imap: Endpoint
    username: str
    password: str
    """The password; XOAUTH2 takes it as the access token."""
    ca_file: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxMailbox:
    """A mailbox as its servers see it."""

    address: str
    display_name: str
    username: str
    password: str
    domain: Domain
    store: Mailstore
