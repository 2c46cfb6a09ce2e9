"""Being told of new mail in INBOX: IDLE (RFC 2177) where the server has it, NOOP where it has not.

Rule 1: `on_change` is called before anything is sent to the server, so nobody can think the mailbox quiet meanwhile.
Rule 2: IDLE is renewed in time, and the answer to DONE proves that the socket is alive: silence ends in an error.
"""

import asyncio
from collections.abc import Callable

from relance.connectors.smtp_imap.errors import LostError, RefusedError
from relance.connectors.smtp_imap.imap_parser import Condition, Event, Exists, Tagged
from relance.connectors.smtp_imap.imap_session import ImapSession
from relance.connectors.smtp_imap.settings import Settings
from relance.ports.clock import Monotonic
from relance.ports.connector import ReadingFailedError


async def watch_inbox(
    session: ImapSession, on_change: Callable[[], None], *, settings: Settings, monotonic: Monotonic
) -> None:
    """Hold the notification; returns only by raising LostError, RefusedError or ReadingFailedError."""
    known = await session.examine(b"INBOX", shown="INBOX")
    bell = Bell(on_change, known.exists)
    tag = await session.start_idle(bell.hear) if "IDLE" in session.capabilities else None
    on_change()  # what came before anybody listened
    while tag is not None:
        await _idle(session, tag, bell, settings.idle_renew_seconds, monotonic)
        tag = await session.start_idle(bell.hear)
    while True:
        await monotonic.sleep(settings.poll_seconds)
        for event in await session.noop():
            bell.hear(event)


class Bell:
    """Rings for every hint of new mail: the number of messages did not fall."""

    def __init__(self, on_change: Callable[[], None], count: int) -> None:
        self._on_change = on_change
        self._count = count

    def hear(self, event: Event) -> None:
        """Ring if `event` is a hint. A count that fell is the owner tidying up."""
        if isinstance(event, Exists):
            rings = event.count >= self._count
            self._count = event.count
            if rings:
                self._on_change()


async def _idle(session: ImapSession, tag: str, bell: Bell, seconds: float, monotonic: Monotonic) -> None:
    """Listen until it is time to renew, then end this IDLE. Raises LostError, ReadingFailedError."""
    renewal = asyncio.ensure_future(monotonic.sleep(seconds))
    renewal.add_done_callback(lambda _: session.wire.wake())  # one task a watcher, not three: there may be 100,000
    try:
        while not renewal.done():
            event = session.waiting_event()
            if event is None:
                await _wait_for_bytes(session)
                continue
            bell.hear(event)
            _raise_if_over(session, event, tag)
    finally:
        renewal.cancel()
    await session.end_idle(tag, bell.hear)


async def _wait_for_bytes(session: ImapSession) -> None:
    """Wait for bytes, or to be woken because it is time to renew."""
    if session.wire.lost is not None:
        raise LostError(f"{session.wire.endpoint}: {session.farewell or session.wire.lost}")
    await session.wire.wait_readable()


def _raise_if_over(session: ImapSession, event: Event, tag: str) -> None:
    match event:
        case Condition(kind="BYE", text=text):
            raise LostError(f"{session.wire.endpoint} closed the connection: {text}")
        case Tagged(tag=ended, kind=kind, code=code, text=text) if ended == tag:
            if kind != "OK":
                raise RefusedError("keep us informed", kind=kind, code=code, text=text)
            raise ReadingFailedError(f"{session.wire.endpoint} ended IDLE by itself")
        case _:
            pass
