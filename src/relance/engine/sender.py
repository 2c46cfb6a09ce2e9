"""Sends one claimed step: reserve → compose → stage → begin → release → confirm.

Rule 1: until `begin` every failure is definite; slot and gap go back.
Rule 2: the dot is written only while the shard is held and before `release_by`; both are looked at once more before it.
Rule 3: once the server said yes, that is recorded whatever happens; what was lost after the dot becomes `unknown`.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from hashlib import blake2b

from relance.core import defaults
from relance.core.attempt import Attempt
from relance.engine import persistence
from relance.engine.connections import Connections
from relance.engine.diagnosis import failure_of
from relance.engine.surroundings import Box, Surroundings
from relance.mail.templates import MissingValue
from relance.ports.connector import (
    Accepted,
    ConnectorError,
    Envelope,
    NotReleasedError,
    OutcomeUnknownError,
    Staged,
)
from relance.ports.store import CommitUnknownError, StoreError
from relance.services import composing, dispatching, sending
from relance.services.dispatching import Claim
from relance.services.leasing import FencedError, Hold
from relance.services.refusals import LostRaceError, NotFoundError

#: Reads asked for before a claim is put back: the second only if answers came in during the first.
_READS = 3


class Sender:
    """All work of one mailbox's sending side; the dispatcher never gives it two claims of one mailbox."""

    def __init__(
        self, around: Surroundings, connections: Connections, refresh: Callable[[Box], Awaitable[bool]]
    ) -> None:
        self._around = around
        self._connections = connections
        self._refresh = refresh

    async def send(self, claimed: Claim) -> None:
        """Carry one claim to its outcome; never raises but for cancellation."""
        hold = self._around.shards.hold(claimed.shard)
        if hold is None:  # it went to another worker while the claim was on its way back
            await self._let_go(claimed)
            return
        with self._around.shards.work(hold):
            await self._carry(claimed, hold)

    async def _carry(self, claimed: Claim, hold: Hold) -> None:
        try:
            reserved = await self._reserve(claimed, hold)
            if reserved is not None:
                await self._look_again(reserved)
                await self._send(reserved, hold)
        except FencedError as error:
            self._around.log.warning("send.fenced", enrollment=claimed.enrollment_id, error=str(error))
            await self._let_go(claimed)
        except (StoreError, LostRaceError) as error:
            self._around.log.error("send.not_recorded", enrollment=claimed.enrollment_id, error=str(error))
            await self._put_off(claimed, error, rest=defaults.MAILBOX_BACKOFF_FIRST)
        except Exception as error:  # noqa: BLE001  # one lead's trouble must not end the sending of all others
            self._around.log.error("send.failed", enrollment=claimed.enrollment_id, error=repr(error))
            await self._put_off(claimed, error, rest=defaults.COOLDOWN_FIRST)

    async def _reserve(self, claimed: Claim, hold: Hold) -> sending.Reserved | None:
        around = self._around
        for _ in range(_READS):
            outcome = await persistence.write_as_owner(
                around,
                hold,
                sending.reserve,
                workspace_id=claimed.workspace_id,
                enrollment_id=claimed.enrollment_id,
                woken_counter=claimed.step_counter,
                mailbox_id=claimed.mailbox_id,
                worker=around.worker,
                keys=around.keys,
                now=around.clock.now(),
            )
            match outcome:
                case sending.Reserved():
                    return outcome
                case sending.Unread(mailbox_ids=mailbox_ids):
                    boxes = [Box(workspace_id=claimed.workspace_id, mailbox_id=m) for m in mailbox_ids]
                    for box in boxes:
                        await self._refresh(box)
                case sending.Deferred(gate=gate, reason=reason, until=until):
                    around.log.info(
                        "send.deferred", enrollment=claimed.enrollment_id, gate=gate, reason=reason, until=until
                    )
                    return None
                case sending.Ended() | sending.Left():
                    return None
        await persistence.write(
            around,
            sending.put_off_unread,
            workspace_id=claimed.workspace_id,
            enrollment_id=claimed.enrollment_id,
            worker=around.worker,
            now=around.clock.now(),
        )
        return None

    async def _look_again(self, reserved: sending.Reserved) -> None:
        """Read the mailbox of a follow-up once more: nothing tells at once of an answer where no notification comes.

        Whatever it brings, `begin` sees; a read that fails leaves the limit of the gate, which has just passed.
        """
        mailbox = reserved.mailbox
        follows = reserved.enrollment.last_sent_at is not None
        read_at, now = mailbox.fresh_at, self._around.clock.now()
        if follows and (read_at is None or now - read_at > defaults.READ_AGAIN):
            await self._refresh(Box(workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id))

    async def _send(self, reserved: sending.Reserved, hold: Hold) -> None:
        attempt = reserved.attempt
        try:
            message = self._compose(reserved)
            if isinstance(message, MissingValue):
                await self._quarantine(reserved, hold, f"missing_value:{message.field}")
                return
            whole = await self._around.contents.into(attempt.workspace_id, message.raw)
        except (ValueError, NotFoundError) as error:
            await self._quarantine(reserved, hold, f"cannot_compose: {error}")
            return
        envelope = Envelope(
            sender=reserved.mailbox.address,
            recipient=attempt.recipient,
            message_id=attempt.message_id,
            raw=whole,
        )
        try:
            connector = await self._connections.of(reserved.mailbox)
            staged = await connector.stage(envelope)
        except ConnectorError as error:
            await self._fail(reserved, error)
            return
        begun = await self._begin(reserved, hold, staged, message.subject)
        if begun is not None:
            await self._release(reserved, begun, hold, staged, message.raw)

    async def _quarantine(self, reserved: sending.Reserved, hold: Hold, reason: str) -> None:
        around, now = self._around, self._around.clock.now()
        await persistence.write_as_owner(around, hold, sending.quarantine, reserved, hold_reason=reason, now=now)

    def _compose(self, reserved: sending.Reserved) -> composing.Composed | MissingValue:
        attempt = reserved.attempt
        return composing.compose_step(
            mailbox=reserved.mailbox,
            lead=reserved.lead,
            variant=reserved.variant,
            attachments=reserved.step.attachments,
            thread=reserved.thread,
            marks=composing.Marks(
                message_id=attempt.message_id, trace=attempt.trace, unsubscribe=self._around.unsubscribe(attempt)
            ),
            seed=composing.seed_of(reserved.enrollment.uid, attempt.step_counter),
            now=self._around.clock.now(),
        )

    async def _begin(
        self, reserved: sending.Reserved, hold: Hold, staged: Staged, subject: str
    ) -> sending.Begun | None:
        around = self._around
        now = around.clock.now()
        try:
            outcome = await persistence.write_as_owner(
                around,
                hold,
                sending.begin,
                reserved,
                subject=subject,
                worker=around.worker,
                keys=around.keys,
                now=now,
                release_by=now + defaults.RELEASE_DEADLINE,
            )
        except CommitUnknownError as error:  # in flight or not: nothing was released, and that is what gets recorded
            await staged.discard()
            await self._fail(reserved, NotReleasedError(str(error)))
            return None
        except BaseException:
            await staged.discard()
            raise
        match outcome:
            case sending.Begun():
                return outcome
            case sending.Withheld(reason=reason):
                around.log.info("send.withheld", enrollment=reserved.enrollment.id, reason=reason)
                await staged.discard()
                return None

    async def _release(
        self, reserved: sending.Reserved, begun: sending.Begun, hold: Hold, staged: Staged, raw: bytes
    ) -> None:
        around, attempt = self._around, begun.attempt
        release_by = attempt.release_by

        def may_leave() -> bool:
            return release_by is not None and around.clock.now() <= release_by and around.shards.still(hold)

        try:
            accepted = await staged.release(may_leave=may_leave, time_limit=defaults.RELEASE_DEADLINE.total_seconds())
        except OutcomeUnknownError as error:
            await self._lose(reserved, attempt, str(error))
        except ConnectorError as error:
            await self._fail(reserved, error)
        except Exception as error:  # noqa: BLE001  # whatever broke, it broke with the message on the wire
            await self._lose(reserved, attempt, repr(error))
        else:
            await self._confirm(reserved, accepted, raw)

    async def _lose(self, reserved: sending.Reserved, attempt: Attempt, error: str) -> None:
        around = self._around
        await persistence.write_whatever_happens(
            around,
            sending.lose_held,
            attempt,
            mailbox=reserved.mailbox.address,
            error=error,
            now=around.clock.now(),
        )
        around.log.warning("send.outcome_lost", enrollment=attempt.enrollment_id, error=error)

    async def _confirm(self, reserved: sending.Reserved, accepted: Accepted, raw: bytes) -> None:
        around, attempt = self._around, reserved.attempt
        try:
            await persistence.write_whatever_happens(
                around,
                sending.confirm,
                workspace_id=attempt.workspace_id,
                attempt_id=attempt.id,
                accepted=accepted,
                raw=raw,
                content_key=blake2b(raw, digest_size=20).hexdigest(),
                now=around.clock.now(),
                trace=attempt.trace,
            )
        except LookupError as error:  # an older state was put back: this process alone knows that it left
            around.log.error("send.not_in_database", enrollment=attempt.enrollment_id, error=str(error))
            await persistence.write_whatever_happens(
                around,
                sending.keep_departed,
                attempt,
                mailbox=reserved.mailbox.address,
                folder=sending.ACCEPTED,
                now=around.clock.now(),
            )
            return
        around.log.info(
            "step.accepted", enrollment=attempt.enrollment_id, step=attempt.step, mailbox=reserved.mailbox.address
        )

    async def _fail(self, reserved: sending.Reserved, error: ConnectorError) -> None:
        around, attempt = self._around, reserved.attempt
        failure = failure_of(error, mailbox=reserved.mailbox, now=around.clock.now())
        await persistence.write_whatever_happens(
            around,
            sending.fail,
            attempt,
            failure=failure,
            now=around.clock.now(),
        )
        around.log.warning("send.refused", enrollment=attempt.enrollment_id, error=str(error), failure=failure.reason)

    async def _let_go(self, claimed: Claim) -> None:
        """Let the row of a shard that is another worker's now go, untouched."""
        try:
            await persistence.write(self._around, dispatching.release_lock, claimed, worker=self._around.worker)
        except (StoreError, LostRaceError) as error:  # its lock runs out, and the rescuer lets it go
            self._around.log.error("store.not_writing", error=str(error), what="release_lock")

    async def _put_off(self, claimed: Claim, error: Exception, *, rest: timedelta) -> None:
        """Let the row go, but not to be claimed again at once: the same trouble would come before everybody else."""
        around, now = self._around, self._around.clock.now()
        try:
            await persistence.write(
                around,
                dispatching.put_off,
                claimed,
                worker=around.worker,
                until=now + rest,
                reason="cooldown",
                detail=f"sending it came to grief: {error!r}",
                now=now,
            )
        except (StoreError, LostRaceError) as refusal:  # its lock runs out, and the rescuer lets it go
            around.log.error("store.not_writing", error=str(refusal), what="put_off")
