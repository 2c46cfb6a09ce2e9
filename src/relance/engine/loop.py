"""A loop is a pass plus patience: it runs passes while they move something, then waits to be woken or for a while.

Rule 1: a wake-up that comes during a pass leads to another pass; none is lost.
Rule 2: a loop is idle only between a pass that moved nothing and the next wake-up; virtual time looks at that.
"""

import asyncio
from collections.abc import Awaitable, Callable


class Loop:
    """Runs `run_once` again and again. `patience` is in real seconds: the longest time without looking."""

    def __init__(self, name: str, run_once: Callable[[], Awaitable[int]], *, patience: float) -> None:
        self.name = name
        self._run_once = run_once
        self._patience = patience
        self._woken = asyncio.Event()
        self._woken.set()
        self._busy = False
        self.on_moved: Callable[[], None] = lambda: None
        self.on_idle: Callable[[], None] = lambda: None
        self.passes = 0

    def wake(self) -> None:
        """Ask for a pass as soon as possible."""
        self._woken.set()

    @property
    def idle(self) -> bool:
        """Whether the last pass moved nothing and nobody has asked for another."""
        return not self._busy and not self._woken.is_set()

    async def run(self) -> None:
        """Run until cancelled; an exception of a pass ends it, and the supervisor starts it again."""
        self._woken.set()
        while True:
            await self._rest()
            self._woken.clear()
            self._busy = True
            try:
                moved = await self._run_once()
            finally:
                self._busy = False
            self.passes += 1
            if moved:
                self._woken.set()
                self.on_moved()
            elif self.idle:
                self.on_idle()

    async def _rest(self) -> None:
        try:
            async with asyncio.timeout(self._patience):
                await self._woken.wait()
        except TimeoutError:
            return
