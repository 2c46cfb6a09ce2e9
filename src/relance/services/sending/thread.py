"""The conversation that a message belongs to: what it answers, and under which subject."""

from dataclasses import dataclass

from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment
from relance.core.mailbox import Mailbox
from relance.core.sequence import Variant
from relance.ports.store import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """Where a message stands in its conversation; `opens` means that it starts one."""

    opens: bool
    subject: str | None = None  #: As the opening message was sent, for a follow-up.
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()


def thread_of(reader: Reader, enrollment: Enrollment, variant: Variant, mailbox: Mailbox) -> Thread:
    """Return the thread of the next message: its own if it has a subject, else the latest one from this mailbox."""
    if variant.subject is not None:
        return Thread(opens=True)
    sent = reader.all(
        Attempt, "attempts.sent_of_enrollment", workspace_id=enrollment.workspace_id, enrollment_id=enrollment.id
    )
    latest: list[Attempt] = []
    for attempt in sent:
        latest = [attempt] if attempt.opens_thread else [*latest, attempt]
    if not latest or latest[0].mailbox_id != mailbox.id:
        return Thread(opens=True, subject=latest[0].subject if latest else None)
    ids = tuple(a.wire_message_id or a.message_id for a in latest)
    return Thread(opens=False, subject=latest[0].subject, in_reply_to=ids[-1], references=ids)
