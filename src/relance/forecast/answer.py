"""What a forecast says: who gets what when, how full each day is, when it is over, and what holds it up."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from relance.core.enrollment import TERMINAL
from relance.core.mailbox import Mailbox
from relance.core.sequence import Plan
from relance.forecast.playing import Played
from relance.forecast.question import Question
from relance.ports.store import Reader
from relance.services import forecasting, mailboxes
from relance.services.dispatching import mailboxes_of
from relance.services.forecasting import Ending, Send


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How one sequence goes."""

    sequence: str
    sends: int
    ended: Mapping[str, int]  #: By status, or by reason where it was stopped.
    unfinished: Mapping[str, int]  #: By status, or by what a held one waits for.
    done_at: datetime | None  #: When the last one ends; None: somebody is left, or nobody was in it.


class Limit(StrEnum):
    """What kept people waiting, on the last day that somebody did."""

    DAILY_CAP = "daily_cap"  #: Every mailbox of the sequence sent all that it may in a day.
    SEQUENCE = "sequence"  #: The sequence's own caps.
    HOURS = "hours"  #: Its hours, the gaps between two messages and hourly caps; or a mailbox was out of order.


@dataclass(frozen=True, slots=True, kw_only=True)
class Bottleneck:
    """Somebody who was due had to wait for the next day."""

    sequence: str
    pool: str | None  #: None: the sequence names its mailboxes itself.
    until: date  #: Last day at whose end somebody waited.
    days: int
    most: int  #: People who waited at the end of the worst day.
    limit: Limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The answer to a question."""

    since: datetime
    until: datetime
    sends: Sequence[Send]
    courses: Sequence[Course]
    bottlenecks: Sequence[Bottleneck]
    mailboxes: int

    @property
    def days(self) -> Mapping[str, Counter[str]]:
        """By day in the mailboxes' zones: how many each mailbox sends."""
        found: dict[str, Counter[str]] = {}
        for send in self.sends:
            found.setdefault(send.day, Counter())[send.mailbox] += 1
        return found

    @property
    def done_at(self) -> datetime | None:
        """When the last one of all ends; None if somebody is left, or nobody was there."""
        ends = [course.done_at for course in self.courses if course.ended or course.unfinished]
        known = [at for at in ends if at is not None]
        return max(known) if known and len(known) == len(ends) else None


def answer(reader: Reader, question: Question, played: Played) -> Forecast:
    """Read the answer from the copy that was played over."""
    workspace_id = question.workspace_id
    sends = forecasting.sends(reader, workspace_id=workspace_id, since=played.since)
    connected = mailboxes.of_workspace(reader, workspace_id)
    asked = [
        (sequence, plan)
        for sequence, plan in forecasting.planned(reader, workspace_id=workspace_id)
        if question.sequence in (None, sequence.name)
    ]
    courses, bottlenecks = [], []
    for sequence, plan in asked:
        endings = forecasting.endings(reader, workspace_id=workspace_id, sequence_id=sequence.id)
        courses.append(_course(sequence.name, sends, endings))
        late = _late(played, sequence.id)
        if late:
            day = max(late)
            bottlenecks.append(
                Bottleneck(
                    sequence=sequence.name,
                    pool=plan.pool,
                    until=day,
                    days=len(late),
                    most=max(late.values()),
                    limit=_limit(
                        plan,
                        [send for send in sends if (send.sequence, send.day) == (plan.name, day.isoformat())],
                        mailboxes_of(reader, workspace_id, plan),
                        played.evenings[day].capped,
                    ),
                )
            )
    return Forecast(
        since=played.since,
        until=played.until,
        sends=[send for send in sends if question.sequence in (None, send.sequence)],
        courses=courses,
        bottlenecks=bottlenecks,
        mailboxes=len(connected),
    )


def _course(sequence: str, sends: Sequence[Send], endings: Sequence[Ending]) -> Course:
    ended: Counter[str] = Counter()
    unfinished: Counter[str] = Counter()
    for each in endings:
        if each.status in TERMINAL:
            ended[each.stop_reason or each.status] += each.people
        else:
            unfinished[each.hold_reason or each.status] += each.people
    ends = [each.last_at for each in endings if each.last_at is not None]
    return Course(
        sequence=sequence,
        sends=sum(send.sequence == sequence for send in sends),
        ended=ended,
        unfinished=unfinished,
        done_at=max(ends) if ends and not unfinished else None,
    )


def _late(played: Played, sequence_id: int) -> dict[date, int]:
    found = {
        day: sum(each.people for each in evening.waiting if each.sequence_id == sequence_id)
        for day, evening in played.evenings.items()
    }
    return {day: people for day, people in found.items() if people}


def _limit(plan: Plan, own: Sequence[Send], boxes: Sequence[Mailbox], capped: frozenset[str]) -> Limit:
    opening = sum(send.step == plan.steps[0].id for send in own)
    if len(own) >= (plan.daily_cap or len(own) + 1) or opening >= (plan.max_new_per_day or opening + 1):
        return Limit.SEQUENCE
    return Limit.DAILY_CAP if capped.issuperset(mailbox.address for mailbox in boxes) else Limit.HOURS
