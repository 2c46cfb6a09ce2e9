"""A step of a sequence that only records: written down as `not_delivered`, and the walk goes on.

No mailbox is asked, no slot is taken and nothing leaves. What binds the person binds here as well: who is suppressed
is not even recorded as written to.
"""

from datetime import datetime

from relance.core import gates, identifiers
from relance.core.attempt import AttemptStatus
from relance.core.enrollment import Enrollment
from relance.core.sequence import EmailStep
from relance.core.situation import Situation
from relance.core.values import replace
from relance.core.verdict import Defer, Leave, Pass, Stop
from relance.ports.store import Transaction
from relance.services import moving
from relance.services.records import insert_attempt, new_attempt
from relance.services.sending.wording import variant_of
from relance.services.situations import Keys

#: What stands right of the @ of a Message-ID that no message bears (RFC 2606: it can never exist).
NOWHERE = "not-delivered.invalid"


def allowed(tx: Transaction, situation: Situation) -> bool:
    """Whether no gate speaks against it; what one says is written where it belongs."""
    _, verdict = gates.evaluate(situation)
    match verdict:
        case Pass():
            return True
        case Stop():
            moving.stop_for_gate(tx, situation, verdict)
        case Defer():
            moving.defer(tx, situation, verdict)
        case Leave():
            pass
    return False


def write_down(
    tx: Transaction, run: Enrollment, step: EmailStep, *, recipient: str, keys: Keys, now: datetime
) -> Enrollment:
    """Record the step as not delivered; return the enrollment with the wording that was drawn, not yet saved."""
    variant = variant_of(run, step)
    insert_attempt(
        tx,
        new_attempt(
            run,
            mailbox_id=None,
            variant=variant.id,
            status=AttemptStatus.NOT_DELIVERED,
            message_id=identifiers.message_id(keys.message_id, run.uid, run.step_counter, NOWHERE),
            trace=identifiers.trace_header(keys.trace, run.uid, run.step_counter)[1],
            recipient=recipient,
            opens_thread=variant.subject is not None,
            planned_at=now,
            holds_slot=False,
            slot_day="",
            slot_hour="",
            created_at=now,
        ),
    )
    return replace(run, variants={**run.variants, step.id: variant.id})
