"""The process under test: the product as it is put together for production, with the harness's clock.

Engine, store, connectors, parsers, locks and files are the product's own. Added are a hook at the fault points, and a
conversation with the harness about when time may move.
"""

import asyncio
import json
import os
import signal
import socket
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg  # noqa: F401 - imported before the fork, because that takes long
import psycopg_pool  # noqa: F401 - as above
import uvloop

from crash import explanations, guards, surroundings
from crash.harness_clock import HostClock
from crash.orders import Order, Trap, What
from relance.app import Installation, open_installation
from relance.app.running import running_engine
from relance.config import Config, LogLevel
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import TERMINAL, Enrollment
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.engine.engine import Engine
from relance.engine.shards import Shards
from relance.ports import faultpoints
from relance.ports.store import Reader, StoreError, Transaction
from relance.services import enrollments, recovering, scheduling
from relance.services.answers import incoming
from relance.services.leasing import SHARDS

GAVE_UP = (
    74  #: Exit code of a process whose database was not there for it; whoever keeps services running starts it again.
)
_LEASE_LOOK = 0.1  #: Real seconds after which a lost lease may be there again.
_TURNS = 3  #: Of the event loop, in which something that has just arrived at a socket is heard.


class Places:
    """The hook: counts every place, and kills, stops or tells at those that were asked for."""

    def __init__(self, traps: tuple[Trap, ...], say: Callable[..., None], *, record: bool) -> None:
        self._traps = traps
        self._say = say
        self._lock = threading.Lock()
        self._record = record
        self.passed: Counter[str] = Counter()
        self.order: list[str] = []

    def pass_by(self, place: str) -> None:
        """Pass a place; called in any thread."""
        with self._lock:
            self.passed[place] += 1
            count = self.passed[place]
            if self._record:
                self.order.append(place)
            trap = next((one for one in self._traps if one.at.place == place and one.at.passing == count), None)
            if trap is not None:  # one of them: a second SIGSTOP at once would be lost in the first
                self._say(at=str(trap.at), what=trap.what)
                os.kill(os.getpid(), signal.SIGKILL if trap.what is What.KILL else signal.SIGSTOP)


@dataclass(slots=True)
class Control:
    """The conversation with the harness."""

    reader: asyncio.StreamReader
    say: Callable[..., None]

    async def hear(self) -> dict[str, Any]:
        """Return what the harness says next; a harness that is gone ends this process."""
        line = await self.reader.readline()
        if not line:
            os._exit(75)
        heard: dict[str, Any] = json.loads(line)
        return heard


def live(order: Order) -> int:
    """Live as ordered; return the exit code."""
    mouth, ear = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    for one in (mouth, ear):
        one.connect(order.control)

    def say(**facts: object) -> None:
        mouth.sendall(f"{json.dumps(facts, default=str)}\n".encode())

    say(pid=os.getpid())
    places = Places(order.traps, say, record=order.record)
    faultpoints.hook = places.pass_by
    try:
        surroundings.put_in_place(order, say)
        guards.take_out(order.without)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_live(order, ear, say, places))
    except StoreError as error:
        say(given_up=str(error))
        return GAVE_UP
    except BaseException:  # noqa: BLE001 - the harness shall read it, whatever it is
        say(failed=traceback.format_exc())
        return 1
    return 0


async def _live(order: Order, ear: socket.socket, say: Callable[..., None], places: Places) -> None:
    reader, writer = await asyncio.open_unix_connection(sock=ear)
    data = Path(order.data)
    config = Config(
        data=data,
        master_key_file=data / "master.key",
        database_url=order.database_url,
        log_level=LogLevel.ERROR,
        lease_seconds=order.lease,
    )
    installation = open_installation(config)
    installation.clock = HostClock(Path(order.clock))
    control, lease = Control(reader, say), _watch_lease()
    try:
        async with running_engine(installation) as engine:
            await _obey(installation, engine, control, lease, shares=order.shares)
        ended = await installation.read(_ending)
        ended["said"] = await installation.read(explanations.ask, installation.keys, installation.clock, None)
    finally:
        await installation.close()
    say(ended=ended, places=places.order)
    await control.hear()  # the harness has read it
    writer.close()


