"""The product's guards, each with the change that takes it out: the harness has to see when one is missing.

The changes are made in the process under test, and in nothing that a person would ship.
"""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from relance.core import defaults, gates
from relance.core.attempt import Attempt, AttemptStatus
from relance.engine import persistence
from relance.engine.shards import Shards
from relance.engine.surroundings import Surroundings
from relance.ports.store import Transaction
from relance.services import sending

_FAR = datetime(2100, 1, 1, tzinfo=UTC)


class Guard(StrEnum):
    """What stands between us and a broken promise."""

    RESERVE = "reserve"  #: Nothing is composed before the right to send is on the disk.
    IN_FLIGHT = "in_flight"  #: Nothing is released before it is on the disk that it may have left.
    STATUS_IN_BEGIN = "status_in_begin"  #: The last look asks whether the enrollment still walks.
    FRESHNESS = "freshness"  #: No message to somebody whose answer may lie unread in a mailbox that wrote to them.
    FENCE = "fence"  #: No final dot without a lease that holds.
    RELEASE_DEADLINE = "release_deadline"  #: No final dot after release_by.
    GRACE = "grace"  #: Nobody says "not sent" before time has passed, by our clock and by the server's.


def take_out(names: Iterable[str]) -> None:
    """Take guards out of this process."""
    for name in names:
        _CHANGES[Guard(name)]()


@dataclass(slots=True)
class _Undone(Exception):  # noqa: N818 - a way to leave a transaction
    outcome: sending.Reserved
    facts: dict[str, Any]


def _no_reserve() -> None:
    """Send first and write everything down afterwards, as a job queue does."""
    reserve, begin, confirm, write = sending.reserve, sending.begin, sending.confirm, persistence.write
    facts_of: dict[int, dict[str, Any]] = {}

    @functools.wraps(reserve)
    def forget(tx: Transaction, **facts: Any) -> sending.ReserveOutcome:
        outcome = reserve(tx, **facts)
        if isinstance(outcome, sending.Reserved):
            raise _Undone(outcome, facts)
        return outcome

    async def write_or_forget(around: Surroundings, fn: Callable[..., Any], /, *args: Any, **facts: Any) -> Any:
        try:
            return await write(around, fn, *args, **facts)
        except _Undone as undone:
            outcome, number = undone.outcome, -1 - len(facts_of)
            facts_of[number] = undone.facts
            return replace(outcome, attempt=replace(outcome.attempt, id=number))

    @functools.wraps(begin)
    def pretend(tx: Transaction, reserved: sending.Reserved, **facts: Any) -> sending.Begun:
        del tx
        return sending.Begun(attempt=replace(reserved.attempt, release_by=facts["release_by"]))

    @functools.wraps(confirm)
    def write_it_all(tx: Transaction, *, attempt_id: int, **facts: Any) -> Attempt:
        reserved = reserve(tx, **facts_of[attempt_id])
        assert isinstance(reserved, sending.Reserved), reserved
        now, then = facts["now"], facts_of[attempt_id]
        begun = begin(tx, reserved, subject="", worker=then["worker"], keys=then["keys"], now=now, release_by=now)
        assert isinstance(begun, sending.Begun), begun
        return confirm(tx, attempt_id=begun.attempt.id, **facts)

    sending.reserve, sending.begin, sending.confirm = forget, pretend, write_it_all
    persistence.write = write_or_forget


def _no_in_flight() -> None:
    """Release without writing first that the message may have left."""
    begin, confirm = sending.begin, sending.confirm
    held: dict[int, tuple[sending.Reserved, dict[str, Any]]] = {}

    @functools.wraps(begin)
    def pretend(tx: Transaction, reserved: sending.Reserved, **facts: Any) -> sending.Begun:
        del tx
        held[reserved.attempt.id] = (reserved, facts)
        flying = replace(reserved.attempt, release_by=facts["release_by"], status=AttemptStatus.IN_FLIGHT)
        return sending.Begun(attempt=flying)

    @functools.wraps(confirm)
    def begin_late(tx: Transaction, *, attempt_id: int, **facts: Any) -> Attempt:
        reserved, then = held[attempt_id]
        begin(tx, reserved, **then)
        return confirm(tx, attempt_id=attempt_id, **facts)

    sending.begin, sending.confirm = pretend, begin_late


def _no_status_in_begin() -> None:
    gates.LAST_LOOK = tuple(gate for gate in gates.LAST_LOOK if gate.name != "status")


def _no_freshness() -> None:
    gates.GATES = tuple(gate for gate in gates.GATES if gate.name != "reply_freshness")
    gates.LAST_LOOK = tuple(gate for gate in gates.LAST_LOOK if gate.name != "reply_freshness")
    gates.evaluate.__kwdefaults__ = {"gates": gates.GATES}


def _no_fence() -> None:
    """Let the sender believe that the shard is still its own."""
    Shards.still = lambda _, __: True  # type: ignore[method-assign, assignment]  # the very method, in this process only


def _no_deadline() -> None:
    """Let the sender believe that there is all the time in the world."""
    begin = sending.begin

    @functools.wraps(begin)
    def generous(tx: Transaction, reserved: sending.Reserved, **facts: Any) -> sending.Begun | sending.Withheld:
        outcome = begin(tx, reserved, **facts)
        match outcome:
            case sending.Begun(attempt=attempt):
                return sending.Begun(attempt=replace(attempt, release_by=_FAR))
            case sending.Withheld():
                return outcome

    sending.begin = generous


def _no_grace() -> None:
    defaults.AMBIGUITY_GRACE = defaults.WITNESS_AFTER = timedelta(0)


_CHANGES: dict[Guard, Callable[[], None]] = {
    Guard.RESERVE: _no_reserve,
    Guard.IN_FLIGHT: _no_in_flight,
    Guard.STATUS_IN_BEGIN: _no_status_in_begin,
    Guard.FRESHNESS: _no_freshness,
    Guard.FENCE: _no_fence,
    Guard.RELEASE_DEADLINE: _no_deadline,
    Guard.GRACE: _no_grace,
}
