"""The state machines: every legal change of status stands in a table here.

Rule 1: every change of an enrollment's status is an entry of `ENROLLMENT_TRANSITIONS`; what is not there raises.
Rule 2: an event that leaves the status as it is is an entry as well, and is written to the history like any other.
Rule 3: a terminal status is left by nothing that arrives: a late acceptance or a reply is recorded without moving.
        Only a person who says that the message which stopped it was misread lets a stopped one go on.
Rule 4: a person's answer ends the enrollment, also one that an operator has paused or that is held.
Rule 5: acceptance is written down whatever the status; it moves on only who is active or waiting.
Rule 6: an attempt goes `sent` from everywhere once there is proof that it left: an answer that names it, a notice about
        it, its copy in Sent. After a restored backup even one that was thought `reserved` or `voided` may have left.
Rule 7: nothing here reads a clock, a database or a setting.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, TypedDict, Unpack

from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import TERMINAL, Enrollment, EnrollmentStatus, HistoryEntry, StopReason
from relance.core.events import EventName
from relance.core.sequence import Sequence, SequenceStatus
from relance.core.values import replace

_E = EventName
_S = EnrollmentStatus
_Targets = Mapping[EventName, frozenset[EnrollmentStatus]]


class IllegalTransitionError(Exception):
    """A change that no table allows. `str()` says what may happen instead."""


def _to(*statuses: EnrollmentStatus) -> frozenset[EnrollmentStatus]:
    return frozenset(statuses)


_MOVED_ON = _to(_S.ACTIVE, _S.WAITING, _S.COMPLETED, _S.BLOCKED)

#: What may be recorded in any status without moving it.
_RECORDED: Final = (
    _E.STEP_ACCEPTED,
    _E.STEP_TRIED,
    _E.STEP_FAILED,
    _E.STEP_WITHHELD,
    _E.OUTCOME_LOST,
    _E.OUTCOME_SETTLED,
    _E.REPLY_RECEIVED,
    _E.AUTO_REPLY_RECEIVED,
    _E.BOUNCE_RECEIVED,
    _E.SOFT_BOUNCE_RECEIVED,
    _E.BLOCK_RECEIVED,
    _E.DELAY_RECEIVED,
    _E.COMPLAINT_RECEIVED,
    _E.UNSUBSCRIBE_RECEIVED,
    _E.CHALLENGE_RECEIVED,
    _E.MANUAL_REPLY_SEEN,
    _E.NOTE_ADDED,
    _E.LEAD_TOUCHED,
    _E.LEAD_MERGED,
    _E.LEAD_ERASED,
    _E.SEND_DOUBTED,
    _E.CLASS_CORRECTED,
    _E.ENROLLMENT_STOPPED,
    _E.SEQUENCE_ARCHIVED,
)

#: What may end an enrollment that has not ended yet.
_ENDINGS: Final[_Targets] = {
    _E.REPLY_RECEIVED: _to(_S.STOPPED),
    _E.AUTO_REPLY_RECEIVED: _to(_S.STOPPED),  # Gone for good.
    _E.BOUNCE_RECEIVED: _to(_S.STOPPED),
    _E.SOFT_BOUNCE_RECEIVED: _to(_S.STOPPED),  # One too many.
    _E.COMPLAINT_RECEIVED: _to(_S.STOPPED),
    _E.UNSUBSCRIBE_RECEIVED: _to(_S.STOPPED),
    _E.MANUAL_REPLY_SEEN: _to(_S.STOPPED),
    _E.STEP_FAILED: _to(_S.STOPPED),
    _E.LEAD_MERGED: _to(_S.STOPPED),
    _E.LEAD_ERASED: _to(_S.STOPPED),
    _E.ENROLLMENT_STOPPED: _to(_S.STOPPED),
    _E.SEQUENCE_ARCHIVED: _to(_S.STOPPED),
    _E.SUPPRESSION_FOUND: _to(_S.SUPPRESSED),
    _E.ENROLLMENT_BLOCKED: _to(_S.BLOCKED),
}

#: What may set an enrollment aside for a person.
_SET_ASIDE: Final[_Targets] = {
    _E.REPLY_RECEIVED: _to(_S.PAUSED, _S.HELD),
    _E.CHALLENGE_RECEIVED: _to(_S.HELD),
    _E.NOTE_ADDED: _to(_S.PAUSED),
    _E.LEAD_MERGED: _to(_S.HELD),  # Conflicting identities go to a person.
    _E.VALUE_MISSED: _to(_S.HELD),
    _E.STEP_FAILED: _to(_S.HELD),  # Refused as unwanted time and again: text or mailbox, a person must say.
    _E.SEND_DOUBTED: _to(_S.HELD),
    _E.ENROLLMENT_PAUSED: _to(_S.PAUSED),
}

#: How a walk goes on. `outcome.settled` moves as `step.accepted` does when the message turns out to have left.
_WALK: Final[_Targets] = {
    _E.STEP_ENTERED: _MOVED_ON,
    _E.STEP_ACCEPTED: _MOVED_ON,
    _E.OUTCOME_SETTLED: _MOVED_ON,
    _E.STEP_RECORDED: _MOVED_ON,
    _E.WAIT_ENDED: _MOVED_ON,
    _E.BRANCH_DECIDED: _MOVED_ON | _to(_S.STOPPED),  # A branch may lead to `stop`.
    _E.SEQUENCE_FINISHED: _to(_S.COMPLETED),
}


def _row(status: EnrollmentStatus, *parts: _Targets) -> _Targets:
    row = {event: _to(status) for event in _RECORDED}
    for part in parts:
        for event, targets in part.items():
            row[event] = row.get(event, frozenset()) | targets
    return row


#: From (None: it is being made) → event → where it may go.
ENROLLMENT_TRANSITIONS: Final[Mapping[EnrollmentStatus | None, _Targets]] = {
    None: {_E.LEAD_ENROLLED: _to(_S.ACTIVE, _S.WAITING, _S.HOLDOUT)},
    _S.ACTIVE: _row(_S.ACTIVE, _WALK, _SET_ASIDE, _ENDINGS),
    _S.WAITING: _row(_S.WAITING, _WALK, _SET_ASIDE, _ENDINGS),
    _S.PAUSED: _row(
        _S.PAUSED,
        {
            _E.ENROLLMENT_RESUMED: _to(_S.ACTIVE, _S.WAITING),
            _E.ENROLLMENT_PAUSED: _to(_S.PAUSED),
            _E.REPLY_RECEIVED: _to(_S.HELD),
            _E.LEAD_MERGED: _to(_S.HELD),
            _E.SEND_DOUBTED: _to(_S.HELD),
        },
        _ENDINGS,
    ),
    _S.HELD: _row(_S.HELD, {_E.ENROLLMENT_RESUMED: _to(_S.ACTIVE, _S.WAITING)}, _ENDINGS),
    **{status: _row(status) for status in _S if status in TERMINAL},
    _S.STOPPED: _row(_S.STOPPED, {_E.CLASS_CORRECTED: _to(_S.ACTIVE, _S.WAITING)}),
}

#: A retry that takes a new slot writes a `reserved` attempt again without moving it.
ATTEMPT_TRANSITIONS: Final[Mapping[AttemptStatus, frozenset[AttemptStatus]]] = {
    AttemptStatus.RESERVED: frozenset(
        {
            AttemptStatus.IN_FLIGHT,
            AttemptStatus.VOIDED,
            AttemptStatus.FAILED,
            AttemptStatus.SENT,  # Rule 6.
        },
    ),
    AttemptStatus.IN_FLIGHT: frozenset(
        {AttemptStatus.RESERVED, AttemptStatus.SENT, AttemptStatus.FAILED, AttemptStatus.UNKNOWN},
    ),
    AttemptStatus.UNKNOWN: frozenset({AttemptStatus.SENT, AttemptStatus.FAILED}),
    AttemptStatus.FAILED: frozenset({AttemptStatus.RESERVED, AttemptStatus.SENT}),  # A retry; rule 6.
    AttemptStatus.VOIDED: frozenset({AttemptStatus.SENT}),  # Rule 6.
    AttemptStatus.SENT: frozenset(),
    AttemptStatus.NOT_DELIVERED: frozenset(),
}

#: From → event → where it may go.
SEQUENCE_TRANSITIONS: Final[Mapping[SequenceStatus, Mapping[EventName, frozenset[SequenceStatus]]]] = {
    SequenceStatus.DRAFT: {
        _E.SEQUENCE_PUBLISHED: frozenset({SequenceStatus.LIVE, SequenceStatus.AWAITING_APPROVAL}),
        _E.SEQUENCE_ARCHIVED: frozenset({SequenceStatus.ARCHIVED}),
    },
    SequenceStatus.AWAITING_APPROVAL: {
        _E.SEQUENCE_PUBLISHED: frozenset({SequenceStatus.LIVE, SequenceStatus.AWAITING_APPROVAL}),
        _E.SEQUENCE_APPROVED: frozenset({SequenceStatus.LIVE}),
        _E.SEQUENCE_ARCHIVED: frozenset({SequenceStatus.ARCHIVED}),
    },
    SequenceStatus.LIVE: {
        _E.SEQUENCE_PUBLISHED: frozenset({SequenceStatus.LIVE}),
        _E.SEQUENCE_PROPOSED: frozenset({SequenceStatus.LIVE}),
        _E.SEQUENCE_APPROVED: frozenset({SequenceStatus.LIVE}),
        _E.SEQUENCE_PAUSED: frozenset({SequenceStatus.PAUSED}),
        _E.SEQUENCE_ARCHIVED: frozenset({SequenceStatus.ARCHIVED}),
    },
    SequenceStatus.PAUSED: {
        _E.SEQUENCE_PUBLISHED: frozenset({SequenceStatus.PAUSED}),
        _E.SEQUENCE_PROPOSED: frozenset({SequenceStatus.PAUSED}),
        _E.SEQUENCE_APPROVED: frozenset({SequenceStatus.PAUSED}),
        _E.SEQUENCE_RESUMED: frozenset({SequenceStatus.LIVE}),
        _E.SEQUENCE_ARCHIVED: frozenset({SequenceStatus.ARCHIVED}),
    },
    SequenceStatus.ARCHIVED: {},
}

_NEED_STOP_REASON: Final = frozenset({_S.STOPPED, _S.BLOCKED})


def allowed(status: EnrollmentStatus | None, event: EventName) -> frozenset[EnrollmentStatus]:
    """Return where the event may take an enrollment of that status; empty: it may not happen to it."""
    return ENROLLMENT_TRANSITIONS[status].get(event, frozenset())


def made(enrollment: Enrollment, *, cause: str) -> HistoryEntry:
    """Return the first entry of a new enrollment's history. Raises IllegalTransitionError."""
    _require(None, EventName.LEAD_ENROLLED, enrollment.status)
    return _entry(enrollment, None, enrollment.status, EventName.LEAD_ENROLLED, enrollment.created_at, cause)


