"""Who got each step of a sequence, and whether anybody got one twice (A14).

Rule 1: it is people who get messages: whoever is known by the same address is one, however many leads that makes.
Rule 2: an outcome that is unknown counts as received, and is named as such.
Rule 3: two messages of one attempt that both lay in Sent were got by whoever they were to, whatever was meant.
Rule 4: a step that a branch leads back to counts once a visit; any other is got once, whatever version and enrollment.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from relance.core.attempt import Attempt, AttemptStatus
from relance.core.mailbox import Mailbox
from relance.core.sequence import BranchStep, Plan
from relance.ports.store import Reader
from relance.services.sequences import by_name
from relance.services.situations import plan_of

#: Statuses in which a message has left, or may have.
RECEIVED = frozenset({AttemptStatus.SENT, AttemptStatus.UNKNOWN, AttemptStatus.IN_FLIGHT})


@dataclass(frozen=True, slots=True, kw_only=True)
class StepAudit:
    """One step of a sequence: how many got it, and who got it more often than its visits allow."""

    step: str
    sent: int
    unknown: int  #: Whether these left is not known, or not yet.
    recorded: int  #: Walked by, and not delivered: the sequence only records.
    twice: tuple[str, ...]
    perhaps: tuple[str, ...]  #: Of `twice`: those for whom an unknown outcome was counted.


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One message that somebody got, or may have got."""

    step: str
    recipient: str
    status: AttemptStatus
    at: datetime | None
    mailbox: str | None
    variant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """An address, and the lead that is known by it."""

    lead_id: int
    address: str


def audit(reader: Reader, *, workspace_id: int, name: str) -> list[StepAudit]:
    """Say for every step how many got it and who got it twice, steps that nobody reached included."""
    sequence = by_name(reader, workspace_id, name)
    attempts = reader.all(Attempt, "attempts.of_sequence", workspace_id=workspace_id, sequence_id=sequence.id)
    received = [a for a in attempts if a.status in RECEIVED]
    recorded = Counter(a.step for a in attempts if a.status is AttemptStatus.NOT_DELIVERED)
    plans = {v: plan_of(reader, workspace_id, sequence.id, v) for v in {a.version for a in received}}
    running = plan_of(reader, workspace_id, sequence.id, sequence.version) if sequence.version else None
    emails = [step.id for step in (running.steps if running else ()) if step.kind == "email"]
    known = reader.all(_Known, "leads.known_addresses", workspace_id=workspace_id)
    people = _people(received, known)
    copies = Counter(a.message_id for a in received)
    ids = {"workspace_id": workspace_id, "sequence_id": sequence.id}
    repeated = frozenset(reader.all(int, "events.repeated_attempts", **ids))
    found = []
    for step in dict.fromkeys([*emails, *(a.step for a in received), *recorded]):
        got = [a for a in received if a.step == step]
        by_person: defaultdict[int, list[Attempt]] = defaultdict(list)
        for attempt in got:
            by_person[people[attempt.lead_id]].append(attempt)
        often = [
            mine
            for mine in by_person.values()
            if _too_often(mine, plans, copies) or any(a.id in repeated for a in mine)
        ]
        unsure = [mine for mine in often if any(a.status is not AttemptStatus.SENT for a in mine)]
        sent = sum(a.status is AttemptStatus.SENT for a in got)
        found.append(
            StepAudit(
                step=step,
                sent=sent,
                unknown=len(got) - sent,
                recorded=recorded[step],
                twice=_addresses(often),
                perhaps=_addresses(unsure),
            )
        )
    return found


def receipts(reader: Reader, *, workspace_id: int, name: str) -> list[Receipt]:
    """Say who got which step, when, from which mailbox and in which wording; what may have left included."""
    sequence = by_name(reader, workspace_id, name)
    boxes: dict[int | None, str | None] = {}
    found = []
    for attempt in _received(reader, workspace_id, sequence.id):
        if attempt.mailbox_id not in boxes:
            box = reader.one(Mailbox, "mailboxes.get", workspace_id=workspace_id, id=attempt.mailbox_id)
            boxes[attempt.mailbox_id] = box.address if box else None
        found.append(
            Receipt(
                step=attempt.step,
                recipient=attempt.recipient,
                status=attempt.status,
                at=attempt.sent_at or attempt.began_at,
                mailbox=boxes[attempt.mailbox_id],
                variant=attempt.variant,
            )
        )
    return found


def _received(reader: Reader, workspace_id: int, sequence_id: int) -> list[Attempt]:
    found = reader.all(Attempt, "attempts.of_sequence", workspace_id=workspace_id, sequence_id=sequence_id)
    return [a for a in found if a.status in RECEIVED]


def _too_often(mine: list[Attempt], plans: Mapping[int, Plan], copies: Counter[str]) -> bool:
    """Whether one person got one step more often than it was visited."""
    visits = {(a.enrollment_id, a.step_counter) for a in mine}
    if len(visits) < len(mine) or any(copies[a.message_id] > 1 for a in mine):
        return True
    return len(mine) > 1 and (
        len({a.enrollment_id for a in mine}) > 1 or not all(_leads_back(plans[a.version], a.step) for a in mine)
    )


def _leads_back(plan: Plan, step_id: str) -> bool:
    """Whether a walk that has left a step may come to it again."""
    following = _followers(plan)
    seen: set[str] = set()
    ahead = list(following.get(step_id, ()))
    while ahead:
        step = ahead.pop()
        if step not in seen:
            seen.add(step)
            ahead.extend(following.get(step, ()))
    return step_id in seen


def _followers(plan: Plan) -> Mapping[str, tuple[str, ...]]:
    ids = [step.id for step in plan.steps]
    found: dict[str, tuple[str, ...]] = {}
    for position, step in enumerate(plan.steps):
        after = ids[position + 1 : position + 2]
        if isinstance(step, BranchStep):
            after = [step.then, *([step.otherwise] if step.otherwise else after)]
        found[step.id] = tuple(after)
    return found


def _people(received: list[Attempt], known: list[_Known]) -> Mapping[int, int]:
    """Return, by lead, who that is: the lowest of the leads that share an address, directly or through others."""
    by_address: defaultdict[str, set[int]] = defaultdict(set)
    for attempt in received:
        by_address[attempt.recipient.casefold()].add(attempt.lead_id)
    for one in known:
        by_address[one.address].add(one.lead_id)
    person: dict[int, int] = {}

    def root(lead: int) -> int:
        while (above := person.setdefault(lead, lead)) != lead:
            lead = above
        return lead

    for shared in by_address.values():
        roots = {root(lead) for lead in shared}
        for lead in roots:
            person[lead] = min(roots)
    return {lead: root(lead) for lead in list(person)}


def _addresses(people: Iterable[list[Attempt]]) -> tuple[str, ...]:
    return tuple(sorted({a.recipient for mine in people for a in mine}))
