"""Who could be claimed for a mailbox that is free: its own follow-ups, and people whom no mailbox has written to yet.

Where few are due, all of them are read once and every mailbox chooses from that list. Where many are, each free mailbox
asks for its own: there may be half a million before them whose mailboxes are exhausted.
"""

from collections import defaultdict, deque
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from relance.core.ceilings import mail_host
from relance.core.mail_hosts import ANYBODY, MailHost, ProviderMatch, lanes
from relance.core.mailbox import Mailbox
from relance.core.sequence import Order, Plan, Sequence
from relance.ports.store import Reader
from relance.services.rotation import Rotations
from relance.services.situations import plan_of

#: As many due rows as are read at once; where there are more, each free mailbox asks for its own.
LISTED = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A row that is ready and that nobody works on."""

    id: int
    step_counter: int
    ready_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Free:
    """A mailbox that could send now, as much of it as the choice needs."""

    workspace_id: int
    id: int
    shard: int
    address: str
    pool: str


class _Source(Protocol):
    """Where candidates are found. None: there is none, or none any more."""

    def follow_up(self, sequence: Sequence, mailbox: Free) -> Candidate | None:
        """Return the most due person of this sequence who has mail from this mailbox."""
        ...

    def newcomer(self, sequence: Sequence, lane: str) -> Candidate | None:
        """Return the most due person of this sequence and lane whom no mailbox has written to."""
        ...

    def strike(self, candidate: Candidate) -> None:
        """Pass over one that is claimed now, or was by somebody else."""
        ...


@dataclass(frozen=True, slots=True)
class Due:
    """Who is due, within one claim. `mailbox_ids`: the only mailboxes that somebody waits for; None: any of them."""

    source: _Source
    mailbox_ids: tuple[int, ...] | None
    now: datetime
    plans: "_Plans"
    rotations: Rotations
    hosts: "_Hosts"

    @property
    def nobody(self) -> bool:
        """Whether nobody waits for anything."""
        return self.mailbox_ids == ()

    def most_due(self, sequence: Sequence, mailbox: Free, free: list[Free]) -> Candidate | None:
        """Return the earliest ready row of this sequence that this mailbox may send: its own follow-ups, or a new one.

        `free`: every mailbox of this claim, among which the sequence may rotate.
        Which of the two comes first is the sequence's `order`; the other is asked for only where it counts.
        """
        order = self.plans.of(sequence).order
        if order is Order.NEW_LEADS_FIRST and (new := self._newcomer(sequence, mailbox, free)) is not None:
            return new
        best = self.source.follow_up(sequence, mailbox)
        if order is Order.NEW_LEADS_FIRST or (order is Order.FOLLOW_UPS_FIRST and best is not None):
            return best
        new = self._newcomer(sequence, mailbox, free)
        if new is None or (best is not None and best.ready_at <= new.ready_at):
            return best
        return new

    def _newcomer(self, sequence: Sequence, mailbox: Free, free: list[Free]) -> Candidate | None:
        resting = sequence.new_leads_until is not None and sequence.new_leads_until > self.now
        plan = self.plans.of(sequence)
        if resting or not admits(plan, mailbox):
            return None
        its_turn = self.rotations.is_turn_of(
            mailbox.id,
            sequence.id,
            plan,
            free=lambda: [m.id for m in free if m.workspace_id == mailbox.workspace_id and admits(plan, m)],
            workspace_id=mailbox.workspace_id,
        )
        if not its_turn:
            return None
        found = (self.source.newcomer(sequence, lane) for lane in self._lanes(sequence, plan, mailbox, free))
        return next((one for one in found if one is not None), None)

    def _lanes(self, sequence: Sequence, plan: Plan, mailbox: Free, free: list[Free]) -> tuple[str, ...]:
        match = plan.match_provider
        if match is ProviderMatch.OFF:  # who is in a lane came there while an earlier version matched
            return lanes(match, MailHost.OTHER, ()) if self.plans.has_matched(sequence) else (ANYBODY,)
        if sequence.id not in self.hosts.free:  # once a claim: each of ten thousand would look at all the others
            peers = (m for m in free if m.workspace_id == mailbox.workspace_id and admits(plan, m))
            self.hosts.free[sequence.id] = {self.hosts.of(one.id) for one in peers}
        return lanes(match, self.hosts.of(mailbox.id), self.hosts.free[sequence.id])


def who_is_due(reader: Reader, *, now: datetime, listed: int = LISTED) -> Due:
    """Look who is due now, over the installation; from `listed` rows on, mailbox by mailbox."""
    plans, rotations, hosts = _Plans(reader), Rotations(reader, now), _Hosts(reader)
    if reader.one(int, "enrollments.many_due_to_send", now=now, more=listed - 1) is not None:
        return Due(_Asking(reader, now), None, now, plans, rotations, hosts)
    rows = reader.all(_Row, "enrollments.due_to_send", now=now, limit=listed)
    pinned = {row.mailbox_id for row in rows if row.mailbox_id is not None}
    anybody = any(row.mailbox_id is None for row in rows)
    return Due(_Listed(rows), None if anybody else tuple(sorted(pinned)), now, plans, rotations, hosts)


def admits(plan: Plan, mailbox: Mailbox | Free) -> bool:
    """Whether a sequence may open conversations from this mailbox."""
    if plan.mailboxes:
        address = mailbox.address.casefold()
        named = {each.casefold() for each in plan.mailboxes}
        return address in named or f"@{address.rpartition('@')[2]}" in named
    return plan.pool == mailbox.pool


def may_open(plan: Plan, mailbox: Mailbox, lane: str) -> bool:
    """Whether it may ever open the conversation of somebody in this lane."""
    return admits(plan, mailbox) and lane in lanes(plan.match_provider, mail_host(mailbox), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    workspace_id: int
    sequence_id: int
    mailbox_id: int | None
    lane: str
    id: int
    step_counter: int
    ready_at: datetime


class _Hosts:
    """Who runs the mail of mailboxes, each read once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[int, MailHost] = {}
        self.free: dict[int, set[MailHost]] = {}  #: Of the free mailboxes that a sequence admits, by sequence.

    def of(self, mailbox_id: int) -> MailHost:
        """Return one mailbox's."""
        if mailbox_id not in self._known:
            (mailbox,) = self._reader.all(Mailbox, "mailboxes.some", mailbox_list=[mailbox_id])
            self._known[mailbox_id] = mail_host(mailbox)
        return self._known[mailbox_id]