def change(
    enrollment: Enrollment,
    *,
    event: EventName,
    to: EnrollmentStatus,
    now: datetime,
    cause: str,
    stop_reason: StopReason | None = None,
    hold_reason: str | None = None,
) -> tuple[Enrollment, HistoryEntry]:
    """Move an enrollment, or record what left it where it was, and return it with the entry for its history.

    A terminal status clears due time, deferral and lock and sets `ended_at`; paused and held keep the due time. A stop
    needs its reason, a hold too; whoever goes on after a stop needs a due time again. Raises IllegalTransitionError;
    ValueError if a reason or that time is missing, or a reason out of place.
    """
    _require(enrollment.status, event, to)
    entry = _entry(enrollment, enrollment.status, to, event, now, cause)
    if to == enrollment.status:
        return enrollment if hold_reason is None else replace(enrollment, hold_reason=hold_reason), entry
    if (stop_reason is not None) != (to in _NEED_STOP_REASON):
        raise ValueError(f"{to} {'needs a stop reason' if to in _NEED_STOP_REASON else 'takes no stop reason'}")
    if to is _S.HELD and not hold_reason:
        raise ValueError("held needs a hold reason, so that a person knows what to decide")
    moved = replace(enrollment, status=to, stop_reason=stop_reason, hold_reason=hold_reason)
    if enrollment.terminal:
        if moved.next_due_at is None:
            raise ValueError(f"what goes on as {to} needs to be due")
        moved = replace(moved, ended_at=None)
    if moved.terminal:
        moved = replace(
            moved,
            next_due_at=None,
            skip_until=None,
            lock_holder=None,
            lock_expires_at=None,
            ended_at=now,
        )
    return moved, entry


