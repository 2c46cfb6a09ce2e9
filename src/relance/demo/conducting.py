"""A demo that people look at: time goes on at a speed that they choose, stands still, or jumps to where they want it.

Time passes as in a demo without them, from event to event and only when everything is at rest; so whatever they see has
happened in the order in which it would have.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from relance.app.running import running_engine
from relance.demo.preparing import Demo
from relance.demo.turning import at_rest
from relance.engine.engine import Engine
from relance.engine.surroundings import Limits

#: Real seconds between two looks at how far time may go.
_TICK = 0.2
#: Real seconds without coming to rest after which time goes on all the same: somebody is at work in the console.
_PATIENCE = 5.0
USUAL_SPEED = 600.0


class Conductor:
    """Says how far time may go; the console's buttons and the demo's loop share it."""

    def __init__(self, now: Callable[[], datetime], *, until: datetime | None = None) -> None:
        self._now = now
        self._speed = USUAL_SPEED
        self._playing = True
        self._jump: datetime | None = until
        self._last: float | None = None
        self.changed = asyncio.Event()

    @property
    def playing(self) -> bool:
        """Whether time goes on by itself."""
        return self._playing

    @property
    def speed(self) -> float:
        """Virtual seconds in a real one."""
        return self._speed

    @property
    def jumping_to(self) -> datetime | None:
        """Where time is on its way to, as fast as the engine can follow; None: nowhere."""
        return self._jump

    def play(self, speed: float) -> None:
        """Let time go on."""
        self._playing, self._speed = True, speed
        self.changed.set()

    def pause(self) -> None:
        """Let time stand still; a jump ends where it is."""
        self._playing, self._jump = False, None
        self.changed.set()

    def jump(self, to: datetime) -> None:
        """Go to an instant at once; time goes on from there, or stands still as before."""
        self._jump = max(to, self._now())
        self.changed.set()

    def reaches(self, real_seconds: float) -> datetime:
        """Return how far time may go by now; `real_seconds` is a stopwatch's."""
        now, before = self._now(), self._last
        self._last = real_seconds
        if self._jump is not None:
            if self._jump > now:
                return self._jump
            self._jump = None
            self.changed.set()
        if not self._playing or before is None:
            return now
        # What the engine needed longer for is not made up: time never runs away from it.
        return now + timedelta(seconds=min(real_seconds - before, 5 * _TICK) * self._speed)


async def conduct(demo: Demo, conductor: Conductor) -> None:
    """Run the engine over the demo's world until cancelled."""
    seconds = demo.installation.monotonic.seconds
    async with running_engine(demo.installation, limits=Limits()) as engine:
        while True:
            await _rest(demo, engine)
            reached = conductor.reaches(seconds())
            times = [at for at in (await engine.next_event(), demo.world.next_event()) if at is not None]
            upcoming = min(times, default=reached)
            if upcoming <= reached:
                _go(demo, engine, upcoming)
            if upcoming >= reached:
                _go(demo, engine, reached)
                conductor.changed.clear()
                try:
                    async with asyncio.timeout(_TICK):
                        await conductor.changed.wait()
                except TimeoutError:
                    pass


async def _rest(demo: Demo, engine: Engine) -> None:
    try:
        async with asyncio.timeout(_PATIENCE):
            await at_rest(demo, engine)
    except TimeoutError:
        pass


def _go(demo: Demo, engine: Engine, to: datetime) -> None:
    now = demo.clock.now()
    demo.clock.jump(max(now, to))
    demo.world.run_due(demo.clock.now())
    if demo.clock.now() > now:
        engine.time_has_jumped()
