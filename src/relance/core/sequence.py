"""A sequence: the template that enrollments walk, and the policies it carries.

A published version is frozen: an enrollment keeps the one it was pinned to.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import StrEnum
from typing import ClassVar

from relance.core.address_check import Verification
from relance.core.mail_hosts import ProviderMatch


class SequenceStatus(StrEnum):
    """Only a live sequence accepts or moves people."""

    DRAFT = "draft"  #: Never published.
    AWAITING_APPROVAL = "awaiting_approval"  #: Published for the first time, but someone must approve.
    LIVE = "live"  #: Accepts people and moves them.
    PAUSED = "paused"  #: Nobody moves; after resuming everybody goes on where they stood.
    ARCHIVED = "archived"  #: Finished. Terminal.


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """Unique on (workspace, name)."""

    workspace_id: int
    id: int
    name: str
    status: SequenceStatus
    version: int  #: The version that new enrollments get; 0 while a draft.
    proposed_version: int | None = None  #: Waits for approval, while `version` goes on.
    skip_until: datetime | None = None  #: A shared limit of this sequence is used up until then.
    last_skip_reason: str | None = None
    new_leads_until: datetime | None = None  #: No first messages until then: max_new_per_day is used up.
    last_served_at: datetime | None = None
    revision: int = 0
    created_at: datetime


class Unit(StrEnum):
    """The units of `after` and `for`."""

    SECONDS = "s"
    MINUTES = "m"
    HOURS = "h"
    DAYS = "d"  #: Wall-clock days in the window's zone.
    BUSINESS_DAYS = "bd"  #: Days on which the window opens at all.


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """How long to wait, as written."""

    amount: int
    unit: Unit

    def __str__(self) -> str:
        """Write it as the sequence file does: `3d`."""
        return f"{self.amount}{self.unit}"


DEFAULT_POOL = "default"  #: Where a mailbox is, and a sequence looks, unless they say otherwise.
NO_DELAY = Delay(amount=0, unit=Unit.SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Wall-clock from start to end; wraps midnight when end is not later than start; 00:00-00:00 is all day."""

    start: time
    end: time


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """When a sequence may send."""

    always: bool = False
    timezone: str | None = None  #: IANA name, `lead`, `mailbox`, or None for the workspace's.
    unknown_timezone: str | None = (
        None  #: For `lead`, where theirs is not known: IANA name, `mailbox`, or None as above.
    )
    days: frozenset[int] = frozenset({0, 1, 2, 3, 4})  #: Monday is 0.
    intervals: tuple[Interval, ...] = (Interval(start=time(9), end=time(17)),)
    holidays: str | None = None  #: Country (and subdivision) whose holidays were frozen into holiday_dates.
    holiday_dates: frozenset[date] = frozenset()
    blackout: frozenset[date] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """When nobody is written to on a channel, whatever the window says."""

    interval: Interval
    timezone: str | None = None  #: None: the workspace's, else UTC.


class OnReply(StrEnum):
    """What a human reply does to the enrollment it answers."""

    STOP = "stop"
    PAUSE = "pause"
    HOLD = "hold"
    ENROLL = "enroll"  #: Stop here and enroll into `reply_sequence`.


class StopScope(StrEnum):
    """Whose enrollments a human reply ends."""

    ENROLLMENT = "enrollment"
    LEAD = "lead"
    COMPANY = "company"


class OnAutoReply(StrEnum):
    """What an out-of-office does."""

    CONTINUE = "continue"
    HOLD_UNTIL_RETURN = "hold_until_return"


class StopOrContinue(StrEnum):
    """For `on_manual_reply`."""

    STOP = "stop"
    CONTINUE = "continue"


class PauseOrContinue(StrEnum):
    """For `on_note`."""

    PAUSE = "pause"
    CONTINUE = "continue"


class Order(StrEnum):
    """Whose turn it is within a sequence, where a mailbox could send a follow-up or write to somebody new."""

    FOLLOW_UPS_FIRST = "follow_ups_first"
    NEW_LEADS_FIRST = "new_leads_first"
    MOST_DUE_FIRST = "most_due_first"


class Rotation(StrEnum):
    """Which of the free mailboxes opens the next conversation of a sequence."""

    LEAST_RECENT = "least_recent"  #: The one that has sent nothing for longest.
    LEAST_LOADED = "least_loaded"  #: The one that has used the least of its day's cap.
    WEIGHTED = "weighted"  #: The one that has sent the least today for its weight.


