"""Whether the sandbox's servers are at rest, which is when the clock may jump.

Rule 1: a command is open from its first byte until its answer is written; so is a connection until its greeting is.
Rule 2: a push (EXISTS during IDLE) is open until its connection says anything, until another connection of the same
mailbox reads that folder, or until the connection is gone.
"""

import asyncio


class Activity:
    """Counts what is open in all servers of a world."""

    def __init__(self) -> None:
        self._commands: set[object] = set()
        self._pushes: dict[object, object] = {}
        self.changed = asyncio.Event()
        """Set whenever `quiet()` may have changed; who waits clears it before looking."""

    def quiet(self) -> bool:
        """Say whether no command is open and no push unconsumed."""
        return not self._commands and not self._pushes

    async def until_quiet(self) -> None:
        """Wait until `quiet()` holds."""
        while not self.quiet():
            self.changed.clear()
            await self.changed.wait()

    def opened(self, connection: object) -> None:
        """Note that the connection's client has begun to say something, which consumes its pushes as well."""
        self._pushes.pop(connection, None)
        self._commands.add(connection)

    def answered(self, connection: object) -> None:
        """Note that the connection has been told everything it asked for."""
        self._commands.discard(connection)
        self.changed.set()

    def pushed(self, connection: object, folder: object) -> None:
        """Note news of the folder that the connection has been sent without asking."""
        self._pushes[connection] = folder

    def read(self, folder: object) -> None:
        """Note that somebody reads the folder: pushes about it have served their purpose."""
        for connection in [each for each, pushed in self._pushes.items() if pushed is folder]:
            del self._pushes[connection]
        self.changed.set()

    def gone(self, connection: object) -> None:
        """Forget a connection that has ended."""
        self._commands.discard(connection)
        self._pushes.pop(connection, None)
        self.changed.set()
