"""What a demo ended with: what the engine recorded, and what the servers' own logs say of the two promises."""

from dataclasses import dataclass

from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.demo.preparing import START, Demo
from relance.demo.turning import Moment
from relance.ports.store import Reader
from relance.sandbox import verdict

_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The last line of `relance demo --json`; names and order are those of the interface."""

    leads: int
    mailboxes: int
    sent: int
    replied: int
    auto_replied: int
    bounced: int
    unsubscribed: int
    completed: int
    ambiguous_settled: int
    double_sends: int
    sent_after_answer: int
    unfinished: int
    virtual_days: float
    seconds: float

    @property
    def kept(self) -> bool:
        """Whether both promises were kept and nobody was left behind."""
        return self.double_sends == 0 and self.sent_after_answer == 0 and self.unfinished == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How many enrollments ended, or stand, in one way."""

    status: EnrollmentStatus
    stop_reason: StopReason | None
    count: int


async def outcome_of(demo: Demo, moment: Moment, *, seconds: float) -> Outcome:
    """Count. `seconds` is how long it took in real time."""
    journal = demo.world.journal
    totals = verdict.totals(journal)
    read = demo.installation.read
    endings = await read(endings_of, demo.workspace.id)

    def ended(reason: StopReason) -> int:
        return sum(e.count for e in endings if e.stop_reason is reason)

    return Outcome(
        leads=demo.wanted.leads,
        mailboxes=len(demo.world.accounts),
        sent=totals.accepted,
        replied=ended(StopReason.REPLIED),
        auto_replied=await read(_auto_replied, demo.workspace.id),
        bounced=ended(StopReason.BOUNCED),
        unsubscribed=ended(StopReason.UNSUBSCRIBED),
        completed=sum(e.count for e in endings if e.status is EnrollmentStatus.COMPLETED),
        ambiguous_settled=await read(_settled, demo.workspace.id),
        double_sends=verdict.double_sends(journal),
        sent_after_answer=verdict.sent_after_answer(journal),
        unfinished=moment.standing.unfinished,
        virtual_days=round((moment.now - START).total_seconds() / _DAY, 1),
        seconds=round(seconds, 1),
    )


def endings_of(reader: Reader, workspace_id: int) -> list[Ending]:
    """Count enrollments by how they ended or stand."""
    return reader.all(Ending, "enrollments.count_endings", workspace_id=workspace_id)


def _auto_replied(reader: Reader, workspace_id: int) -> int:
    return reader.one(int, "messages.count_people_of_kind", workspace_id=workspace_id, kind="auto_reply") or 0


def _settled(reader: Reader, workspace_id: int) -> int:
    return reader.one(int, "attempts.count_settled", workspace_id=workspace_id) or 0
