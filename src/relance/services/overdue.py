"""Who is due and not written to: behind a free mailbox that nobody works, or behind one that a person has to start.

Rule 1: who waits for something that is over by itself (a gap, a cap, a rest) is not overdue.
Rule 2: however many wait by right, they hide nobody who does not: they are passed over in the database.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from relance.core.enrollment import Enrollment
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.sequence import Delivery, Plan, Sequence, SequenceStatus
from relance.ports.store import Reader
from relance.services.candidates import admits, may_open
from relance.services.idle_sequences import Idle, never_sends
from relance.services.situations import plan_of, workspace_of
from relance.services.standstill import Stuck
from relance.services.stuck_people import MOST, who

#: A due row that a free mailbox has not taken for so long is stuck.
OVERDUE = timedelta(minutes=15)
#: Who has been due for so long behind a mailbox that a person has to start is stuck; a pause of some days is wanted.
FORGOTTEN = timedelta(days=7)
_PAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    number: int
    since: datetime | None


def overdue(reader: Reader, workspace_id: int, idle: Collection[Idle], now: datetime) -> list[Stuck]:
    """Return due rows behind nothing that would explain the wait: no engine takes them.

    Whoever is kept back by a sequence of `idle` is not named here, since that is.
    """
    if reader.one(int, "mailboxes.any_recovering", workspace_id=workspace_id) is not None:
        return []  # they wait for the mailboxes that recover, which are listed
    workspace = workspace_of(reader, workspace_id)
    boxes = reader.all(Mailbox, "mailboxes.of_workspace", workspace_id=workspace_id)
    free = {box.id for box in boxes if _is_free(box, now - OVERDUE) and never_sends(box, workspace, now) is None}
    if workspace.skip_until is not None and workspace.skip_until > now - OVERDUE:
        free = set()  # a limit of the whole workspace is used up
    found: list[Stuck] = []
    openings: dict[tuple[int, int, str | None], frozenset[int]] = {}  # boxes that may open, by version and lane
    for row in _long_due(reader, workspace_id, boxes, free, now - OVERDUE):
        plan = plan_of(reader, workspace_id, row.sequence_id, row.version)
        of = row.sequence_id, row.version, row.lane
        if of not in openings:
            openings[of] = frozenset(box.id for box in boxes if may_open(plan, box, row.lane))
        opening = openings[of]
        its = {box.id for box in boxes if box.id == row.mailbox_id} if row.mailbox_id else opening
        if row.step_kind == "email" and not its:
            kept = row.lane if row.mailbox_id is None and any(admits(plan, box) for box in boxes) else None
            what = f"none of its mailboxes lies with {kept}" if kept else "its mailbox was removed or its pool is empty"
            why = f"no_mailbox: {what}; connect one with `relance mailbox add`"
        elif row.step_kind == "email" and (not its & free or any(one.keeps_back(row) for one in idle)):
            continue
        else:
            why = "no engine takes it; start `relance run`"
        found.append(Stuck(kind="overdue", subject=who(reader, row), since=row.ready_at, remedy=why))
        if len(found) == MOST:
            break
    return found


def _long_due(
    reader: Reader, workspace_id: int, boxes: list[Mailbox], free: set[int], before: datetime
) -> Iterator[Enrollment]:
    """Yield rows that have been due for long, page by page, without those that are known to wait by right."""
    resting = [box.id for box in boxes if box.id not in free]
    after = datetime.min.replace(tzinfo=UTC), 0
    idle = [
        sequence.id
        for sequence in reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id)
        if all(_rests(plan, boxes, free) for plan in _versions(reader, sequence))
    ]
    while True:
        page = reader.all(
            Enrollment,
            "enrollments.overdue",
            workspace_id=workspace_id,
            before=before,
            resting_list=resting,
            idle_list=idle,
            after_at=after[0],
            after_id=after[1],
            limit=_PAGE,
        )
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].ready_at or before, page[-1].id


def _versions(reader: Reader, sequence: Sequence) -> Iterator[Plan]:
    return (plan_of(reader, sequence.workspace_id, sequence.id, version) for version in range(1, sequence.version + 1))


def _rests(plan: Plan, boxes: list[Mailbox], free: set[int]) -> bool:
    """Whether this plan has mailboxes, none of which is free: whoever is to be written to first waits by right."""
    its = {box.id for box in boxes if admits(plan, box)}
    return plan.delivery is Delivery.SEND and bool(its) and not its & free


def _is_free(mailbox: Mailbox, at: datetime) -> bool:
    waits = (mailbox.skip_until, mailbox.next_allowed_at)
    return mailbox.status is MailboxStatus.ACTIVE and all(wait is None or wait <= at for wait in waits)


def behind_a_stopped_mailbox(reader: Reader, workspace_id: int, now: datetime) -> list[Stuck]:
    """Return mailboxes that send nothing until a person says so, and for which follow-ups have waited for long.

    One in trouble is listed as such at once, and not here.
    """
    workspace = workspace_of(reader, workspace_id)
    live = [
        sequence.id
        for sequence in reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id)
        if sequence.status is SequenceStatus.LIVE
    ]
    found = []
    for box in reader.all(Mailbox, "mailboxes.of_workspace", workspace_id=workspace_id):
        state = never_sends(box, workspace, now)
        if state is None or box.status not in {MailboxStatus.ACTIVE, MailboxStatus.PAUSED}:
            continue
        waiting = [
            reader.one(
                _Waiting,
                "enrollments.waiting_for_mailbox",
                workspace_id=workspace_id,
                sequence_id=sequence_id,
                mailbox_id=box.id,
                before=now - FORGOTTEN,
            )
            for sequence_id in live
        ]
        number = sum(one.number for one in waiting if one is not None)
        if number:
            since = min(one.since for one in waiting if one is not None and one.since is not None)
            remedy = _start(box, state, number)
            found.append(Stuck(kind="mailbox", subject=box.address, since=since, remedy=remedy))
    return found


def _start(box: Mailbox, state: str, number: int) -> str:
    start = f"resume {box.address}`" if box.status is MailboxStatus.PAUSED else f"set {box.address} --daily-cap`"
    return (
        f"{state}: {number} of the people that it wrote to have waited for a week or longer; `relance mailbox {start}, "
        f"or `remove` it, and `relance mailbox hand-over {box.address}` lets others go on"
    )
