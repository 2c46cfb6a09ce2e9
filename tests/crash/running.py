"""Running one plan: start the product, turn time when everything is at rest, start it again whenever it is killed.

Rule 1: time jumps only when the process and every server are at rest, to the next thing that is due anywhere.
Rule 2: a process that dies without having been told to is an error of the run, not a fault that was planned.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from crash.explanations import Explained, ask_after_a_death
from crash.harness_clock import START
from crash.orders import Order, Trap, What
from crash.people import Reaction
from crash.plan import At, Plan, PutBack
from crash.product_process import GAVE_UP
from crash.scenario import REACTIONS
from crash.stage import Process, ProcessDied, Stage
from crash.turning import Over, RunError, Turning
from relance.sandbox.journal import Journal

LEASE = 1.0  #: Real seconds that a lease lasts.
LIMIT = 60.0  #: Real seconds of one run; an undisturbed one takes less than one.
_GIVE_UPS = 5  #: Lives in one run that end by themselves because there was no database for them.


@dataclass(slots=True, kw_only=True)
class Run:
    """What one run came to."""

    plan: Plan
    journal: Journal
    ended: dict[str, Any]
    places: list[str]
    dots: list[str]  #: Final dots to people, by domain and number.
    killed_at: list[str] = field(default_factory=list)
    stopped_at: list[str] = field(default_factory=list)
    put_back: bool = False  #: An older state took the place of the newest.
    decided: bool = False  #: A person had to, because a mailbox could not be read back.
    lives: int = 1
    saves_sent: dict[str, bool] = field(default_factory=dict)
    host_moved: list[datetime] = field(default_factory=list)  #: By the world's time.
    explained: list[Explained] = field(default_factory=list)  #: After each death, and in the end.


#: What happens at a trap that stops the process, which goes on when the story ends.
Story = Callable[["Running", Process], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """Something that happens at a minute of the world, beside what the plan says."""

    minute: float
    act: Callable[["Running"], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class Running:
    """One run in progress."""

    stage: Stage
    plan: Plan
    traps: tuple[Trap, ...] = ()  #: For the first life, beside the plan's.
    story: Story | None = None
    beats: list[Beat] = field(default_factory=list)  #: In order.
    reactions: Mapping[str, Reaction] = field(default_factory=lambda: REACTIONS)
    lease: float = LEASE
    record: bool = False
    data: Path = Path()
    database_url: str | None = None
    _lives: int = 0
    _gave_up: int = 0
    _put_back: bool = False
    _decided: bool = False
    _why: str = ""  #: The process gave up last.
    _killed_at: list[str] = field(default_factory=list)
    _dots: list[str] = field(default_factory=list)
    _explained: list[Explained] = field(default_factory=list)
    _expects_death: bool = False
    _process: Process | None = None
    _turning: Turning = field(init=False)

    def __post_init__(self) -> None:
        self._turning = Turning(stage=self.stage, plan=self.plan)

    async def run(self) -> Run:
        """Live through the plan. Raises RunError."""
        world = self.stage.world
        world.begin_anew(self.plan, dict(self.reactions))
        world.faults.on_dot = self._dot
        await world.activity.until_quiet()
        self.data, self.database_url = await asyncio.to_thread(self.stage.new_installation)
        try:
            async with asyncio.timeout(LIMIT):
                ended = await self._live_again_and_again()
        except TimeoutError:
            raise RunError(f"no rest within {LIMIT:g} s, at {world.clock.now()}; {self._state()}") from None
        self._note("in the end", ended["ended"]["said"])
        return Run(
            plan=self.plan,
            explained=self._explained,
            journal=world.journal,
            ended=ended["ended"],
            places=ended["places"],
            dots=self._dots,
            killed_at=self._killed_at,
            lives=self._lives,
            put_back=self._put_back,
            decided=self._decided,
            host_moved=world.clock.host_moved,
            saves_sent={box: world.saves_sent(box) for box in world.post_office.mailboxes},
        )

    def _state(self) -> str:
        world = self.stage.world
        return f"life {self._lives}, servers {'quiet' if world.activity.quiet() else 'busy'}, killed {self._killed_at}"

    async def _live_again_and_again(self) -> dict[str, Any]:
        while True:
            self._process = process = await self.stage.start(self._order())
            self._lives += 1
            try:
                return await self.live(process)
            except ProcessDied as death:
                trouble = self.plan.full_disk is not None or self.plan.cut_database or self.plan.restart_database
                if death.code == GAVE_UP and trouble and self._gave_up < _GIVE_UPS:
                    self._gave_up += 1
                    continue
                if death.code != -signal.SIGKILL or not self._expects_death:
                    raise RunError(
                        f"the process ended with {death.code}, unasked {self._why}; {self._state()}"
                    ) from death
                self._expects_death = False
            finally:
                await process.bury()
            await self.stage.world.activity.until_quiet()
            said = await ask_after_a_death(self.data, self.database_url, self.stage.clock)
            self._note(f"after the death at {self._killed_at[-1]}", said)
            await self._keep_or_put_back(deaths=len(self._killed_at))

    async def _keep_or_put_back(self, *, deaths: int) -> None:
        """Keep the state as it was left, or let the one that was kept take its place."""
        match self.plan.put_back:
            case PutBack(kept=kept) if kept == deaths:
                await asyncio.to_thread(self.stage.keep_state)
            case PutBack(back=back, again=again, aside=aside) if deaths in {back, again}:
                self.database_url = await asyncio.to_thread(self.stage.put_back, aside=aside)
                self._put_back = True

    def _note(self, when: str, said: Mapping[str, Any]) -> None:
        accepted = tuple(self.stage.world.journal.accepted())
        self._explained.append(Explained(when=when, **said, accepted=accepted))

    def _order(self) -> Order:
        plan, life = self.plan, self._lives
        left = self._kills_left()
        traps = [Trap(at=kill, what=What.KILL) for kill in (left[:1] if plan.in_order else left)]
        if life == 0:
            traps += self.traps
            traps += [Trap(at=at, what=What.CUT) for at in plan.cut_database]
            traps += [Trap(at=at, what=What.RESTART) for at in plan.restart_database]
        return Order(
            control=str(self.stage.folder / "control"),
            clock=str(self.stage.folder / "clock"),
            data=str(self.data),
            database_url=self.database_url,
            lease=self.lease,
            traps=tuple(traps),
            record=self.record,
            without=plan.without,
            poison=plan.poison,
            full_disk=plan.full_disk if life == 0 else None,
        )

    def _kills_left(self) -> list[At]:
        left = list(self.plan.kills)
        for place in self._killed_at:
            done = next((kill for kill in left if str(kill) == place), None)
            if done is not None:
                left.remove(done)
        return left

    async def live(self, process: Process) -> dict[str, Any]:
        """Turn time beside one process until everything has ended, and return how it says that it ended."""
        world = self.stage.world
        rest = await self._until_at_rest(process)
        while True:
            await world.activity.until_quiet()
            process.tell(still=True)
            heard = await self._hear(process)
            while "still" not in heard and "rest" not in heard:
                heard = await self._hear(process)
            if heard.get("still") and world.activity.quiet():
                if not await self._turn(process, rest):
                    return await self._until_ended(process)
            elif heard.get("still"):
                continue
            rest = await self._until_at_rest(process)

    async def _turn(self, process: Process, rest: dict[str, Any]) -> bool:
        """Let time jump to what is due next; False when nothing is, or everybody has ended."""
        beat = START + timedelta(minutes=self.beats[0].minute) if self.beats else None
        turned = self._turning.turn(rest, beat=beat)
        if isinstance(turned, Over):
            process.tell(finish=True)
            return False
        if beat is not None and beat <= self.stage.clock.now():
            await self.beats.pop(0).act(self)
        process.tell(jumped=turned.wakes)
        return True

    async def _until_at_rest(self, process: Process) -> dict[str, Any]:
        while True:
            heard = await self._hear(process)
            if "rest" in heard:
                return heard

    async def _until_ended(self, process: Process) -> dict[str, Any]:
        while True:
            heard = await self._hear(process)
            if "ended" in heard:
                process.tell(read=True)
                return heard

    async def _hear(self, process: Process) -> dict[str, Any]:
        heard = await process.hear()
        match heard:
            case {"failed": why}:
                raise RunError(f"the process failed: {why}")
            case {"decided": True}:
                self._decided = True
            case {"given_up": why}:
                self._why = why
            case {"at": place, "what": What.KILL}:
                self._killed_at.append(place)
                self._expects_death = True
            case {"at": _, "what": What.STOP} if self.story is not None:
                await process.stopped()
                await self.story(self, process)
                process.signal(signal.SIGCONT)
            case {"at": _, "what": What.CUT}:
                await process.stopped()
                await asyncio.to_thread(self.stage.cut_database)
                process.signal(signal.SIGCONT)
            case {"at": _, "what": What.RESTART}:
                await process.stopped()
                await asyncio.to_thread(self.stage.restart_database)
                process.signal(signal.SIGCONT)
            case _:
                pass
        return heard

    def _dot(self, dot: str, fate: str) -> None:
        """Kill the process when the servers have its message and have not said so yet."""
        self._dots.append(dot)
        if fate == "kill" and self._process is not None:
            self._killed_at.append("the server has the message and has not answered")
            self._expects_death = True
            self._process.signal(signal.SIGKILL)
