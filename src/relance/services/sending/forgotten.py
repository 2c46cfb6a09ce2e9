"""Messages of ours that the database does not know of: they left after the backup was made that has been put back.

Rule 1: what a copy in Sent says by its mark is kept, whether or not its step can be found now: before any step is
        sent, its mark is looked up here (`catching_up.py`). So is what may have left.
Rule 2: whoever enters a sequence and was written to unknown to us waits for a person, who can see why.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from relance.core import identifiers, transitions
from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment, EnrollmentStatus
from relance.core.events import EventName
from relance.ports.store import Reader, Transaction
from relance.services import moving
from relance.services.records import columns, save_enrollment
from relance.services.situations import Keys

#: Why somebody waits for a person: they may have been written to unknown to us.
HOLD_REASON = "written_before_restore"
#: Steps beyond the one that an enrollment stands on, and before it; a copy of another is not recognised.
MOST_AHEAD = 20
#: Instead of a folder: no copy was seen, but the server's answer heard.
ACCEPTED = "(accepted)"
#: No copy was seen, and nobody knows whether it left.
UNKNOWN = "(unknown)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenSend:
    """One copy of ours in a Sent folder, or what was heard of one that left."""

    workspace_id: int
    trace: str
    step: str | None = None  #: Its name, which a copy does not tell.
    mailbox: str  #: Its address: the older state may not have it, or have it again under another number.
    recipient: str
    subject: str | None
    wire_message_id: str | None
    opens_thread: bool
    folder: str
    left_at: datetime
    answered_at: datetime | None = None
    seen_at: datetime
    recorded_at: datetime | None = None  #: Its attempt was written.
    asked_at: datetime | None = None  #: A person was asked about a run that went another way than it has.


def keep(tx: Transaction, seen: ForgottenSend) -> None:
    """Keep a copy."""
    tx.run("forgotten_sends.add", **columns(seen))


def keep_departed(tx: Transaction, attempt: Attempt, *, mailbox: str, folder: str, now: datetime) -> None:
    """Keep what a process has sent that lived on while an older state was put back under it.

    `folder`: `ACCEPTED`, if the server took it; `UNKNOWN`, if nobody knows.
    """
    seen = ForgottenSend(
        workspace_id=attempt.workspace_id,
        trace=attempt.trace,
        step=attempt.step,
        mailbox=mailbox,
        recipient=attempt.recipient,
        subject=attempt.subject,
        wire_message_id=None,
        opens_thread=attempt.opens_thread,
        folder=folder,
        left_at=now,
        seen_at=now,
    )
    keep(tx, seen)


def of_run(reader: Reader, run: Enrollment, keys: Keys) -> dict[int, ForgottenSend]:
    """Return what left of an enrollment around its step and has no attempt yet, by the number in the mark."""
    counters = range(max(1, run.step_counter - MOST_AHEAD), run.step_counter + MOST_AHEAD)
    marks = {identifiers.trace_header(keys.trace, run.uid, counter)[1]: counter for counter in counters}
    found = reader.all(ForgottenSend, "forgotten_sends.of_marks", workspace_id=run.workspace_id, trace_list=list(marks))
    return {marks[one.trace]: one for one in sorted(found, key=lambda one: marks[one.trace])}


def any_in(reader: Reader, workspace_id: int) -> bool:
    """Whether a workspace has any: almost none ever has."""
    return reader.one(int, "forgotten_sends.any", workspace_id=workspace_id) is not None


def to_people(reader: Reader, workspace_id: int, addresses: Collection[str]) -> list[ForgottenSend]:
    """Return what was sent to any of these addresses, oldest first."""
    return reader.all(
        ForgottenSend, "forgotten_sends.to_people", workspace_id=workspace_id, address_list=list(addresses)
    )


def all_forgotten(reader: Reader, workspace_id: int) -> list[ForgottenSend]:
    """Return every copy of a workspace, oldest first."""
    return reader.all(ForgottenSend, "forgotten_sends.of_workspace", workspace_id=workspace_id)


def _where(seen: ForgottenSend) -> str:
    told = {ACCEPTED: "were taken by the server", UNKNOWN: "may have left"}
    return told.get(seen.folder, f"lie in {seen.folder}")


def hold_if_written_to(tx: Transaction, run: Enrollment, addresses: Collection[str], *, now: datetime) -> Enrollment:
    """Hold somebody who has just entered a sequence and was written to unknown to us; return the row as it is then."""
    seen = to_people(tx, run.workspace_id, addresses)
    if not seen or run.terminal:
        return run
    last = seen[-1]
    answered = next((one.answered_at for one in seen if one.answered_at is not None), None)
    said = f", and answered at {answered:%Y-%m-%d %H:%M} UTC" if answered is not None else ""
    cause = (
        f"{len(seen)} messages of ours to {last.recipient} {_where(last)}, the last of "
        f"{last.left_at:%Y-%m-%d %H:%M} UTC: this person was written to before an older state was put back{said}"
    )
    return hold(tx, run, hold_reason=HOLD_REASON, cause=cause, now=now)


def hold(tx: Transaction, run: Enrollment, *, hold_reason: str, cause: str, now: datetime) -> Enrollment:
    """Set an enrollment aside for a person, because it may have gone further than this database knows."""
    event = EventName.SEND_DOUBTED
    after, entry = transitions.change(
        moving.unlocked(run), event=event, to=EnrollmentStatus.HELD, now=now, cause=cause, hold_reason=hold_reason
    )
    saved = save_enrollment(tx, run, after, entry)
    moving.note(tx, saved, event, cause, now)
    return saved
