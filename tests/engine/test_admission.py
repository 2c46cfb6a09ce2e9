"""Who may open a connection: fair between workspaces and servers, and as fast as a server bears."""

import asyncio
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from relance.core.splitting import uniform
from relance.engine.admission import FIRST_ROOM, Admission

BIG, SMALL = 1, 2


class Door:
    """Opens connections through an admission, and remembers in which order, and how many at once."""

    def __init__(self, at_once: int) -> None:
        self.admission = Admission(at_once=at_once)
        self.entered: list[tuple[int, str]] = []
        self.inside: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.most_in_all = 0

    async def open(self, workspace: int, server: str, *, well: bool = True, turns: int = 1) -> None:
        """Come in, stay for some turns of the loop, and leave."""
        ticket = await self.admission.enter(workspace, server)
        self.entered.append((workspace, server))
        self.inside[server] += 1
        self.most[server] = max(self.most[server], self.inside[server])
        self.most_in_all = max(self.most_in_all, self.inside.total())
        try:
            for _ in range(turns):
                await asyncio.sleep(0)
        finally:
            self.inside[server] -= 1
            ticket.leave(well=well)


async def test_one_workspaces_twenty_thousand_mailboxes_do_not_starve_anothers():
    """They came first, and the other's ten are through after twice as many all the same."""
    door = Door(at_once=4)
    crowd = [asyncio.ensure_future(door.open(BIG, "gmail")) for _ in range(20_000)]
    await asyncio.sleep(0)
    await asyncio.gather(*(door.open(SMALL, "gmail") for _ in range(10)))
    before = door.entered.index((SMALL, "gmail"))
    through = len(door.entered)
    await asyncio.gather(*crowd)

    assert through - before <= 2 * 10 + FIRST_ROOM
    assert 20_010 == len(door.entered)


async def test_a_server_that_hangs_delays_nobody_elsewhere():
    """Its own mailboxes wait for it; the places that it does not get are others'."""
    door = Door(at_once=FIRST_ROOM + 2)
    hanging = [asyncio.ensure_future(door.open(BIG, "dead.example", turns=10**6)) for _ in range(1000)]
    await asyncio.sleep(0)
    await asyncio.gather(*(door.open(BIG, "well.example") for _ in range(100)))
    for one in hanging:
        one.cancel()
    await asyncio.gather(*hanging, return_exceptions=True)

    assert FIRST_ROOM == door.most["dead.example"]
    assert 100 == door.entered.count((BIG, "well.example"))


async def test_a_server_that_bears_it_is_let_have_ever_more_at_once():
    """After a cut ten thousand come back; the longer the server is well, the faster."""
    door = Door(at_once=100)
    await asyncio.gather(*(door.open(BIG, "gmail", turns=3) for _ in range(10_000)))

    assert 100 == door.most["gmail"]


async def test_a_server_that_fails_is_let_have_one_at_a_time():
    """Half for every failure: a storm dies down by itself."""
    door = Door(at_once=100)
    await asyncio.gather(*(door.open(BIG, "ill.example", well=False, turns=3) for _ in range(200)))
    door.most.clear()
    await asyncio.gather(*(door.open(BIG, "ill.example", well=False, turns=3) for _ in range(50)))

    assert 1 == door.most["ill.example"]


async def test_who_gives_up_while_waiting_keeps_nobody_else_waiting():
    """A mailbox that is removed, an engine that drains: cancelled before its turn, at it, and after it."""
    door = Door(at_once=1)
    waiting = [asyncio.ensure_future(door.open(BIG, "gmail")) for _ in range(30)]
    await asyncio.sleep(0)
    for one in waiting[::2]:
        one.cancel()
    done = await asyncio.gather(*waiting, return_exceptions=True)

    assert 15 == sum(one is None for one in done)
    await asyncio.wait_for(door.open(SMALL, "gmail"), 5)


@given(seed=st.integers(0, 10**6), at_once=st.integers(1, 12), count=st.integers(1, 120))
def test_everybody_is_let_in_once_and_never_more_than_may_be_at_once(seed: int, at_once: int, count: int):
    """Whatever comes from wherever, fails or gives up."""

    def draw(what: str, number: int, below: int) -> int:
        return int(uniform(f"{seed} {number}", what) * below)

    async def run() -> Door:
        door = Door(at_once=at_once)
        tasks = []
        for number in range(count):
            coming = door.open(
                draw("workspace", number, 4),
                f"server {draw('server', number, 5)}",
                well=draw("well", number, 3) > 0,
                turns=draw("turns", number, 4),
            )
            tasks.append(asyncio.ensure_future(coming))
            if draw("pause", number, 3) == 0:
                await asyncio.sleep(0)
            if draw("gives up", number, 6) == 0:
                tasks[draw("who", number, len(tasks))].cancel()
        cancelled = sum(isinstance(one, BaseException) for one in await asyncio.gather(*tasks, return_exceptions=True))
        assert count - cancelled <= len(door.entered)
        return door

    door = asyncio.run(run())

    assert door.most_in_all <= at_once
