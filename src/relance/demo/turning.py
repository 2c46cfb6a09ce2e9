"""Turning time: the clock jumps to the next event, and only when the engine and every server are at rest.

Nothing else is replaced: the engine, its store, connectors and parsers are those of production.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from relance.app.running import running_engine
from relance.demo.preparing import Demo
from relance.engine.engine import Engine
from relance.engine.surroundings import Limits
from relance.services import scheduling

#: Turns of the event loop in which something just written to a socket arrives at the other end in this process.
_TURNS = 3
#: Real seconds without coming to rest after which something is wrong; no command of the demo's servers takes so long.
_REST_LIMIT = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """How a demo stands between two jumps."""

    now: datetime
    standing: scheduling.Standing
    jumps: int


class Audience(Protocol):
    """Who watches the demo."""

    def wants_to_see(self) -> bool:
        """Whether the last picture is old enough for another."""
        ...

    def show(self, moment: Moment) -> None:
        """Draw how the demo stands."""
        ...


async def turn(demo: Demo, audience: Audience) -> Moment:
    """Run until every enrollment has ended, or the demo's last day; return the last moment."""
    read = demo.installation.read
    async with running_engine(demo.installation, limits=Limits()) as engine:
        jumps = 0
        while True:
            async with asyncio.timeout(_REST_LIMIT):
                await at_rest(demo, engine)
            now = demo.clock.now()
            upcoming = [at for at in (await engine.next_event(), demo.world.next_event()) if at is not None]
            over = not upcoming or min(upcoming) > demo.ends_at or not await read(scheduling.is_anybody_walking)
            if over or audience.wants_to_see():
                moment = Moment(now=now, standing=await read(scheduling.standing, now=now), jumps=jumps)
                audience.show(moment)
                if over and (moment.standing.unfinished == 0 or not upcoming or min(upcoming) > demo.ends_at):
                    return moment
            demo.clock.jump(max(now, min(upcoming)))
            demo.world.run_due(demo.clock.now())
            engine.time_has_jumped()
            jumps += 1


async def at_rest(demo: Demo, engine: Engine) -> None:
    """Return when every loop is idle and no server has an open command or a push that nobody has taken."""
    while True:
        await engine.settle()
        await demo.world.until_quiet()
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        if engine.idle and demo.world.quiet():
            return
