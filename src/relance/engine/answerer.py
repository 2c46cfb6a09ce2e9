"""Sends what people answer by hand, once: begin → release → recorded, looks for what was lost, and copies into Sent.

Rule 1: it has a connection of its own for each answer, so that a person never waits behind a mailbox's queue, nor the
        queue behind them.
Rule 2: until the dot every failure is definite; what was lost after it is looked for, and never sent again on a guess.
Rule 3: absence counts only after the grace, on a server that saves what it relays, beside something that left later.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime

from relance.core import defaults
from relance.core.answer import Answer, AnswerStatus
from relance.core.failure import AddressRejected
from relance.core.identifiers import COPY_HEADER, TRACE_HEADER
from relance.core.mailbox import MailboxStatus
from relance.engine import persistence
from relance.engine.diagnosis import failure_of
from relance.engine.surroundings import Surroundings, always
from relance.ports.connector import (
    Accepted,
    CannotLook,
    Connector,
    ConnectorError,
    Envelope,
    Found,
    NotFound,
    NotReleasedError,
    OutcomeUnknownError,
    Sought,
    Staged,
)
from relance.ports.store import CommitUnknownError
from relance.services import ingestion
from relance.services.answering import leaving
from relance.services.answering.leaving import Outgoing, Todo
from relance.services.leasing import FencedError, Hold
from relance.services.reconciling import marked_copy

_Job = Callable[[Outgoing, Connector, Hold], Awaitable[None]]


class Answerer:
    """One pass sends every answer that is due, then looks for lost ones, then copies into Sent."""

    #: Whether the database is still the one whose state is known; see `relance.engine.recoverer`.
    unchanged: Callable[[], Awaitable[bool]]

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self.unchanged = always

    async def run_once(self) -> int:
        """Run a pass; the number is that of answers that something was done for."""
        around = self._around
        shards = tuple(hold.shard for hold in around.shards.holds())
        if not shards:
            return 0
        work = await around.store.read(leaving.work, now=around.clock.now(), shards=shards)
        if work.due and not await self.unchanged():
            return 0
        done = 0
        for todos, job in ((work.due, self._send), (work.unsettled, self._settle), (work.uncopied, self._copy)):
            for todo in todos:
                done += await self._do(todo, job)
        return done

    async def _do(self, todo: Todo, job: _Job) -> int:
        around = self._around
        hold = around.shards.hold(todo.shard)
        out = await around.store.read(leaving.outgoing, todo) if hold is not None else None
        if hold is None or out is None:
            return 0
        if out.mailbox.status is MailboxStatus.REMOVED and out.answer.status is AnswerStatus.WAITING:
            why = f"{out.mailbox.address} was removed before the answer left"
            await persistence.write(around, leaving.failed, out, why=why, forever=True, now=around.clock.now())
            return 1
        with around.shards.work(hold):
            try:
                connector = await around.connect(out.mailbox)
                try:
                    await job(out, connector, hold)
                finally:
                    await connector.close()
            except FencedError as error:
                around.log.warning("answer.fenced", answer=todo.id, error=str(error))
            except ConnectorError as error:
                await self._could_not(out, error)
        return 1

    async def _could_not(self, out: Outgoing, error: ConnectorError) -> None:
        """Nothing left: of what was to be sent, try again; of what was looked for or copied, look again."""
        around, now = self._around, self._around.clock.now()
        around.log.warning("answer.not_done", answer=out.answer.id, error=str(error))
        if out.answer.status is AnswerStatus.WAITING:
            forever = isinstance(failure_of(error, mailbox=out.mailbox, now=now), AddressRejected)
            await persistence.write(around, leaving.failed, out, why=str(error), forever=forever, now=now)
        elif out.answer.status is AnswerStatus.UNKNOWN:
            await persistence.write(around, leaving.look_again, out, why=f"could not look: {error}", now=now)

    # --- sending

    async def _send(self, out: Outgoing, connector: Connector, hold: Hold) -> None:
        around, now = self._around, self._around.clock.now()
        try:
            raw = leaving.composed(out, now=now)
        except ValueError as error:
            await persistence.write(around, leaving.failed, out, why=str(error), forever=True, now=now)
            return
        answer = out.answer
        envelope = Envelope(
            sender=out.mailbox.address, recipient=answer.recipient, message_id=answer.message_id, raw=raw
        )
        staged = await connector.stage(envelope)
        begun = await self._begin(out, staged, hold)
        if begun is not None:
            await self._release(Outgoing(answer=begun, mailbox=out.mailbox), staged, raw, hold)

    async def _begin(self, out: Outgoing, staged: Staged, hold: Hold) -> Answer | None:
        around, now = self._around, self._around.clock.now()
        facts = {"keys": around.keys, "now": now, "release_by": now + defaults.RELEASE_DEADLINE}
        try:
            begun = await persistence.write_as_owner(around, hold, leaving.begin, out, **facts)  # type: ignore[arg-type]  # as named
        except CommitUnknownError as error:  # in flight or not: nothing was released, and that is what gets recorded
            await staged.discard()
            raise NotReleasedError(str(error)) from error
        except BaseException:
            await staged.discard()
            raise
        if begun is None:
            await staged.discard()
        return begun

    async def _release(self, out: Outgoing, staged: Staged, raw: bytes, hold: Hold) -> None:
        around, answer = self._around, out.answer

        def may_leave() -> bool:
            in_time = answer.release_by is not None and around.clock.now() <= answer.release_by
            return in_time and around.shards.still(hold)

        try:
            accepted = await staged.release(may_leave=may_leave, time_limit=defaults.RELEASE_DEADLINE.total_seconds())
        except OutcomeUnknownError as error:
            await self._lose(answer, str(error))
        except ConnectorError as error:
            now = around.clock.now()
            forever = isinstance(failure_of(error, mailbox=out.mailbox, now=now), AddressRejected)
            facts = {"why": str(error), "forever": forever, "now": now}
            await persistence.write_whatever_happens(around, leaving.failed, out, **facts)  # type: ignore[arg-type]  # as named
        except Exception as error:  # noqa: BLE001  # whatever broke, it broke with the message on the wire
            await self._lose(answer, repr(error))
        else:
            await self._left(answer, accepted, raw)

    async def _lose(self, answer: Answer, why: str) -> None:
        around = self._around
        ids = {"workspace_id": answer.workspace_id, "answer_id": answer.id}
        await persistence.write_whatever_happens(around, leaving.lost, **ids, why=why, now=around.clock.now())
        around.log.warning("answer.outcome_lost", answer=answer.id, error=why)

    async def _left(self, answer: Answer, accepted: Accepted, raw: bytes) -> None:
        around, now = self._around, self._around.clock.now()
        await persistence.write_whatever_happens(
            around,
            ingestion.answer_left,
            workspace_id=answer.workspace_id,
            answer_id=answer.id,
            at=now,
            by=f"accepted by the server: {accepted.response}",
            raw=raw,
            keys=around.keys,
            now=now,
        )
        around.log.info("answer.accepted", answer=answer.id)

    # --- looking

    async def _settle(self, out: Outgoing, connector: Connector, hold: Hold) -> None:
        """Find out what became of one that was lost; one that nobody finished in time is lost."""
        around, answer, now = self._around, out.answer, self._around.clock.now()
        if answer.status is AnswerStatus.IN_FLIGHT:
            await self._lose(answer, "its worker is gone, or the server never said")
            return
        match await connector.find_sent(_sought(answer)):
            case Found(wire_message_id=wire):
                await persistence.write(
                    around,
                    ingestion.answer_left,
                    workspace_id=answer.workspace_id,
                    answer_id=answer.id,
                    at=answer.began_at or now,
                    by="found in Sent",
                    raw=None,
                    keys=around.keys,
                    now=now,
                    wire_message_id=wire,
                    copied=True,
                )
            case NotFound(witness=at) if self._proves_absence(out, at, now):
                by = "not in Sent, where a later message is"
                ids = {"workspace_id": answer.workspace_id, "answer_id": answer.id}
                await persistence.write_as_owner(around, hold, leaving.settle_not_sent, **ids, by=by, now=now)
            case NotFound() | CannotLook():
                why = "not in Sent, which proves nothing yet; whoever knows what became of it can say so"
                await persistence.write(around, leaving.look_again, out, why=why, now=now)

    def _proves_absence(self, out: Outgoing, witness: datetime | None, now: datetime) -> bool:
        began = out.answer.began_at or out.answer.due_at
        late = witness is not None and witness - began >= defaults.WITNESS_AFTER
        return late and now >= leaving.grace_ends_at(out.answer) and out.mailbox.saves_sent is not False

    # --- copying

    async def _copy(self, out: Outgoing, connector: Connector, hold: Hold) -> None:
        """Put a copy into Sent where the server saves none."""
        around, answer = self._around, out.answer
        lookup = await connector.find_sent(_sought(answer))
        raw = await around.store.read(leaving.as_it_left, answer)
        if isinstance(lookup, NotFound) and raw is not None:
            if not around.shards.still(hold):
                raise FencedError(hold)  # the next owner copies it, and once is enough
            await connector.save_sent(marked_copy(raw), at=answer.sent_at or around.clock.now())
        await persistence.write(around, leaving.mark_copied, out, now=around.clock.now())


def _sought(answer: Answer) -> Sought:
    ids = (answer.message_id, answer.wire_message_id)
    return Sought(
        message_ids=tuple(one for one in ids if one),
        trace_header=TRACE_HEADER,
        trace=answer.trace,
        copy_header=COPY_HEADER,
        recipient=answer.recipient,
        since=answer.began_at or answer.due_at,
    )
