"""One step's message for one person: the one renderer behind sending, preview and test mails."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import quote

from relance.core.identifiers import TRACE_HEADER
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import AttachedFile, Variant
from relance.mail.compose import Draft, compose
from relance.mail.signatures import FIELD as SIGNATURE
from relance.mail.signatures import Signature
from relance.mail.templates import MissingValue, Part, Template, compile_template, render, render_parts
from relance.mail.threading import references_for, reply_subject
from relance.services.sending.thread import Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """A message ready for the wire."""

    subject: str
    raw: bytes  #: Without the contents of its attachments, see `relance.mail.attaching`.


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What identifies one message: id and trace are derived from enrollment uid and step counter."""

    message_id: str
    trace: str
    unsubscribe: str | None = None  #: An https address at which the person opts out; None: only by mail.


def compose_step(
    *,
    mailbox: Mailbox,
    lead: Lead,
    variant: Variant,
    attachments: tuple[AttachedFile, ...],
    thread: Thread,
    marks: Marks,
    seed: bytes,
    now: datetime,
) -> Composed | MissingValue:
    """Render and compose; where a value is missing or blank and has no default, MissingValue comes back, never a gap.

    Raises ValueError for what cannot be a correct message, such as an address that no header can hold.
    """
    subject, text, html = _templates(variant.subject, variant.text, variant.html)
    parts = render_parts(subject, text, html, template_fields(lead, mailbox), seed)
    if isinstance(parts, MissingValue):
        return parts
    line = parts.subject if parts.subject is not None else reply_subject(thread.subject or "")
    references = references_for(thread.references[:-1], thread.in_reply_to) if thread.in_reply_to else ()
    mailto = f"mailto:{quote(mailbox.address, safe='@')}?subject=unsubscribe"
    draft = Draft(
        from_address=mailbox.address,
        from_name=mailbox.display_name,
        to_address=lead.email,
        to_name=_full_name(lead.fields),
        subject=line,
        text=parts.text,
        html=parts.html,
        message_id=marks.message_id,
        date=now,
        in_reply_to=thread.in_reply_to,
        references=references,
        list_unsubscribe=(*([marks.unsubscribe] if marks.unsubscribe else []), mailto),
        list_unsubscribe_post=marks.unsubscribe is not None,
        headers=((TRACE_HEADER, marks.trace),),
        attachments=attachments,
    )
    return Composed(subject=line, raw=compose(draft))


def template_fields(lead: Lead, mailbox: Mailbox) -> dict[str, object]:
    """Return what templates can say about a lead and its sender."""
    return {
        **lead.fields,
        "email": lead.email,
        "sender_name": mailbox.display_name or "",
        "sender_email": mailbox.address,
        SIGNATURE: Signature(text=mailbox.signature_text, html=mailbox.signature_html)
        if mailbox.signature_text
        else "",
    }


def needs_signature(variant: Variant) -> bool:
    """Whether a mailbox without a signature cannot send this wording, as far as one seed shows."""
    for template in _templates(variant.subject, variant.text, variant.html):
        if template is not None and SIGNATURE in template.fields:
            others = dict.fromkeys(template.fields - {SIGNATURE}, "-")
            if render(template, others, seed=b"") == MissingValue(SIGNATURE):
                return True
    return False


def seed_of(enrollment_uid: str, step_counter: int) -> bytes:
    """Return the one seed of an enrollment's step: text, HTML and every retry choose the same wording."""
    return blake2b(f"{enrollment_uid}/{step_counter}".encode(), digest_size=16, person=b"wording").digest()


@lru_cache(maxsize=2_000)
def _templates(subject: str | None, text: str, html: str | None) -> tuple[Template | None, Template, Template | None]:
    return (
        compile_template(subject, part=Part.SUBJECT) if subject is not None else None,
        compile_template(text, part=Part.TEXT),
        compile_template(html, part=Part.HTML) if html is not None else None,
    )


def _full_name(fields: Mapping[str, str]) -> str | None:
    whole = " ".join(part for part in (fields.get("first_name"), fields.get("last_name")) if part)
    name = fields.get("full_name") or fields.get("name") or whole
    return " ".join("".join(c if c.isprintable() else " " for c in name).split()) or None
