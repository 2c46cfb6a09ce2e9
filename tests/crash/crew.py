"""Running one plan with several workers over one PostgreSQL: killed, stopped past their lease and woken, cut off.

Rule 1: time turns only when all who are awake have come to rest, have every shard among them, each its equal share, and
        the servers are quiet. So every death and every stop is followed by a takeover.
Rule 2: a worker that is stopped is woken once the others have come to rest with its work, and after so many turns of
        time; one that was killed is started again after some. Nobody else left: it goes on when its lease is over.
Rule 3: a worker that dies without having been told to is an error of the run, not a fault that was planned.
"""

import asyncio
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crash.explanations import Explained
from crash.orders import Order, Trap, What
from crash.plan import ANYBODY, Plan, Stop
from crash.product_process import GAVE_UP
from crash.running import LEASE, Run
from crash.scenario import REACTIONS
from crash.stage import Process, ProcessDied, Stage
from crash.turning import Over, RunError, Turning
from relance.services.leasing import SHARDS

LIMIT = 120.0  #: Real seconds of one run; an undisturbed one takes some four.
_GIVE_UPS = 5  #: Lives of each worker that end by themselves because there was no database for them.
_LOOK = 0.05  #: Real seconds between two looks at who has which shards.
_AFTER_LEASE = 1.3  #: Leases that one waits who has nobody to see that a lease is over.


@dataclass(slots=True, kw_only=True)
class Member:
    """One worker: a number that it keeps, and the process that it is now."""

    number: int
    process: Process | None = None
    hearing: "asyncio.Task[None] | None" = None
    lives: int = 0
    rest: dict[str, Any] | None = None  #: As it last said, if it was told nothing since.
    still: bool = False
    asked: int = 0  #: Questions whether it is still at rest that it has not answered.
    shards: int = 0
    stop: Stop | None = None  #: While it is stopped.
    ports: set[int] = field(default_factory=set)  #: Of its connections, while it is stopped.
    turns: int = 0  #: Left until it is woken, or started again.
    expects_death: bool = False
    gave_up: int = 0
    why: str = ""

    @property
    def awake(self) -> bool:
        """Whether it runs."""
        return self.process is not None and self.stop is None

    def tell(self, **facts: object) -> None:
        """Say something to it, if it can hear."""
        if self.process is not None:
            self.process.tell(**facts)


