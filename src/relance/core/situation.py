"""Everything the gates look at, gathered in one transaction, so that each gate is a function of one value."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from relance.core.address_check import AddressCheck
from relance.core.defaults import FRESHNESS
from relance.core.enrollment import Enrollment
from relance.core.health import HEALTHY, Health
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import Plan, QuietHours, Sequence, Step
from relance.core.suppression import Suppression


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What was taken of a cap in its present period. The period's bounds are the caller's."""

    today: int = 0
    this_hour: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A mailbox that has already written to this person, and how freshly its answers were read."""

    mailbox_id: int
    address: str
    fresh_at: datetime | None
    readable: bool  #: False: removed, or its status keeps it from being read.

    def is_fresh(self, *, at: datetime, within: timedelta) -> bool:
        """Whether it was read a moment ago. What lies ahead was written by a clock that has been put right since."""
        return self.fresh_at is not None and abs(at - self.fresh_at) <= within


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """One enrollment, woken for one step, with one mailbox in mind (or none yet)."""

    now: datetime
    worker: str
    woken_counter: int  #: The step counter it was claimed for.
    enrollment: Enrollment
    sequence: Sequence
    plan: Plan
    step: Step | None
    lead: Lead
    suppressions: tuple[Suppression, ...]
    workspace_timezone: str | None
    workspace_quiet_hours: QuietHours | None
    first_contact: bool  #: No message of this enrollment has been accepted yet.
    written: tuple[Written, ...]  #: Mailboxes that wrote to this person in any enrollment.
    recent_sends: tuple[datetime, ...] = ()  #: Accepted, open or unknown sends to this person, newest first, anywhere.
    opens: tuple[datetime, ...] = ()  #: When the person opened earlier messages, where the sequence goes by that.
    unknown_attempt_until: datetime | None = None  #: An outcome of this enrollment is unknown; next look.
    mailbox: Mailbox | None
    mailbox_usage: Usage = Usage()
    sequence_usage: Usage = Usage()  #: Of daily_cap.
    new_usage: Usage = Usage()  #: Of max_new_per_day.
    workspace_skip_until: datetime | None = None  #: A limit of the whole workspace is used up until then.
    workspace_cap: int | None = None  #: Messages of the whole workspace a day.
    workspace_usage: Usage = Usage()
    recipient_domain_cap: int | None = (
        None  #: Messages to one company's domain a day; None also where it is no company.
    )
    recipient_domain_usage: Usage = Usage()
    mailbox_health: Health = HEALTHY
    ceiling_free_at: datetime | None = None  #: When its provider takes one more; None: it does.
    freshness: timedelta = FRESHNESS
    recovering: bool = False  #: A mailbox of the workspace is being read back, after a backup was put back.
    address_check: AddressCheck | None = None  #: Where the sequence asks, and the person was not written to yet.
    further_addresses: tuple[str, ...] = ()  #: By which the person is known beside the one that is written to.
