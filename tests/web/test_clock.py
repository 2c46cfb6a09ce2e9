"""The clock of a demo in the browser; where time is real there is no such thing."""

import asyncio
from datetime import timedelta

import pytest

from relance.app.serving import surroundings
from relance.demo.conducting import Conductor, conduct
from relance.demo.preparing import START, Wanted, prepare
from relance.sandbox import verdict
from relance.testing.fake_clock import FakeClock
from relance.web.security.tokens import new_token
from relance.web.server import application
from relance.web.surroundings import Shown
from web.house import BASE_URL, House


@pytest.fixture
def conductor(house: House) -> Conductor:
    """Return what the house's clock obeys; the house is shown as a demo from now on."""
    return Conductor(house.clock.now)


def shown(house: House, conductor: Conductor) -> tuple[House, str]:
    """Return the house as a demo shows it, and the link that lets in."""
    entry = new_token()
    demo = Shown(control=conductor, entry=entry.digest, session=house.sessions["owner"])
    around = surroundings(house.installation, base_url=BASE_URL, real=house.real, shown=demo)
    return house.with_app(application(around)), f"/demo/{entry.text}"


async def test_real_time_has_no_buttons(house: House):
    """And the link of a demo leads nowhere."""
    async with house.browser("owner") as browser:
        answers = [
            await browser.get(house.path("clock")),
            await browser.post(house.path("clock"), data={"action": "day"}),
            await browser.get("/demo/anything"),
        ]
        page = await browser.get(house.path("stuck"))

    assert [404, 404, 404] == [answer.status_code for answer in answers]
    assert 'id="clock"' not in page.text


async def test_the_link_of_a_demo_lets_in_as_often_as_it_is_opened(house: House, conductor: Conductor):
    """Nothing in it belongs to anybody."""
    demo, link = shown(house, conductor)
    for _ in range(2):
        async with demo.stranger() as browser:
            await browser.get(link)
            page = await browser.get(house.path("stuck"))

        assert 'id="clock"' in page.text


async def test_buttons_pause_play_and_jump(house: House, conductor: Conductor):
    """And lead back to where they were pressed, never elsewhere."""
    demo, _ = shown(house, conductor)
    async with demo.browser("member") as browser:

        async def press(action: str, back: str = "/w/acme/stuck") -> str:
            answer = await browser.post(house.path("clock"), data={"action": action, "back": back})
            return str(answer.headers.get("location", answer.status_code))

        went = [await press("pause"), await press("day", "https://evil.example/w/acme/"), await press("sideways")]
        paused = conductor.playing
        await press("3600")

    assert ["/w/acme/stuck", "/w/acme/today", "422"] == went
    assert (False, True, 3600.0) == (paused, conductor.playing, conductor.speed)
    assert house.clock.now() + timedelta(days=1) == conductor.jumping_to


def test_time_goes_as_fast_as_it_is_told_and_never_runs_away():
    """What the engine needed longer for is not made up."""
    clock = FakeClock()
    conductor = Conductor(clock.now)
    conductor.reaches(0.0)
    conductor.play(60)

    assert clock.now() + timedelta(seconds=30) == conductor.reaches(0.5)
    assert clock.now() + timedelta(seconds=60) == conductor.reaches(100.0)
    conductor.pause()
    assert clock.now() == conductor.reaches(101.0)


def test_a_jump_ends_where_it_was_to_go():
    """Then time goes on, or stands still, as before."""
    clock = FakeClock()
    conductor = Conductor(clock.now)
    conductor.pause()
    conductor.jump(clock.now() + timedelta(days=1))
    target = conductor.reaches(0.0)
    clock.jump(target)

    assert clock.now() == conductor.reaches(1.0)
    assert conductor.jumping_to is None


@pytest.mark.demo
async def test_what_happens_on_the_way_happens(tmp_path):
    """Two days of the demo's world, in the order in which they would have passed: nobody is written to twice."""
    demo = await prepare(Wanted(leads=6, directory=tmp_path))
    conductor = Conductor(demo.clock.now, until=START + timedelta(days=2))
    conducting = asyncio.create_task(conduct(demo, conductor))
    while conductor.jumping_to is not None:
        conductor.changed.clear()
        await asyncio.wait({conducting, asyncio.create_task(conductor.changed.wait())}, return_when="FIRST_COMPLETED")
        assert not conducting.done(), conducting.exception()
    conducting.cancel()
    await asyncio.gather(conducting, return_exceptions=True)
    totals = verdict.totals(demo.world.journal)
    await demo.close()

    assert START + timedelta(days=2) <= demo.clock.now()
    assert totals.accepted > 0
    assert 0 == verdict.double_sends(demo.world.journal)