class AttemptChanges(TypedDict, total=False):
    """Columns that a change of an attempt's status may write with it."""

    mailbox_id: int
    variant: str
    wire_message_id: str | None
    provider_message_id: str | None
    provider_thread_id: str | None
    recipient: str
    subject: str | None
    planned_at: datetime
    holds_slot: bool
    slot_day: str
    slot_hour: str
    release_by: datetime | None
    began_at: datetime | None
    sent_at: datetime | None
    settled_by: str | None
    next_look_at: datetime | None
    looks: int
    tries: int
    error: str | None
    sent_copy_at: datetime | None


def change_attempt(attempt: Attempt, to: AttemptStatus, **changes: Unpack[AttemptChanges]) -> Attempt:
    """Move an attempt and return it with the changes.

    `in_flight` needs `release_by`, `sent` needs `sent_at`; what is neither in flight nor unknown loses its release
    limit and its next look. Raises IllegalTransitionError; ValueError if such a time is missing.
    """
    if to not in ATTEMPT_TRANSITIONS[attempt.status]:
        raise IllegalTransitionError(
            f"attempt {attempt.id} is {attempt.status} and cannot become {to}; "
            f"{_instead(ATTEMPT_TRANSITIONS[attempt.status])}",
        )
    moved = replace(attempt, status=to, **changes)
    if to not in {AttemptStatus.IN_FLIGHT, AttemptStatus.UNKNOWN}:
        moved = replace(moved, release_by=None, next_look_at=None)
    if to is AttemptStatus.IN_FLIGHT and moved.release_by is None:
        raise ValueError("an attempt in flight needs release_by: the dot leaves before it or not at all")
    if to is AttemptStatus.SENT and moved.sent_at is None:
        raise ValueError("a sent attempt needs sent_at")
    return moved