@dataclass(slots=True, kw_only=True)
class Crew:
    """One run in progress."""

    stage: Stage
    plan: Plan
    lease: float = LEASE
    data: Path = Path()
    database_url: str | None = None
    _members: list[Member] = field(default_factory=list)
    _heard: "asyncio.Queue[tuple[Member, Process, dict[str, Any] | ProcessDied]]" = field(default_factory=asyncio.Queue)
    _ended: dict[str, Any] | None = None
    _finishing: bool = False
    _sprung: list[str] = field(default_factory=list)  #: What has happened already.
    _killed_at: list[str] = field(default_factory=list)
    _stopped_at: list[str] = field(default_factory=list)
    _dots: list[str] = field(default_factory=list)

    async def run(self) -> Run:
        """Live through the plan. Raises RunError."""
        world = self.stage.world
        world.begin_anew(self.plan, dict(REACTIONS))
        world.faults.on_dot = self._dot
        await world.activity.until_quiet()
        self.data, self.database_url = await asyncio.to_thread(self.stage.new_installation)
        self._members = [Member(number=1 + number) for number in range(self.plan.workers)]
        try:
            async with asyncio.timeout(LIMIT):
                ended = await self._live()
        except TimeoutError:
            raise RunError(f"no end within {LIMIT:g} s, at {world.clock.now()}; {self._state()}") from None
        finally:
            for member in self._members:
                await self._bury(member)
                world.activity.thaw_ports(member.ports)
        accepted = tuple(world.journal.accepted())
        return Run(
            plan=self.plan,
            explained=[Explained(when="in the end", **ended["said"], accepted=accepted)],
            journal=world.journal,
            ended=ended,
            places=[],
            dots=self._dots,
            killed_at=self._killed_at,
            stopped_at=self._stopped_at,
            lives=sum(member.lives for member in self._members),
            saves_sent={box: world.saves_sent(box) for box in world.post_office.mailboxes},
            host_moved=world.clock.host_moved,
        )

    def _state(self) -> str:
        quiet = "quiet" if self.stage.world.activity.quiet() else "busy"
        facts = [
            f"{one.number}: {'stopped' if one.stop else 'awake' if one.awake else 'dead'}, {one.shards} shards, "
            f"{'at rest' if one.rest else 'busy'}, lives {one.lives}"
            for one in self._members
        ]
        return f"servers {quiet}, workers {'; '.join(facts)}; killed {self._killed_at}, stopped {self._stopped_at}"

    # --- the course of a run

    async def _live(self) -> dict[str, Any]:
        turning = Turning(stage=self.stage, plan=self.plan)
        for member in self._members:
            await self._start(member)
        while True:
            await self._until_all_rest()
            if await self._somebody_returns():
                continue
            turned = turning.turn(_together([member.rest for member in self._awake() if member.rest is not None]))
            if isinstance(turned, Over):
                asleep = [member for member in self._members if member.stop is not None]
                if not asleep:
                    return await self._finish()
                for member in asleep:
                    member.turns = 0
                continue
            for member in self._awake():
                member.rest = None
                member.tell(jumped=turned.wakes)

    async def _until_all_rest(self) -> None:
        """Return when everybody who is awake is at rest, all shards are theirs, and the servers are quiet."""
        activity = self.stage.world.activity
        while True:
            activity.changed.clear()
            if all(member.rest is not None for member in self._awake()) and activity.quiet():
                if await self._all_still() and activity.quiet():
                    return
                continue
            await self._hear_or(activity.changed)

    async def _all_still(self) -> bool:
        """Ask everybody once more; what one of them did may have given another one work."""
        asked = list(self._awake())
        for member in asked:
            member.asked += 1
            member.still = False
            member.tell(still=True)
        while any(member.asked and member.awake for member in asked):
            await self._hear()
        awake = list(self._awake())
        if awake != asked or not all(member.still for member in awake):
            return False
        fair = -(-SHARDS // max(1, len(awake)))
        if awake and (sum(member.shards for member in awake) != SHARDS or max(one.shards for one in awake) > fair):
            await asyncio.sleep(_LOOK)  # it is real time that ends a lease
            return False
        return True

    async def _somebody_returns(self) -> bool:
        """Wake who was stopped, start who was killed, if it is time for them or there is nobody else."""
        away = [member for member in self._members if not member.awake]
        alone = len(away) == len(self._members)
        if alone:
            await asyncio.sleep(self.lease * _AFTER_LEASE)
        back = [member for member in away if alone or member.turns <= 0]
        for member in back:
            await (self._wake(member) if member.stop is not None else self._start(member))
        for member in away:
            member.turns -= 1
        return bool(back)

    async def _finish(self) -> dict[str, Any]:
        """Let everybody end, the stopped too, and return how it says that everything ended."""
        self._finishing = True
        while True:
            if not list(self._awake()):
                await self._somebody_returns()
                await self._until_all_rest()
            for member in self._awake():
                member.tell(finish=True)
            while list(self._awake()):
                await self._hear()
            if self._ended is not None:
                return self._ended

    # --- the members

    def _awake(self) -> Iterator[Member]:
        return (member for member in self._members if member.awake)

    async def _start(self, member: Member) -> None:
        await self._bury(member)
        member.rest, member.asked, member.shards, member.expects_death = None, 0, 0, False
        member.process = process = await self.stage.start(self._order(member))
        member.lives += 1
        member.hearing = asyncio.create_task(self._listen(member, process), name=f"hear worker {member.number}")

    async def _listen(self, member: Member, process: Process) -> None:
        while True:
            try:
                heard = await process.hear()
            except ProcessDied as death:
                self._heard.put_nowait((member, process, death))
                return
            self._heard.put_nowait((member, process, heard))

    async def _bury(self, member: Member) -> None:
        if member.hearing is not None:
            member.hearing.cancel()
        if member.process is not None:
            await member.process.bury()
        member.process = member.hearing = None

    def _order(self, member: Member) -> Order:
        plan = self.plan
        traps = [Trap(at=at, what=What.KILL) for at in plan.kills]
        traps += [Trap(at=stop.at, what=What.STOP) for stop in plan.stops]
        traps += [Trap(at=at, what=What.CUT) for at in plan.cut_database]
        traps += [Trap(at=at, what=What.RESTART) for at in plan.restart_database]
        left = list(self._sprung)
        mine = [trap for trap in traps if trap.at.worker in {member.number, ANYBODY}]
        return Order(
            control=str(self.stage.folder / "control"),
            clock=str(self.stage.folder / "clock"),
            data=str(self.data),
            database_url=self.database_url,
            lease=self.lease,
            shares=True,
            traps=tuple(trap for trap in mine if not _taken(left, f"{trap.what} {trap.at}")),
            without=plan.without,
            poison=plan.poison,
        )

    # --- what they say

    async def _hear_or(self, changed: asyncio.Event) -> None:
        """Take in the next thing that somebody says, or return when the servers may have become quiet."""
        if self._heard.empty():
            waiting = {asyncio.create_task(self._heard.get()), asyncio.create_task(changed.wait())}
            done, pending = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in pending:
                task.cancel()
            for task in done:
                if isinstance(said := task.result(), tuple):
                    await self._take_in(*said)
            return
        await self._hear()

    async def _hear(self) -> None:
        await self._take_in(*await self._heard.get())

    async def _take_in(self, member: Member, process: Process, heard: dict[str, Any] | ProcessDied) -> None:
        if member.process is not process:
            return  # of an earlier life
        match heard:
            case ProcessDied():
                await self._died(member, heard)
            case {"rest": _}:
                member.rest = heard
            case {"still": still, "shards": shards}:
                member.asked, member.shards, member.still = member.asked - 1, shards, still
                if not still:
                    member.rest = None  # it will say when it has come to rest again
            case {"failed": why}:
                raise RunError(f"worker {member.number} failed: {why}")
            case {"given_up": why}:
                member.why = why
            case {"ended": ended}:
                self._ended = ended
                member.tell(read=True)
            case {"at": place, "what": what}:
                await self._trapped(member, process, place, what)
            case _:
                pass

    async def _died(self, member: Member, death: ProcessDied) -> None:
        plan = self.plan
        trouble = bool(plan.cut_database or plan.restart_database or plan.stops)
        if death.code == GAVE_UP and trouble and member.gave_up < _GIVE_UPS:
            member.gave_up += 1
            await self._start(member)
        elif death.code == -signal.SIGKILL and member.expects_death:
            await self._bury(member)
            member.turns = plan.away
        elif death.code == 0 and self._finishing:
            await self._bury(member)
        else:
            raise RunError(
                f"worker {member.number} ended with {death.code}, unasked {member.why}; {self._state()}"
            ) from death

    async def _trapped(self, member: Member, process: Process, place: str, what: str) -> None:
        second = f"{what} {place}" in self._sprung  # where anybody would do
        self._sprung.append(f"{what} {place}")
        if what == What.KILL:
            self._killed_at.append(place)
            member.expects_death = True
            return
        await process.stopped()
        match what:
            case What.STOP if not (second or self._finishing):
                self._stopped_at.append(place)
                member.stop = next(stop for stop in self.plan.stops if str(stop.at) == place)
                member.turns = member.stop.turns
                member.ports = set(process.sockets())
                self.stage.world.activity.freeze_ports(member.ports)
                return
            case What.CUT:
                await asyncio.to_thread(self.stage.cut_database)
            case What.RESTART:
                await asyncio.to_thread(self.stage.restart_database)
            case _:
                pass
        process.signal(signal.SIGCONT)

    async def _wake(self, member: Member) -> None:
        self.stage.world.activity.thaw_ports(member.ports)
        member.stop, member.ports = None, set()
        if member.process is not None:
            member.process.signal(signal.SIGCONT)
        if member.rest is not None:
            member.rest = None
            member.tell(jumped=1)

    def _dot(self, dot: str, fate: str) -> None:
        """Kill who has just sent a message to these servers, before they say that they have it."""
        self._dots.append(dot)
        if fate != "kill":
            return
        world = self.stage.world
        to, open_ports = world.smtp_port(dot.partition(" ")[0]), world.activity.open_ports()
        for member in self._awake():
            sockets = member.process.sockets() if member.process is not None else {}
            if member.process is not None and any(sockets.get(port) == to for port in open_ports):
                self._killed_at.append(f"the server has the message of worker {member.number} and has not answered")
                member.expects_death = True
                member.process.signal(signal.SIGKILL)


def _together(said: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what is true of the database, by what each found in it when it came to rest.

    Who wrote last has looked after that. What the others say may be older: a jump to it moves nothing and costs little.
    """
    times = [rest["rest"] for rest in said if rest["rest"] is not None]
    most = {name: max(rest[name] for rest in said) for name in ("unfinished", "resting")}
    return {"rest": min(times, default=None), "unknown": min(rest["unknown"] for rest in said), **most}


def _taken(left: list[str], one: str) -> bool:
    """Take one out of a list, if it is there."""
    if one not in left:
        return False
    left.remove(one)
    return True
