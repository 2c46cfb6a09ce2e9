"""Settles outcomes that were lost, and sees to it that every message sent has its copy in Sent.

Rule 1: a find counts at once; absence counts only after the ambiguity grace, on a server that saves what it relays,
        and when something is there that left later on that route, late enough by the server's clock too. If nothing
        is, the mailbox writes to itself.
Rule 2: where nobody can look, nothing is guessed: an answer, a notice or a person settles it, or the sequence's policy.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby

from relance.core import backoff, defaults
from relance.core.attempt import Attempt
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.sequence import OnUnknown
from relance.engine import persistence
from relance.engine.connections import Connections
from relance.engine.marks import left_at, sought_of
from relance.engine.probing import probe
from relance.engine.side_by_side import for_each
from relance.engine.surroundings import Box, Surroundings
from relance.ports.connector import CannotLook, Connector, ConnectorError, Found, NotFound
from relance.ports.store import Reader
from relance.services import mailboxes, reconciling, sending
from relance.services.leasing import FencedError, Hold
from relance.services.reconciling import Lost
from relance.services.refusals import NotFoundError

_IN_ONE_PASS = 200  #: Lost outcomes, and copies of each mailbox.
#: For so long it is known what a mailbox has sent to itself for a lost outcome.
_REMEMBERED = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Probes:
    """The messages that a mailbox has sent to itself for one lost outcome."""

    count: int = 0
    last: datetime | None = None


class Reconciler:
    """One pass looks for every lost outcome that is due, then for copies that are wanting."""

    def __init__(self, around: Surroundings, connections: Connections) -> None:
        self._around = around
        self._connections = connections
        self._room = asyncio.Semaphore(around.limits.reads_at_once)
        self._probes: dict[tuple[int, int], _Probes] = {}  #: By attempt and try.
        self._rests: dict[int, tuple[int, datetime]] = {}  #: By mailbox whose copies failed: how often, and until when.

    async def run_once(self) -> int:
        """Run a pass; the number is that of attempts settled, put off or copied."""
        around = self._around
        shards = tuple(hold.shard for hold in around.shards.holds())
        if not shards:
            return 0
        lost, uncopied = await around.store.read(_to_do, now=around.clock.now(), shards=shards)
        looks = [(mailbox, partial(self._look, mailbox, of_it)) for mailbox, of_it in _by_mailbox(lost)]
        await for_each(around, self._room, looks, fenced="look.fenced")
        now = around.clock.now()
        copies = [
            (mailbox, partial(self._copies, mailbox, attempts))
            for mailbox, attempts in uncopied
            if mailbox.id not in self._rests or self._rests[mailbox.id][1] <= now
        ]
        return len(lost) + await for_each(around, self._room, copies, fenced="copy.fenced")

    async def _look(self, mailbox: Mailbox, lost: list[Lost], hold: Hold) -> int:
        try:
            for one in lost:
                await self._look_into(one, hold)
        finally:
            if mailbox.status is MailboxStatus.REMOVED:  # the poller, which lets go of others, knows it no more
                await self._connections.drop(Box(workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id))
        return len(lost)

    async def _look_into(self, lost: Lost, hold: Hold) -> None:
        attempt, now = lost.attempt, self._around.clock.now()
        try:
            connector = await self._connections.of(lost.mailbox)
            lookup = await connector.find_sent(sought_of(attempt))
        except ConnectorError as error:
            await self._again(lost, f"could not look: {error}")
            return
        match lookup:
            case Found(wire_message_id=wire):
                await self._settle_sent(attempt, "found in Sent", wire=wire)
            case NotFound() | CannotLook() if now < lost.grace_ends_at:
                await self._again(lost, "not found yet; too early to say that it was not sent")
            case NotFound(witness=at) if lost.mailbox.saves_sent is not False and _is_late_enough(at, attempt):
                await self._settle_failed(lost, hold, "not in Sent, where a later message is")
            case NotFound(witness=at) if lost.mailbox.saves_sent is not False:
                await self._probe(lost, hold, connector, witnessed=at is not None)
            case NotFound() | CannotLook():
                await self._cannot_look(lost)

    async def _cannot_look(self, lost: Lost) -> None:
        match lost.on_unknown:
            case OnUnknown.ASSUME_SENT:
                await self._settle_sent(lost.attempt, "assumed, as the sequence says (on_unknown)", wire=None)
            case OnUnknown.WAIT:
                why = "this mailbox gives no way to look; an answer or `relance attempt settle` decides"
                await persistence.write(self._around, reconciling.leave_to_others, lost, why=why)

    async def _probe(self, lost: Lost, hold: Hold, connector: Connector, *, witnessed: bool) -> None:
        """Send a message to the mailbox itself, so that absence can be told from a Sent folder that lags or is full.

        Where it is not known whether the server keeps copies, this tells: if none of the probe is there either, it
        keeps none. Where something later is there that did not leave late enough (`witnessed`), another is sent.
        """
        around, now = self._around, self._around.clock.now()
        this_try = (lost.attempt.id, lost.attempt.tries)
        before = self._probes.get(this_try, _Probes())
        rested = before.last is None or now - before.last >= reconciling.COPY_AFTER
        if lost.mailbox.status is MailboxStatus.REMOVED:
            await self._again(lost, "not in Sent, and nothing is sent from a removed mailbox that would prove it")
            return
        if before.last is None or (witnessed and rested and before.count < defaults.PROBES_AT_MOST):
            try:
                may_leave = partial(around.shards.still, hold)
                await probe(connector, lost.mailbox, keys=around.keys, now=now, may_leave=may_leave)
            except ConnectorError as error:
                await self._again(lost, f"could not send a message to itself: {error}")
                return
            long_ago = [one for one, sent in self._probes.items() if sent.last and now - sent.last > _REMEMBERED]
            for one in long_ago:
                del self._probes[one]
            self._probes[this_try] = _Probes(count=before.count + 1, last=now)
        elif before.count >= defaults.PROBES_AT_MOST:
            why = (
                "not in Sent, but by the server's clock nothing left later; set it, or `relance attempt settle` decides"
            )
            await self._again(lost, why)
            return
        elif lost.mailbox.saves_sent is None and not witnessed and rested:
            await self._learn(lost.mailbox, saves_sent=False)
            await self._cannot_look(lost)
            return
        await self._again(lost, "not in Sent, but nothing later is either")

    async def _learn(self, mailbox: Mailbox, *, saves_sent: bool) -> None:
        ids = {"workspace_id": mailbox.workspace_id, "mailbox_id": mailbox.id}
        await persistence.write(self._around, mailboxes.learn, **ids, saves_sent=saves_sent, ids_survive=None)

    async def _settle_failed(self, lost: Lost, hold: Hold, by: str) -> None:
        around, attempt = self._around, lost.attempt
        if lost.mailbox.saves_sent is None:
            await self._learn(lost.mailbox, saves_sent=True)
        settled = await persistence.write_as_owner(
            around,
            hold,
            sending.settle_failed,
            workspace_id=attempt.workspace_id,
            attempt_id=attempt.id,
            by=by,
            now=around.clock.now(),
            tries=attempt.tries,
        )
        if settled:
            around.log.info("outcome.settled", attempt=attempt.id, sent=False, by=by)

    async def _again(self, lost: Lost, why: str) -> None:
        await persistence.write(self._around, reconciling.look_again, lost, why=why, now=self._around.clock.now())

    async def _settle_sent(self, attempt: Attempt, by: str, *, wire: str | None) -> None:
        around = self._around
        await persistence.write(
            around,
            sending.settle_sent,
            workspace_id=attempt.workspace_id,
            attempt_id=attempt.id,
            by=by,
            now=around.clock.now(),
            wire_message_id=wire if wire != attempt.message_id else None,
        )
        around.log.info("outcome.settled", attempt=attempt.id, sent=True, by=by)

    async def _copies(self, mailbox: Mailbox, waiting: list[Attempt], hold: Hold) -> int:
        """Put copies into Sent where the server saves none; learn whether it does where that is not known."""
        try:
            connector = await self._connections.of(mailbox)
            copied = sum([await self._copy(mailbox, hold, connector, attempt) for attempt in waiting])
        except ConnectorError as error:
            failures = self._rests.get(mailbox.id, (0, None))[0] + 1
            self._rests[mailbox.id] = (failures, self._around.clock.now() + backoff.look_again(failures))
            self._around.log.warning("copy.not_saved", mailbox=mailbox.address, error=str(error))
            return 0
        self._rests.pop(mailbox.id, None)
        return copied

    async def _copy(self, mailbox: Mailbox, hold: Hold, connector: Connector, attempt: Attempt) -> int:
        around, now = self._around, self._around.clock.now()
        ids = {"workspace_id": mailbox.workspace_id, "mailbox_id": mailbox.id}
        lookup = await connector.find_sent(sought_of(attempt))
        if isinstance(lookup, Found):
            wire = lookup.wire_message_id
            await persistence.write(around, reconciling.mark_copied, attempt, wire_message_id=wire, now=now)
            if mailbox.saves_sent is None and not lookup.by_us:
                survives = wire == attempt.message_id
                await persistence.write(around, mailboxes.learn, **ids, saves_sent=True, ids_survive=survives)
            return 1
        if mailbox.saves_sent is None:
            await persistence.write(around, mailboxes.learn, **ids, saves_sent=False, ids_survive=None)
        raw = await self._as_it_left(attempt)
        if not around.shards.still(hold):
            raise FencedError(hold)  # the next owner copies it, and once is enough
        if isinstance(lookup, NotFound) and raw is not None:
            await connector.save_sent(reconciling.marked_copy(raw), at=attempt.sent_at or now)
        await persistence.write(around, reconciling.mark_copied, attempt, wire_message_id=None, now=now)
        return 1

    async def _as_it_left(self, attempt: Attempt) -> bytes | None:
        """Return a message with its contents; None if nothing is kept of it."""
        raw = await self._around.store.read(reconciling.outgoing_raw, attempt)
        try:
            return await self._around.contents.into(attempt.workspace_id, raw) if raw is not None else None
        except NotFoundError as error:  # somebody took the content out of the database: the copy goes without it
            self._around.log.error("copy.not_whole", attempt=attempt.id, error=str(error))
            return raw


def _by_mailbox(lost: list[Lost]) -> list[tuple[Mailbox, list[Lost]]]:
    of_one = groupby(sorted(lost, key=lambda one: one.mailbox.id), key=lambda one: one.mailbox.id)
    gathered = [list(group) for _, group in of_one]
    return [(group[0].mailbox, group) for group in gathered]


def _is_late_enough(witness: datetime | None, attempt: Attempt) -> bool:
    return witness is not None and witness - left_at(attempt) >= defaults.WITNESS_AFTER


def _to_do(
    reader: Reader, *, now: datetime, shards: tuple[int, ...]
) -> tuple[list[Lost], list[tuple[Mailbox, list[Attempt]]]]:
    lost = reconciling.due(reader, now=now, limit=_IN_ONE_PASS, shards=shards)
    return lost, reconciling.uncopied(reader, now=now, limit=_IN_ONE_PASS, shards=shards)
