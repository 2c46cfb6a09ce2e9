"""Showing a demo in the browser: the console over its world, an owner who is logged in by a link, and the clock."""

import asyncio
import signal
from collections.abc import Callable
from datetime import timedelta

from relance.app.reaching import real_now
from relance.app.serving import AddressTakenError, serving, take_address
from relance.config import DEFAULT_BIND
from relance.core.people import Role
from relance.demo.conducting import Conductor, conduct
from relance.demo.preparing import START, Demo
from relance.ports.store import Transaction
from relance.services import sessions, users
from relance.web.security.tokens import new_token
from relance.web.surroundings import Shown

OWNER = "you@demo.example"
NOBODY_HAS_IT = "none"  #: No argon2 ends up as this: the owner comes in by the link alone.
#: By then the first answers are in, which a newcomer should find there.
OPENS_AT = START + timedelta(days=2, hours=4)


async def show(demo: Demo, *, bind: str | None, say: Callable[[str], None]) -> None:
    """Serve until a signal. Raises AddressTakenError for an address that was asked for and is taken."""
    try:
        taken = take_address(bind or DEFAULT_BIND)
    except AddressTakenError:
        if bind is not None:
            raise
        taken = take_address(f"{DEFAULT_BIND.rpartition(':')[0]}:0")
    host, port = taken.getsockname()[:2]
    base_url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    conductor = Conductor(demo.clock.now, until=OPENS_AT)
    entry, session = new_token(), new_token()
    await demo.installation.write(_let_owner_in, demo, session.digest)
    shown = Shown(control=conductor, entry=entry.digest, session=session.text)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        async with serving(demo.installation, taken, base_url=base_url, shown=shown):
            say(f"the demo is at {base_url}/demo/{entry.text}")
            await _until(stop, demo, conductor)
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


async def _until(stop: asyncio.Event, demo: Demo, conductor: Conductor) -> None:
    """Conduct until somebody wants to stop, or it ends by itself, which is an error."""
    conducting = asyncio.create_task(conduct(demo, conductor), name="conductor")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    await asyncio.wait({conducting, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not conducting.done():
        conducting.cancel()
    ended = (await asyncio.gather(conducting, return_exceptions=True))[0]
    if isinstance(ended, Exception):
        raise ended


def _let_owner_in(tx: Transaction, demo: Demo, digest: bytes) -> None:
    now = real_now()
    owner = users.add(tx, email=OWNER, name="You", password_hash=NOBODY_HAS_IT, now=now)
    users.let_in(tx, demo.workspace, owner, Role.OWNER, by="the demo", may=Role.OWNER, now=now)
    sessions.begin(tx, owner, digest=digest, now=now)
