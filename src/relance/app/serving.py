"""The web over an opened installation: what it is handed, and a server in our own loop beside the engine.

Rule 1: the address is taken before the engine starts, so that a port in use is said at once.
Rule 2: a server that fails or hangs holds up neither the engine nor its end.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial

import uvicorn

from relance.app.clocks import SystemClock
from relance.app.connecting import ConnectingHands
from relance.app.examining import examine
from relance.app.foreseeing import Foreseer
from relance.app.installation import Installation
from relance.app.reaching import reached_at, real_now
from relance.app.trial_mails import send_test
from relance.config import DEFAULT_BIND
from relance.ports.clock import Clock
from relance.ports.store import StoreUnavailableError
from relance.services import sessions, users
from relance.web import importing
from relance.web.security.tokens import new_token
from relance.web.server import application
from relance.web.surroundings import Hands, Shown, Surroundings

_GRACE = 2  #: Real seconds that open answers get when the server ends.
_BACKLOG = 1024


def surroundings(
    installation: Installation, *, base_url: str, real: Clock | None = None, shown: Shown | None = None
) -> Surroundings:
    """Return what the web works with; `real` tells the machine's time, `shown` is a demo."""
    return Surroundings(
        store=installation,
        vault=installation.vault,
        keys=installation.keys,
        clock=installation.clock,
        real=real or SystemClock(),
        log=installation.log,
        base_url=base_url,
        shown=shown,
        hands=Hands(
            journal_erasure=lambda workspace, email, at: installation.journal_erasure(workspace, email, at=at),
            mailboxes=ConnectingHands(installation),
            uploads=installation.config.data / "uploads",
            examine=lambda workspace, records: examine(installation, workspace, records=records),
            send_test=partial(send_test, installation),
            foresee=Foreseer(installation),
        ),
    )


def take_address(bind: str) -> socket.socket:
    """Listen on HOST:PORT. Raises StoreUnavailableError where that is impossible."""
    host, _, port = bind.rpartition(":")
    bare = host.strip("[]")
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    taken = socket.socket(family, socket.SOCK_STREAM)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((bare, int(port)))
        taken.listen(_BACKLOG)
    except OSError as error:
        taken.close()
        raise AddressTakenError(
            f"The console cannot listen on {bind} ({error.strerror}): give another --bind, or --no-web"
        ) from error
    taken.settimeout(0)
    return taken


class AddressTakenError(StoreUnavailableError):
    """Somebody else listens there, or it is no address of this machine."""


class _Server(uvicorn.Server):
    """A server that leaves signals to us."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take none: the engine drains first."""
        yield


@asynccontextmanager
async def serving(
    installation: Installation, taken: socket.socket, *, base_url: str, shown: Shown | None = None
) -> AsyncIterator[None]:
    """Serve the web until the block is left."""
    config = uvicorn.Config(
        application(surroundings(installation, base_url=base_url, shown=shown)),
        log_config=None,
        access_log=False,  # paths hold tokens
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=_GRACE,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[taken]), name="web")
    task.add_done_callback(lambda done: _say(installation, done))
    try:
        yield
    finally:
        server.should_exit = True
        await asyncio.wait([task])
        await importing.stop()


def _say(installation: Installation, done: "asyncio.Task[None]") -> None:
    error = None if done.cancelled() else done.exception()
    if error is not None:
        installation.log.error("web.ended", error=str(error), next="the engine goes on; start again for the console")


@asynccontextmanager
async def console(installation: Installation, *, say: Callable[[str], None]) -> AsyncIterator[None]:
    """Serve the web where the settings want it, and tell a person where; the first one gets a link.

    An address that is taken and that nobody asked for is only told. Raises AddressTakenError for one that was.
    """
    config, base_url = installation.config, reached_at(installation)
    bind = config.bind or DEFAULT_BIND
    try:
        taken = take_address(bind)
    except AddressTakenError as error:
        if config.bind is not None:
            raise
        say(f"there is no console: {error}")
        yield
        return
    async with serving(installation, taken, base_url=base_url):
        say(f"the console is at {base_url}")
        if link := await _first_link(installation, base_url=base_url):
            say(f"nobody can log in yet; whoever opens this link first becomes the owner: {link}")
        yield


async def _first_link(installation: Installation, *, base_url: str) -> str | None:
    """Return a link by which the first owner comes in, while nobody can log in; else None."""
    if not await installation.read(users.nobody_yet):
        return None
    token = new_token()
    await installation.write(sessions.add_link, None, digest=token.digest, now=real_now())
    return f"{base_url}/welcome/{token.text}"