class _Plans:
    """What the present versions of sequences say, each read once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[int, Plan] = {}

    def of(self, sequence: Sequence) -> Plan:
        """Return one sequence's."""
        if sequence.id not in self._known:
            self._known[sequence.id] = plan_of(self._reader, sequence.workspace_id, sequence.id, sequence.version)
        return self._known[sequence.id]

    def has_matched(self, sequence: Sequence) -> bool:
        """Whether an earlier version matched providers."""
        earlier = (
            plan_of(self._reader, sequence.workspace_id, sequence.id, version) for version in range(1, sequence.version)
        )
        return any(plan.match_provider is not ProviderMatch.OFF for plan in earlier)


class _Listed:
    """Everybody who is due, in a list."""

    def __init__(self, rows: list[_Row]) -> None:
        self._waiting: dict[tuple[int, int | None, str], deque[Candidate]] = defaultdict(deque)
        for row in rows:
            candidate = Candidate(id=row.id, step_counter=row.step_counter, ready_at=row.ready_at)
            self._waiting[row.sequence_id, row.mailbox_id, row.lane].append(candidate)
        self._gone: set[int] = set()

    def follow_up(self, sequence: Sequence, mailbox: Free) -> Candidate | None:
        """Return the next of this mailbox."""
        return self._next(sequence.id, mailbox.id, ANYBODY)

    def newcomer(self, sequence: Sequence, lane: str) -> Candidate | None:
        """Return the next of the pool."""
        return self._next(sequence.id, None, lane)

    def strike(self, candidate: Candidate) -> None:
        """Pass over it from now on."""
        self._gone.add(candidate.id)

    def _next(self, sequence_id: int, mailbox_id: int | None, lane: str) -> Candidate | None:
        waiting = self._waiting[sequence_id, mailbox_id, lane]
        while waiting and waiting[0].id in self._gone:
            waiting.popleft()
        return waiting[0] if waiting else None


class _Asking:
    """Asks the database for each mailbox; a sequence found to have no newcomers is not asked for them again."""

    def __init__(self, reader: Reader, now: datetime) -> None:
        self._reader = reader
        self._now = now
        self._without: set[tuple[int, str]] = set()
        self._gone: set[int] = set()

    def follow_up(self, sequence: Sequence, mailbox: Free) -> Candidate | None:
        """Return the most due of this mailbox."""
        ids = {"workspace_id": mailbox.workspace_id, "sequence_id": sequence.id, "mailbox_id": mailbox.id}
        return self._unless_gone(self._reader.one(Candidate, "enrollments.earliest_of_mailbox", **ids, now=self._now))

    def newcomer(self, sequence: Sequence, lane: str) -> Candidate | None:
        """Return the most due of the pool."""
        if (sequence.id, lane) in self._without:
            return None
        ids = {"workspace_id": sequence.workspace_id, "sequence_id": sequence.id, "lane": lane}
        found = self._reader.one(Candidate, "enrollments.earliest_of_pool", **ids, now=self._now)
        if found is None:
            self._without.add((sequence.id, lane))
        return self._unless_gone(found)

    def strike(self, candidate: Candidate) -> None:
        """Pass over it from now on; what is claimed is no longer found anyway."""
        self._gone.add(candidate.id)

    def _unless_gone(self, found: Candidate | None) -> Candidate | None:
        return None if found is None or found.id in self._gone else found
