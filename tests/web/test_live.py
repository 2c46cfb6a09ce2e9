"""Open pages hear of what moves in their workspace, and of nothing else."""

import asyncio
from typing import Any

from relance.core.events import Event, EventName
from relance.services.records import record
from relance.web.live import Live


async def heard(live: Live, queue: "asyncio.Queue[list[str]]") -> list[str]:
    """Let one pass go by and return what a page heard in it."""
    await live.run_once()
    return queue.get_nowait() if not queue.empty() else []


async def happens(house, workspace_id: int, name: EventName = EventName.REPLY_RECEIVED, **about: Any) -> None:
    """Let something happen."""
    event = Event(workspace_id=workspace_id, at=house.clock.now(), name=name, detail="it happened", **about)
    await house.installation.write(record, event)


async def test_a_page_hears_once_of_what_moved_since_it_was_opened(house):
    """What was there before is on the page already; what was told is not told again."""
    await happens(house, house.workspace.id, lead_id=1)
    live = Live(house.installation, house.installation.log)
    queue: asyncio.Queue[list[str]] = asyncio.Queue()
    await live.attend(house.workspace.id, queue)

    assert await heard(live, queue) == []
    await happens(house, house.workspace.id, lead_id=17, sequence_id=4)
    assert await heard(live, queue) == ["inbox", "lead-17", "leads", "numbers", "sequence-4", "sequences", "today"]
    assert await heard(live, queue) == []


async def test_a_page_hears_nothing_of_another_workspace(house):
    """Not even that something moved."""
    live = Live(house.installation, house.installation.log)
    queue: asyncio.Queue[list[str]] = asyncio.Queue()
    await live.attend(house.workspace.id, queue)
    await happens(house, house.other.id, lead_id=17)

    assert await heard(live, queue) == []


async def test_a_page_hears_less_often_while_much_moves_and_misses_nothing(house):
    """The engine's work goes before its being watched."""
    live = Live(house.installation, house.installation.log)
    queue: asyncio.Queue[list[str]] = asyncio.Queue()
    await live.attend(house.workspace.id, queue)
    told: list[list[str]] = []
    for lead in range(1, 31):
        await happens(house, house.workspace.id, lead_id=lead)
        told.append(await heard(live, queue))
    told.append(await heard(live, queue))

    assert {f"lead-{lead}" for lead in range(1, 31)} <= {topic for each in told for topic in each}
    assert sum(1 for each in told if each) < 10
