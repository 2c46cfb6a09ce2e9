"""Who may open a connection now: fair between workspaces, gentle to every server. No I/O and no clock.

Rule 1: so many are inside at once in this process. Who comes when that is full waits in a line of its workspace at its
        server.
Rule 2: workspaces take turns, and within one its servers do. Twenty thousand mailboxes of one workspace, or all those
        of a server that does not answer, delay another's by one turn.
Rule 3: a server is let have few at once at first, one more for each that came about, half for each that failed: after a
        cut everybody comes back as fast as it bears, and no faster.
"""

import asyncio
from collections import deque
from dataclasses import dataclass, field

from relance.core.mailbox import Mailbox

FIRST_ROOM = 8


def server_of(mailbox: Mailbox) -> str:
    """Name the server that a mailbox is read from. Settings are the connector's own; only the host is looked at."""
    return f"{mailbox.provider} {mailbox.settings.get('imap_host', '')}"


@dataclass(slots=True)
class _Server:
    """One server: how many are inside, how many may be, and which workspaces wait for it to have room."""

    room: int
    inside: int = 0
    parked: deque[int] = field(default_factory=deque)


class Ticket:
    """Somebody's being inside, until the first `leave`."""

    __slots__ = ("_admission", "_server")

    def __init__(self, admission: "Admission", server: str) -> None:
        self._admission: Admission | None = admission
        self._server = server

    def leave(self, *, well: bool) -> None:
        """Make room for the next. `well`: the server answered as it should, whatever it said. Twice is once."""
        if self._admission is not None:
            self._admission.left(self._server, well=well)
            self._admission = None


class Admission:
    """Lets in. `first_room`: how many a server is let have at once before it has shown how many it bears."""

    def __init__(self, *, at_once: int, first_room: int = FIRST_ROOM) -> None:
        self._at_once = at_once
        self._first_room = min(first_room, at_once)
        self._free = at_once
        self._servers: dict[str, _Server] = {}
        self._lines: dict[tuple[int, str], deque[asyncio.Future[None]]] = {}
        self._open: dict[int, deque[str]] = {}  #: By workspace: servers where it waits and that may have room.
        self._turn: deque[int] = deque()  #: Workspaces with such a server, each once.

    async def enter(self, workspace_id: int, server: str) -> Ticket:
        """Return when it is this one's turn; the ticket must be given back."""
        line = self._lines.get((workspace_id, server))
        if line is None:
            line = self._lines[workspace_id, server] = deque()
            self._offer(workspace_id, server)
        mine = asyncio.get_running_loop().create_future()
        line.append(mine)
        self._admit()
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():  # let in at the moment of giving up
                self.left(server, well=True)
            raise
        return Ticket(self, server)

    def left(self, server: str, *, well: bool) -> None:
        """Make room. For tickets: whoever was let in gives back what it got."""
        state = self._servers[server]
        state.inside -= 1
        self._free += 1
        state.room = min(state.room + 1, self._at_once) if well else max(state.room // 2, 1)
        for _ in range(min(len(state.parked), state.room - state.inside)):
            self._offer(state.parked.popleft(), server)
        self._admit()

    def _offer(self, workspace_id: int, server: str) -> None:
        """Note that a workspace waits at a server that may have room."""
        mine = self._open.get(workspace_id)
        if mine is None:
            mine = self._open[workspace_id] = deque()
            self._turn.append(workspace_id)
        mine.append(server)

    def _admit(self) -> None:
        """Let in whoever can be, one of each workspace at a time."""
        while self._free and self._turn:
            workspace_id = self._turn.popleft()
            mine = self._open[workspace_id]
            while mine and not self._admit_one(workspace_id, mine):
                pass
            if mine:
                self._turn.append(workspace_id)
            else:
                del self._open[workspace_id]

    def _admit_one(self, workspace_id: int, mine: deque[str]) -> bool:
        """Let in the next of a workspace at its next server; False where nobody waits there or it is full."""
        server = mine.popleft()
        state = self._servers.setdefault(server, _Server(self._first_room))
        if state.inside >= state.room:
            state.parked.append(workspace_id)
            return False
        line = self._lines[workspace_id, server]
        while line and line[0].done():  # gave up
            line.popleft()
        admitted = bool(line)
        if line:
            state.inside += 1
            self._free -= 1
            line.popleft().set_result(None)
        if line:
            mine.append(server)
        else:
            del self._lines[workspace_id, server]
        if not admitted and state.parked:
            self._offer(state.parked.popleft(), server)  # the place is another's then
        return admitted
