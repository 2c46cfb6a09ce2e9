"""An enrollment: one lead inside one sequence, and where it stands.

Nothing about the walk lives anywhere else; no timer carries meaning. How `status` may change stands in
`relance.core.transitions`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from relance.core.mail_hosts import ANYBODY


class EnrollmentStatus(StrEnum):
    """Exactly one of these, guarded by a CHECK in the database."""

    ACTIVE = "active"  #: Has something to do at next_due_at; from then on the dispatcher may take it.
    WAITING = "waiting"  #: In a wait, or a branch that is still open; the walker moves it on when it is due.
    PAUSED = "paused"  #: By an operator, a note or a reply under policy `pause`; an operator resumes it.
    HELD = "held"  #: Waits for a person: a value is missing, a reply came under policy `hold`; hold_reason says which.
    COMPLETED = "completed"  #: Every step was walked. Terminal.
    STOPPED = "stopped"  #: Ended early; stop_reason says why. Terminal.
    BLOCKED = "blocked"  #: Its sequence is broken or runs in circles; stop_reason says which. Terminal.
    SUPPRESSED = "suppressed"  #: Suppressed by the time it was due. Terminal.
    HOLDOUT = "holdout"  #: In the control group: never written to. Terminal.


TERMINAL = frozenset(
    {
        EnrollmentStatus.COMPLETED,
        EnrollmentStatus.STOPPED,
        EnrollmentStatus.BLOCKED,
        EnrollmentStatus.SUPPRESSED,
        EnrollmentStatus.HOLDOUT,
    },
)
#: Statuses in which an accepted step moves the enrollment to its next one.
WALKING = frozenset({EnrollmentStatus.ACTIVE, EnrollmentStatus.WAITING})


class StopReason(StrEnum):
    """Why an enrollment will never be acted on again."""

    REPLIED = "replied"  #: A person answered.
    BOUNCED = "bounced"  #: The address does not exist, or soft bounces went over the threshold.
    UNSUBSCRIBED = "unsubscribed"  #: The person opted out.
    COMPLAINED = "complained"  #: The person reported a message as spam.
    MANUAL = "manual"  #: An operator stopped it.
    MANUAL_REPLY = "manual_reply"  #: The mailbox's owner wrote to the person by hand.
    BRANCHED = "branched"  #: A branch of the sequence leads to `stop`.
    ARCHIVED = "archived"  #: Its sequence was archived with --stop-active.
    MERGED = "merged"  #: Its lead was merged into another that is further along.
    ERASED = "erased"  #: The person's data was erased.
    CLOSED = "closed"  #: The record was closed elsewhere.
    DISPATCH_FAILURES = "dispatch_failures"  #: One step failed five times in a row.
    INVALID_ADDRESS = "invalid_address"  #: Its check says that the address takes no mail.
    UNVERIFIED = "unverified"  #: Five checks of the address in a row came to no verdict.
    NO_LONGER_THERE = "no_longer_there"  #: An auto-reply says that the person left for good.
    MEETING_BOOKED = "meeting_booked"  #: An invitation was accepted.
    STEP_CEILING = "step_ceiling"  #: More steps in one pass than any sequence needs (status `blocked`).
    BROKEN_SEQUENCE = "broken_sequence"  #: The step it stands on cannot be acted on (status `blocked`).


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrollment:
    """One durable row per lead and sequence; unique on (workspace, sequence, lead)."""

    workspace_id: int
    id: int
    uid: str  #: 32 hex digits, derived from workspace, sequence name and address; the key of Message-IDs.
    sequence_id: int
    version: int  #: The frozen version it walks.
    lead_id: int
    status: EnrollmentStatus
    stop_reason: StopReason | None = None
    hold_reason: str | None = None
    step: str  #: Id of the step to act on next (or the last one, once terminal).
    step_kind: str  #: Kind of that step, for the index that claims use.
    step_counter: int  #: Steps entered so far, this one included; never goes back, even when a branch loops.
    next_due_at: datetime | None = None  #: Set once on entering the step; never slides.
    skip_until: datetime | None = None
    last_skip_reason: str | None = None
    last_skip_at: datetime | None = None
    last_sent_at: datetime | None = None
    last_inbound_at: datetime | None = None
    last_failure_at: datetime | None = None
    replied_at: datetime | None = None
    bounced_at: datetime | None = None
    goal_met_at: datetime | None = None
    variants: Mapping[str, str] = field(default_factory=dict)  #: Step id to the variant chosen for it.
    mailbox_id: int | None = None  #: Pinned by the first reservation; follow-ups stay on it.
    lane: str = ANYBODY  #: Of whose mailboxes one opens the conversation; see `relance.core.mail_hosts`.
    source_list: str | None = None
    consecutive_failures: int = 0  #: On the present step.
    soft_bounces: int = 0
    verification_attempts: int = 0
    lock_holder: str | None = None  #: The worker acting on it now.
    lock_expires_at: datetime | None = None  #: That worker's lease.
    revision: int = 0  #: Grows with every write; a write names the revision it read.
    created_at: datetime
    ended_at: datetime | None = None

    @property
    def terminal(self) -> bool:
        """Whether nothing will ever be sent from this row again."""
        return self.status in TERMINAL

    @property
    def ready_at(self) -> datetime | None:
        """When the row may be claimed: the later of its due time and its own deferral."""
        if self.next_due_at is None or self.skip_until is None:
            return self.next_due_at
        return max(self.next_due_at, self.skip_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One transition of one enrollment, append-only."""

    workspace_id: int
    enrollment_id: int
    at: datetime
    from_status: EnrollmentStatus | None  #: None: the enrollment was made.
    to_status: EnrollmentStatus
    event: str  #: Past participle, such as `reply.received`.
    cause: str  #: A sentence with the evidence.
    step: str
    step_counter: int
