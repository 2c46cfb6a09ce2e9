"""Turning time: from one thing that is due anywhere to the next, until nothing is or everybody has ended.

It is asked only when every process and every server is at rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from crash.plan import Plan
from crash.scenario import ENDS
from crash.stage import Stage
from relance.core.defaults import AMBIGUITY_GRACE, LOOK_MOST
from relance.engine.dispatcher import LOCK_TIME

_STANDSTILL = 200  #: Jumps in a row that do not move the clock.
#: Nothing happens for so long, and whoever is left waits on an outcome that is unknown: by then the grace is over, and
#: all looks have been taken (`LOOK_MOST` apart in the end).
_WAIT = AMBIGUITY_GRACE + 2 * LOOK_MOST
#: Time passes though nothing says until when: a claim whose COMMIT was not heard is let go when its lock is over.
_PASS = LOCK_TIME + timedelta(seconds=1)
_PASSES = 3  #: In a row.
_SPURIOUS = 3  #: Wakes instead of one.


class RunError(Exception):
    """The run itself went wrong; the message says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """Time has jumped, or everything is looked at once more; wake every loop so many times."""

    wakes: int = 1


@dataclass(frozen=True, slots=True)
class Over:
    """Nothing will happen any more."""


@dataclass(slots=True, kw_only=True)
class Turning:
    """The turns of one run."""

    stage: Stage
    plan: Plan
    jumps: int = 0
    _stood: int = 0
    _seen: int = 0  #: Entries of the servers' log, when last looked at.
    _since: datetime | None = None  #: It is waited only for an outcome.
    _passed: int = 0
    _ending: bool = False

    def turn(self, rest: Mapping[str, Any], *, beat: datetime | None = None) -> Turned | Over:
        """Let time jump to what is due next: by what the product says at `rest`, in the world, or at a story's beat.

        Raises RunError when it would have to stand still for ever.
        """
        clock, world = self.stage.clock, self.stage.world
        times = [at for at in (self._by_world(rest["rest"]), world.next_event(), beat) if at is not None]
        left = rest["unfinished"]
        if left > rest["unknown"] or rest["resting"] or len(world.journal) != self._seen:
            self._seen, self._since = len(world.journal), None
        self._since = self._since or clock.now()
        over = world.next_event() is None and beat is None and (left == 0 or clock.now() > self._since + _WAIT)
        nothing = not times or min(times) > ENDS
        if over or (nothing and self._passed == _PASSES):
            if self._ending:
                return Over()
            self._ending = True
            return Turned()  # what is only looked at every few real seconds, such as opt-outs to journal
        self._ending = False
        self._passed = self._passed + 1 if nothing else 0
        to = clock.now() + _PASS if nothing else max(clock.now(), min(times))
        self._stood = self._stood + 1 if to == clock.now() else 0
        if self._stood > _STANDSTILL:
            raise RunError(f"time stands still at {to}: {rest}")
        self._jump(to)
        return Turned(wakes=_SPURIOUS if self.jumps in self.plan.spurious_wakes else 1)

    def _jump(self, to: datetime) -> None:
        clock, world = self.stage.clock, self.stage.world
        self.jumps += 1
        if self.jumps in self.plan.clock_jumps:
            clock.set_host(timedelta(minutes=self.plan.clock_jumps[self.jumps]))
        was_down = world.faults.is_down()
        clock.jump(to)
        world.hang_up()
        if world.faults.is_down() and not was_down:
            world.cut_reading()
        world.people.run_due(to)

    def _by_world(self, at: str | None) -> datetime | None:
        """Return an instant of the product's host by the world's clock."""
        return None if at is None else datetime.fromisoformat(at) - self.stage.clock.ahead