class SendTime(StrEnum):
    """Whether a due step waits for the hour at which its person reads mail."""

    OFF = "off"
    OPENS = "opens"  #: By the hours at which they opened earlier messages, of any sequence.


class Delivery(StrEnum):
    """Whether e-mails leave at all."""

    SEND = "send"
    RECORD_ONLY = "record_only"  #: Every step is written down as `not_delivered`, and the walk goes on.


class OnUnknown(StrEnum):
    """What to do with an outcome that cannot be looked up."""

    WAIT = "wait"
    ASSUME_SENT = "assume_sent"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrequencyCap:
    """At most so many messages per person and period, over all sequences."""

    messages: int
    per: Delay


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One wording of an email step. The step itself is variant `a`."""

    id: str
    weight: int
    subject: str | None
    text: str
    html: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """A file that travels with a step's message. What is in it is kept beside the plan, under its hash."""

    name: str
    content_type: str  #: Such as `application/pdf`; neither `multipart/…` nor `message/…`.
    size: int  #: Bytes.
    sha256: str  #: In hex.


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailStep:
    """Send a message. Without a subject it follows up in the same thread."""

    id: str
    after: Delay
    variants: tuple[Variant, ...]
    attachments: tuple[AttachedFile, ...] = ()  #: The same for every variant, in the order of the file.

    kind: ClassVar[str] = "email"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitStep:
    """Let time pass."""

    id: str
    after: Delay
    duration: Delay

    kind: ClassVar[str] = "wait"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepliedWithin:
    """True as soon as the lead replied to this sequence; false when the period has passed since the branch began."""

    within: Delay


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldEquals:
    """True when a field of the lead has this value (case-folded); decided at once."""

    field: str
    value: str


Condition = RepliedWithin | FieldEquals
STOP = "stop"  #: The reserved step id that ends the walk.


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchStep:
    """Go one way or the other. A target is a step id or `stop`; no `else` means the next step."""

    id: str
    after: Delay
    condition: Condition
    then: str
    otherwise: str | None

    kind: ClassVar[str] = "branch"


Step = EmailStep | WaitStep | BranchStep
#: The kind of an e-mail that is only recorded: it needs no mailbox, and no gate of a message concerns it.
RECORD = "record"
#: Kinds of steps that act, as opposed to those that only let time pass.
ACTING = frozenset({EmailStep.kind, RECORD})


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one version of a sequence says: steps in order, and one policy object per question."""

    name: str
    steps: tuple[Step, ...]
    pool: str | None = DEFAULT_POOL
    mailboxes: tuple[str, ...] = ()  #: Addresses, or `@domain` for all of a domain; when given, pool is None.
    window: Window = Window()
    quiet_hours: QuietHours | None = None
    on_reply: OnReply = OnReply.STOP
    reply_sequence: str | None = None
    stop_scope: StopScope = StopScope.LEAD
    on_auto_reply: OnAutoReply = OnAutoReply.CONTINUE
    on_manual_reply: StopOrContinue = StopOrContinue.STOP
    on_note: PauseOrContinue = PauseOrContinue.PAUSE
    on_unknown: OnUnknown = OnUnknown.WAIT
    daily_cap: int | None = None
    max_new_per_day: int | None = None
    frequency_cap: FrequencyCap | None = None
    order: Order = Order.FOLLOW_UPS_FIRST
    rotation: Rotation = Rotation.LEAST_RECENT
    delivery: Delivery = Delivery.SEND
    verification: Verification = Verification.OFF  #: Of an address, before the first message.
    match_provider: ProviderMatch = ProviderMatch.OFF
    send_time: SendTime = SendTime.OFF
    holdout: float = 0.0  #: Share of leads, 0 to 1, that are never written to.

    def step(self, step_id: str) -> Step | None:
        """Find a step by its id."""
        return next((s for s in self.steps if s.id == step_id), None)

    def kind_of(self, step: Step) -> str:
        """Return what a step is to the engine."""
        recorded = isinstance(step, EmailStep) and self.delivery is Delivery.RECORD_ONLY
        return RECORD if recorded else step.kind

    def following(self, step_id: str) -> Step | None:
        """Return the step written after this one, or None at the end."""
        ids = [s.id for s in self.steps]
        position = ids.index(step_id) + 1
        return self.steps[position] if position < len(ids) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A published, frozen plan. `document` is the canonical JSON that `Plan` is read from."""

    workspace_id: int
    sequence_id: int
    version: int
    document: Mapping[str, object]
    digest: str  #: BLAKE2 of the canonical JSON: publishing the same content twice makes no new version.
    created_at: datetime
