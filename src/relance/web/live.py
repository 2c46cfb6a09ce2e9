"""What moved, told to open pages: one reader of the events a process, for however many consoles are open.

Rule 1: nobody listens: nothing is read. Somebody does: one small read a pass for each workspace that is looked at.
Rule 2: an event's number may become visible after a higher one's (two transactions at once): each pass looks back a
        little, and what was told already is not told again.
Rule 3: while much moves, a page is told less often: the engine's work goes before its being watched.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from relance.core.events import EventName
from relance.ports.store import Reader, Store, StoreError
from relance.ports.telemetry import Log

PATIENCE: Final = 1.0  #: Seconds between two passes.
SILENCE: Final = 15.0  #: Seconds after which a page is told that the line is still there.
_LOOK_BACK: Final = 200
_MOST: Final = 500
_REMEMBERED: Final = 2_000
_BUSY: Final = 5  #: Passes in a row with news; from then on a page hears of them every `_SELDOM`th pass only.
_SELDOM: Final = 10
_INBOX: Final = frozenset(
    {
        EventName.REPLY_RECEIVED,
        EventName.AUTO_REPLY_RECEIVED,
        EventName.BOUNCE_RECEIVED,
        EventName.COMPLAINT_RECEIVED,
        EventName.UNSUBSCRIBE_RECEIVED,
        EventName.CHALLENGE_RECEIVED,
        EventName.MANUAL_REPLY_SEEN,
        EventName.CLASS_CORRECTED,
        EventName.NOTE_ADDED,
        EventName.THREAD_ASSIGNED,
        EventName.THREAD_SNOOZED,
        EventName.THREAD_FINISHED,
        EventName.THREAD_REOPENED,
        EventName.THREAD_MARKED,
        EventName.ANSWER_WRITTEN,
        EventName.ANSWER_WITHDRAWN,
        EventName.ANSWER_SENT,
        EventName.ANSWER_TRIED,
        EventName.ANSWER_FAILED,
        EventName.ANSWER_LOST,
        EventName.ANSWER_SETTLED,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """Of an event, what says which pages it concerns."""

    id: int
    name: str
    lead_id: int | None
    mailbox_id: int | None
    sequence_id: int | None
    message_id: int | None


@dataclass(slots=True, kw_only=True)
class _Place:
    """A workspace that somebody looks at."""

    after: int
    told: deque[int] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    pending: set[str] = field(default_factory=set)
    listeners: set["asyncio.Queue[list[str]]"] = field(default_factory=set)
    busy: int = 0  #: Passes in a row that had news.


class Live:
    """Reads for everybody who listens."""

    def __init__(self, store: Store, log: Log) -> None:
        self._store = store
        self._log = log
        self._places: dict[int, _Place] = {}
        self._task: asyncio.Task[None] | None = None

    async def listen(self, workspace_id: int) -> AsyncGenerator[list[str]]:
        """Yield the topics that moved, again and again; nothing at all after every silence."""
        heard: asyncio.Queue[list[str]] = asyncio.Queue(maxsize=16)
        place = await self.attend(workspace_id, heard)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="live")
        try:
            while True:
                try:
                    yield await asyncio.wait_for(heard.get(), SILENCE)
                except TimeoutError:
                    yield []
        finally:
            place.listeners.discard(heard)
            if not place.listeners and self._places.get(workspace_id) is place:
                del self._places[workspace_id]

    async def attend(self, workspace_id: int, heard: "asyncio.Queue[list[str]]") -> _Place:
        """Let a listener hear of what happens in a workspace from now on."""
        if workspace_id not in self._places:
            last, known = await self._store.read(_known, workspace_id)
            self._places.setdefault(workspace_id, _Place(after=last, told=deque(known, maxlen=_REMEMBERED)))
        place = self._places[workspace_id]
        place.listeners.add(heard)
        return place

    async def run_once(self) -> int:
        """Do one pass and return how many events were new."""
        found = 0
        for workspace_id, place in list(self._places.items()):
            events = await self._store.read(_since, workspace_id, place.after - _LOOK_BACK)
            news = [event for event in events if event.id not in place.told]
            place.told.extend(event.id for event in news)
            place.after = max([place.after, *(event.id for event in news)])
            place.pending.update(topics_of(news))
            place.busy = place.busy + 1 if news else 0
            if place.pending and (place.busy < _BUSY or place.busy % _SELDOM == 0):
                self._tell(place)
            found += len(news)
        return found

    @staticmethod
    def _tell(place: _Place) -> None:
        topics = sorted(place.pending)
        place.pending.clear()
        for heard in place.listeners:
            with suppress(asyncio.QueueFull):  # it has enough to do with what it was told
                heard.put_nowait(topics)

    async def _run(self) -> None:
        while self._places:
            try:
                await self.run_once()
            except StoreError as error:
                self._log.warning("live.not_read", error=str(error), next="it is tried again")
            await asyncio.sleep(PATIENCE)


def topics_of(events: Iterable[Happened]) -> set[str]:
    """Return which topics pages may wait for some events concern."""
    found: set[str] = set()
    for event in events:
        found |= {"today", "numbers"}
        if event.name in _INBOX or event.message_id is not None:
            found.add("inbox")
        for name, value in (("lead", event.lead_id), ("mailbox", event.mailbox_id), ("sequence", event.sequence_id)):
            if value is not None:
                found |= {f"{name}-{value}", f"{name}es" if name == "mailbox" else f"{name}s"}
    return found


def _known(reader: Reader, workspace_id: int) -> tuple[int, list[int]]:
    """Return the newest event's number, and those of the ones close behind it."""
    last = reader.one(int, "events.last_id", workspace_id=workspace_id) or 0
    return last, [event.id for event in _since(reader, workspace_id, last - _LOOK_BACK)]


def _since(reader: Reader, workspace_id: int, after: int) -> list[Happened]:
    return reader.all(Happened, "events.since", workspace_id=workspace_id, after=after, limit=_MOST)