async def _obey(
    installation: Installation, engine: Engine, control: Control, lease: "LeaseWatch", *, shares: bool
) -> None:
    """Say when the engine has come to rest, and let time jump when told so."""
    while True:
        lease.refused = False
        await engine.settle()
        if lease.refused or not (
            shares or _shards(engine) == SHARDS
        ):  # on a machine that is busy a lease of a second is lost now and then: that is no rest
            await asyncio.sleep(_LEASE_LOOK)
            _wake(engine, times=1)
            continue
        if await installation.read(_unproven):
            await installation.write(_a_person_decides, now=installation.clock.now())
            control.say(decided=True)
            _wake(engine, times=1)
            continue
        upcoming = await engine.next_event()
        standing = await installation.read(scheduling.standing, now=installation.clock.now())
        unknown = await installation.read(_waiting_for_an_outcome)
        resting = await installation.read(_resting)
        control.say(
            rest=upcoming,
            unfinished=standing.unfinished,
            unknown=unknown,
            resting=resting,
            now=installation.clock.now(),
        )
        while True:
            heard = await control.hear()
            if "still" in heard:
                for _ in range(_TURNS):
                    await asyncio.sleep(0)
                control.say(still=engine.idle, shards=_shards(engine))
                if not engine.idle:
                    break
            elif "jumped" in heard:
                engine.time_has_jumped()
                _wake(engine, times=heard["jumped"])
                break
            else:
                return


def _shards(engine: Engine) -> int:
    """Return for how many shards it may act."""
    return len(engine._shards.holds())  # noqa: SLF001 - nobody else needs to know


@dataclass(slots=True)
class LeaseWatch:
    """Whether anybody was told, since it was last asked, that the lease does not hold."""

    refused: bool = False


def _watch_lease() -> LeaseWatch:
    watch, lasts = LeaseWatch(), Shards._lasts  # noqa: SLF001 - everything that asks for a right asks this

    def watched(self: Shards) -> bool:
        held = lasts(self)
        watch.refused = watch.refused or not held
        return held

    Shards._lasts = watched  # type: ignore[method-assign]  # noqa: SLF001 - in this process only
    return watch


def _wake(engine: Engine, *, times: int) -> None:
    """Wake every loop, as often as asked: each looks once in a while without being woken, and time has passed."""
    for _ in range(times):
        for loop in engine._loops.values():  # noqa: SLF001 - production waits some real seconds for it
            loop.wake()


def _unproven(reader: Reader) -> list[Mailbox]:
    """Return what cannot be read back after a restore."""
    return [box for box in recovering.recovering(reader) if box.last_skip_reason == recovering.SENT_UNPROVEN]


def _a_person_decides(tx: Transaction, *, now: datetime) -> None:
    """Let it go on; whoever may have been written to is held."""
    for box in _unproven(tx):
        recovering.decide(tx, box, hold=True, now=now)


def _waiting_for_an_outcome(reader: Reader) -> int:
    """Count who has not ended and waits on an unknown outcome; that of somebody who was stopped holds nobody up."""
    lost = reader.all(Attempt, "attempts.unsettled", workspace_id=1)
    runs = [reader.one(Enrollment, "enrollments.get", workspace_id=1, id=each.enrollment_id) for each in lost]
    return sum(run is not None and run.status not in TERMINAL for run in runs)


def _resting(reader: Reader) -> int:
    """Count the mailboxes whose servers are in trouble: what lies in them is read when that is over."""
    connected = reader.all(Mailbox, "mailboxes.connected")
    return sum(mailbox.status in {MailboxStatus.AUTH_ERROR, MailboxStatus.UNREACHABLE} for mailbox in connected)


def _ending(reader: Reader) -> dict[str, Any]:
    """Return how everything stands: what is compared with an undisturbed run."""
    rows = enrollments.chosen(reader, workspace_id=1, sequence_name=None, email=None)
    people = {}
    for row in rows:
        lead = reader.one(Lead, "leads.get", workspace_id=1, id=row.lead_id)
        attempts = reader.all(Attempt, "attempts.of_enrollment", workspace_id=1, enrollment_id=row.id)
        people[lead.email if lead else ""] = {
            "status": row.status,
            "reason": row.stop_reason,
            "held_for": row.hold_reason,
            "step": row.step,
            "unknown": any(attempt.status is AttemptStatus.UNKNOWN for attempt in attempts),
            "attempts": [(a.step, a.status, a.settled_by, _address(reader, a)) for a in attempts],
        }
    read = [
        (one.mailbox, one.lead or one.from_address, one.kind) for one in incoming(reader, workspace_id=1, limit=1_000)
    ]
    return {"people": people, "read": read}


def _address(reader: Reader, attempt: Attempt) -> str | None:
    box = reader.one(Mailbox, "mailboxes.get", workspace_id=attempt.workspace_id, id=attempt.mailbox_id)
    return box.address if box else None


if __name__ == "__main__":
    sys.exit(live(Order.parse(sys.argv[1])))
