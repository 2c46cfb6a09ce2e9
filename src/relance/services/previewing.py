"""What a lead would be sent, step by step, by the very renderer that sends; nothing is written and nothing leaves."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from relance.core import identifiers
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import AttachedFile, EmailStep, Plan
from relance.core.workspace import Workspace
from relance.mail.message import Message
from relance.mail.parse import parse
from relance.mail.templates import MissingValue
from relance.ports.store import Reader
from relance.services import composing
from relance.services.composing import Composed, Marks
from relance.services.dispatching import mailboxes_of
from relance.services.refusals import RefusedError
from relance.services.sending.thread import Thread
from relance.services.sending.wording import draw_variant
from relance.services.situations import Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """One e-mail step for one lead: its message, or the field without which it would be held."""

    step: str
    variant: str
    outcome: Composed | MissingValue
    attachments: tuple[AttachedFile, ...]
    message_id: str
    missing: tuple[str, ...] = ()  #: Fields for which `[field]` stands.

    @property
    def message(self) -> Message | None:
        """The message as its reader sees it."""
        return parse(self.outcome.raw) if isinstance(self.outcome, Composed) else None


class MissedValueError(RefusedError):
    """A step misses a value, so that it would be held."""

    def __init__(self, step: str, field: str, mailbox: str) -> None:
        super().__init__(f"step {step} misses {field}; give the text a default, or the lead or mailbox the value")
        self.step, self.field, self.mailbox = step, field, mailbox


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMails:
    """Test mails that went out."""

    mailbox: str  #: From where.
    steps: tuple[str, ...]


def sending_mailbox(reader: Reader, workspace_id: int, plan: Plan) -> Mailbox:
    """Return the first mailbox that the plan may open conversations from. Raises RefusedError."""
    admitted = mailboxes_of(reader, workspace_id, plan)
    if not admitted:
        where = f"pool {plan.pool!r} is empty" if plan.pool else "none of its mailboxes is connected"
        raise RefusedError(f"{where}; connect a mailbox with `relance mailbox add`")
    return admitted[0]


def preview(
    plan: Plan, *, workspace: Workspace, lead: Lead, mailbox: Mailbox, keys: Keys, now: datetime, fill_in: bool = False
) -> Iterator[Preview]:
    """Yield every e-mail step as written, in the order of the file, with the variant that this lead gets.

    Wordings are those of a walk straight through; a branch that leaves steps out changes their spintax, not more.
    `fill_in` shows `[field]` where a value is missing, for test mails.
    """
    uid = identifiers.enrollment_uid(keys.message_id, workspace.uid, plan.name, lead.email)
    thread = Thread(opens=True)
    for counter, step in enumerate(plan.steps, start=1):
        if not isinstance(step, EmailStep):
            continue
        variant = draw_variant(step, uid)
        if variant.subject is not None:
            thread = Thread(opens=True)
        marks = Marks(
            message_id=identifiers.message_id(keys.message_id, uid, counter, mailbox.domain),
            trace=identifiers.trace_header(keys.trace, uid, counter)[1],
        )
        compose = partial(
            composing.compose_step,
            variant=variant,
            attachments=step.attachments,
            thread=thread,
            marks=marks,
            seed=composing.seed_of(uid, counter),
            now=now,
        )
        outcome, missing = _composed(compose, mailbox, lead, fill_in=fill_in)
        yield Preview(
            step=step.id,
            variant=variant.id,
            outcome=outcome,
            attachments=step.attachments,
            message_id=marks.message_id,
            missing=missing,
        )
        # What follows a message that would be held is shown as it follows once the value is there.
        shown = outcome if isinstance(outcome, Composed) else _composed(compose, mailbox, lead, fill_in=True)[0]
        if isinstance(shown, Composed):
            thread = Thread(
                opens=False,
                subject=shown.subject if thread.opens else thread.subject,
                in_reply_to=marks.message_id,
                references=(*thread.references, marks.message_id),
            )


def _composed(
    compose: Callable[..., Composed | MissingValue], mailbox: Mailbox, lead: Lead, *, fill_in: bool
) -> tuple[Composed | MissingValue, tuple[str, ...]]:
    """Return the message, and for which fields something stands that is no value of theirs."""
    filled: dict[str, None] = {}
    while True:
        outcome = compose(mailbox=mailbox, lead=lead)
        if isinstance(outcome, Composed) or not fill_in or outcome.field in filled:
            return outcome, tuple(filled)
        filled[outcome.field] = None
        shown = f"[{outcome.field}]"
        match outcome.field:
            case "sender_name":
                mailbox = replace(mailbox, display_name=shown)
            case "sender_signature":
                mailbox = replace(mailbox, signature_text=shown)
            case field:
                lead = replace(lead, fields={**lead.fields, field: shown})
