"""Keeps loops running: starts again what fails, with back-off, and knows how each one does."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from relance.core import backoff
from relance.engine.loop import Loop
from relance.ports.clock import Monotonic
from relance.ports.telemetry import Log

#: Seconds that a loop must run for its earlier failures to be forgotten.
_FORGIVEN = 60.0
#: Seconds for which a failure is shown: longer than the longest wait before a loop is started again.
_SHOWN = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How one loop does."""

    loop: str
    running: bool
    restarts: int
    last_error: str | None
    failing: bool = False  #: It failed a moment ago.


class Supervisor:
    """Runs loops as tasks of this process."""

    def __init__(self, loops: Iterable[Loop], monotonic: Monotonic, log: Log) -> None:
        self._loops = tuple(loops)
        self._monotonic = monotonic
        self._log = log
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._restarts = {loop.name: 0 for loop in self._loops}
        self._errors: dict[str, str] = {}
        self._failed_at: dict[str, float] = {}

    def start(self) -> None:
        """Start every loop."""
        for loop in self._loops:
            self._tasks[loop.name] = asyncio.create_task(self._keep(loop), name=loop.name)

    async def _keep(self, loop: Loop) -> None:
        failures = 0
        while True:
            began = self._monotonic.seconds()
            try:
                await loop.run()
            except Exception as error:  # noqa: BLE001  # whatever ends a loop, the others go on and it comes back
                self._errors[loop.name] = repr(error)
                self._failed_at[loop.name] = self._monotonic.seconds()
                self._log.error("loop.failed", loop=loop.name, error=repr(error))
            failures = 1 if self._monotonic.seconds() - began > _FORGIVEN else failures + 1
            self._restarts[loop.name] += 1
            await self._monotonic.sleep(backoff.reconnect(failures).total_seconds())

    def health(self) -> list[Health]:
        """Return how every loop does."""
        now = self._monotonic.seconds()
        return [
            Health(
                loop=loop.name,
                running=loop.name in self._tasks and not self._tasks[loop.name].done(),
                restarts=self._restarts[loop.name],
                last_error=self._errors.get(loop.name),
                failing=now - self._failed_at.get(loop.name, -_SHOWN) < _SHOWN,
            )
            for loop in self._loops
        ]

    async def stop(self) -> None:
        """End every loop; a pass that is writing finishes its write."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
