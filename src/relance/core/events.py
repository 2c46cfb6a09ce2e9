"""The names of everything that happens to a lead, a mailbox or a sequence. Past participles, append-only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class EventName(StrEnum):
    """Stored as written here; a name is never reused for another meaning."""

    LEAD_ENROLLED = "lead.enrolled"
    LEAD_MERGED = "lead.merged"
    LEAD_TOUCHED = "lead.touched"
    LEAD_CHANGED = "lead.changed"  #: What is known about the person was changed by hand.
    LEAD_ERASED = "lead.erased"
    NOTE_ADDED = "note.added"
    STEP_ENTERED = "step.entered"
    STEP_ACCEPTED = "step.accepted"
    MESSAGE_OPENED = "message.opened"  #: By a person, as far as anybody can tell.
    MESSAGE_FETCHED = "message.fetched"  #: By a program: its pictures were fetched, and nobody need have read it.
    STEP_RECORDED = "step.recorded"  #: Not delivered, since its sequence only records.
    STEP_TRIED = "step.tried"  #: A definite failure that will be tried again.
    STEP_FAILED = "step.failed"  #: A definite failure, given up.
    STEP_WITHHELD = "step.withheld"  #: The last look before sending said no.
    STEP_REPEATED = "step.repeated"  #: A second message of a step that has left lies in Sent.
    OUTCOME_LOST = "outcome.lost"  #: Nobody knows whether the message left.
    OUTCOME_SETTLED = "outcome.settled"
    WAIT_ENDED = "wait.ended"
    BRANCH_DECIDED = "branch.decided"
    SEQUENCE_FINISHED = "sequence.finished"
    REPLY_RECEIVED = "reply.received"
    AUTO_REPLY_RECEIVED = "auto_reply.received"
    BOUNCE_RECEIVED = "bounce.received"
    SOFT_BOUNCE_RECEIVED = "soft_bounce.received"
    BLOCK_RECEIVED = "block.received"
    DELAY_RECEIVED = "delay.received"
    COMPLAINT_RECEIVED = "complaint.received"
    UNSUBSCRIBE_RECEIVED = "unsubscribe.received"
    CHALLENGE_RECEIVED = "challenge.received"
    MANUAL_REPLY_SEEN = "manual_reply.seen"
    CLASS_CORRECTED = "class.corrected"  #: A person said that a message is something else than it was taken for.
    THREAD_ASSIGNED = "thread.assigned"
    THREAD_SNOOZED = "thread.snoozed"
    THREAD_FINISHED = "thread.finished"  #: Nobody need look at it any more.
    THREAD_REOPENED = "thread.reopened"
    THREAD_MARKED = "thread.marked"  #: As positive, as negative, or as neither.
    ANSWER_WRITTEN = "answer.written"
    ANSWER_WITHDRAWN = "answer.withdrawn"
    ANSWER_SENT = "answer.sent"
    ANSWER_TRIED = "answer.tried"  #: A definite failure that will be tried again.
    ANSWER_FAILED = "answer.failed"  #: A definite failure, given up.
    ANSWER_LOST = "answer.lost"  #: Nobody knows whether it left.
    ANSWER_SETTLED = "answer.settled"
    VALUE_MISSED = "value.missed"  #: A template value was missing or blank.
    SUPPRESSION_FOUND = "suppression.found"
    SEND_DOUBTED = "send.doubted"  #: The person may have been written to since the backup that was put back.
    ENROLLMENT_PAUSED = "enrollment.paused"
    ENROLLMENT_RESUMED = "enrollment.resumed"
    ENROLLMENT_STOPPED = "enrollment.stopped"
    ENROLLMENT_BLOCKED = "enrollment.blocked"
    SEQUENCE_PUBLISHED = "sequence.published"
    SEQUENCE_PROPOSED = "sequence.proposed"  #: A new version waits for approval; the one before goes on.
    SEQUENCE_APPROVED = "sequence.approved"
    SEQUENCE_PAUSED = "sequence.paused"
    SEQUENCE_RESUMED = "sequence.resumed"
    SEQUENCE_ARCHIVED = "sequence.archived"
    MAILBOX_ADDED = "mailbox.added"
    MAILBOX_PAUSED = "mailbox.paused"
    MAILBOX_RESUMED = "mailbox.resumed"
    MAILBOX_FAILED = "mailbox.failed"
    MAILBOX_RECOVERED = "mailbox.recovered"
    MAILBOX_REMOVED = "mailbox.removed"
    MAILBOX_HANDED_OVER = "mailbox.handed_over"
    RESTORE_NOTICED = "restore.noticed"  #: The state is older than what was done: its mailboxes recover.
    SUPPRESSION_ADDED = "suppression.added"
    SUPPRESSION_REMOVED = "suppression.removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of what happened; ids are set where they apply."""

    workspace_id: int
    at: datetime
    name: EventName
    detail: str  #: A sentence for a person.
    data: Mapping[str, object] = field(default_factory=dict)
    lead_id: int | None = None
    enrollment_id: int | None = None
    attempt_id: int | None = None
    mailbox_id: int | None = None
    sequence_id: int | None = None
    message_id: int | None = None
