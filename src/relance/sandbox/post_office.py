"""Where accepted mail goes: into the mailboxes of this world, or to the people outside it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.header import decode_header, make_header
from email.utils import format_datetime

from relance.sandbox.chance import token
from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import SandboxMailbox
from relance.sandbox.journal import Accepted, Arrived, Journal, Lost, Nature, Refused
from relance.sandbox.mailstore import Use, header_block, header_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A message with who sends it and for whom (RFC 5321 §2.3.1)."""

    mailbox: SandboxMailbox
    """Whose login submitted it."""
    sender: str
    recipients: Sequence[str]
    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A message as it reached a person."""

    recipient: str
    sender: str
    """The envelope sender: where bounces go."""
    raw: bytes


@dataclass(slots=True, kw_only=True)
class PostOffice:
    """Delivers mail and writes into the journal what was accepted, refused, lost and delivered."""

    clock: SandboxClock
    seed: int
    journal: Journal
    markers: Mapping[str, str]
    """A phrase of each step's text that no other step has, by step."""
    to_person: Callable[[Received], None]
    mailboxes: dict[str, SandboxMailbox] = field(default_factory=dict)
    """The mailboxes of this world by address."""
    _ids: int = 0

    def mailbox_of(self, address: str) -> SandboxMailbox | None:
        """Return the mailbox an address belongs to, with or without a +detail; None for the outside world."""
        local, at, domain = address.lower().partition("@")
        return self.mailboxes.get(f"{local.partition('+')[0]}{at}{domain}")

    def is_ours(self, address: str) -> bool:
        """Say whether an address lies in one of this world's domains, with a mailbox behind it or not."""
        domain = address.lower().rpartition("@")[2]
        return any(each.domain.name == domain for each in self.mailboxes.values())

    def accept(self, envelope: Envelope) -> None:
        """Take responsibility for a message: save it to Sent where the domain does, and deliver it."""
        domain = envelope.mailbox.domain
        wire_id = _first(envelope.raw, "message-id")
        raw = self._with_new_id(envelope.raw, domain.name) if domain.rewrites_message_id else envelope.raw
        if domain.saves_sent:
            self.keep_copy(envelope.mailbox, raw)
        for recipient in envelope.recipients:
            self.journal.add(
                Accepted(
                    at=self.clock.now(),
                    mailbox=envelope.mailbox.address,
                    recipient=recipient.lower(),
                    message_id=wire_id,
                    subject=subject_of(envelope.raw),
                    marker=self._marker(envelope.raw),
                    raw=envelope.raw,
                )
            )
            if self.is_ours(recipient):
                self.deliver(recipient, raw, sender=envelope.sender, nature=Nature.OTHER, person=envelope.sender)
            else:
                self.to_person(Received(recipient=recipient.lower(), sender=envelope.sender, raw=raw))

    def keep_copy(self, mailbox: SandboxMailbox, raw: bytes) -> None:
        """File what a mailbox sent, as its server does by itself."""
        mailbox.store.by_use(Use.SENT).append(raw, at=self.clock.now(), flags=("\\Seen",))

    def lose(self, envelope: Envelope) -> None:
        """Note that a message was on the wire in full and reached nobody."""
        for recipient in envelope.recipients:
            self.journal.add(
                Lost(
                    at=self.clock.now(),
                    mailbox=envelope.mailbox.address,
                    recipient=recipient.lower(),
                    message_id=_first(envelope.raw, "message-id"),
                )
            )

    def refuse(self, mailbox: SandboxMailbox, recipient: str, reply: str) -> None:
        """Note that a recipient was refused."""
        self.journal.add(
            Refused(at=self.clock.now(), mailbox=mailbox.address, recipient=recipient.lower(), reply=reply)
        )

    def deliver(
        self, address: str, raw: bytes, *, sender: str, nature: Nature, person: str, use: Use = Use.INBOX
    ) -> None:
        """Put a message into a mailbox of this world; one for a mailbox that does not exist is forgotten."""
        mailbox = self.mailbox_of(address)
        if mailbox is None:
            return
        folder = mailbox.store.by_use(use)
        folder.append(self._trace(raw, address, sender), at=self.clock.now())
        self.journal.add(
            Arrived(
                at=self.clock.now(),
                mailbox=mailbox.address,
                folder=folder.name,
                person=person,
                nature=nature,
                message_id=_first(raw, "message-id"),
            )
        )

    def _trace(self, raw: bytes, address: str, sender: str) -> bytes:
        """Put the trace fields of a final delivery before a message (RFC 5321 §4.4)."""
        self._ids += 1
        domain = address.rpartition("@")[2]
        stamp = format_datetime(self.clock.now())
        unique = token(self.seed, "trace", self._ids)
        trace = (
            f"Return-Path: <{sender}>\r\nReceived: from relay.{domain} by mx.{domain} with ESMTPS id {unique}\r\n"
            f"\tfor <{address}>; {stamp}\r\n"
        )
        return trace.encode() + raw

    def _with_new_id(self, raw: bytes, domain: str) -> bytes:
        self._ids += 1
        header = header_block(raw)
        fresh = f"Message-ID: <{token(self.seed, 'rewritten', self._ids)}@relay.{domain}>\r\n".encode()
        kept = re.sub(rb"(?im)^message-id:[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*", b"", header)
        return fresh + kept + raw[len(header) :]

    def _marker(self, raw: bytes) -> str | None:
        """Recognise the step from its fixed phrase, which quoted-printable may have folded."""
        text = b" ".join(raw.replace(b"=\r\n", b"").split()).decode("utf-8", "replace")
        return next((step for step, phrase in self.markers.items() if phrase in text), None)


def _first(raw: bytes, name: str) -> str:
    return next(iter(header_fields(raw).get(name, [])), "")


def subject_of(raw: bytes) -> str:
    """Return the decoded subject; as it stands when it cannot be decoded."""
    subject = _first(raw, "subject")
    try:
        return str(make_header(decode_header(subject)))
    except (ValueError, LookupError):
        return subject