def change_sequence(sequence: Sequence, *, event: EventName, to: SequenceStatus) -> Sequence:
    """Move a sequence. Raises IllegalTransitionError."""
    row = SEQUENCE_TRANSITIONS[sequence.status]
    if to not in row.get(event, frozenset()):
        raise IllegalTransitionError(
            f"sequence {sequence.name} is {sequence.status}: {event} cannot make it {to}; "
            f"{_instead(row[event]) if event in row else _instead(row)}",
        )
    return replace(sequence, status=to)


def _require(status: EnrollmentStatus | None, event: EventName, to: EnrollmentStatus) -> None:
    targets = allowed(status, event)
    if to not in targets:
        row = ENROLLMENT_TRANSITIONS[status]
        raise IllegalTransitionError(
            f"an enrollment that {'is being made' if status is None else f'is {status}'} cannot become {to} "
            f"by {event}; {f'{event} may lead to ' + ', '.join(sorted(targets)) if targets else _instead(row)}",
        )


def _instead(possible: Mapping[EventName, object] | frozenset[AttemptStatus] | frozenset[SequenceStatus]) -> str:
    return f"possible instead: {', '.join(sorted(possible))}" if possible else "nothing may happen to it any more"


def _entry(
    enrollment: Enrollment,
    from_status: EnrollmentStatus | None,
    to: EnrollmentStatus,
    event: EventName,
    at: datetime,
    cause: str,
) -> HistoryEntry:
    return HistoryEntry(
        workspace_id=enrollment.workspace_id,
        enrollment_id=enrollment.id,
        at=at,
        from_status=from_status,
        to_status=to,
        event=event,
        cause=cause,
        step=enrollment.step,
        step_counter=enrollment.step_counter,
    )
