"""A mailbox on each server in turn: every rule of this folder runs over every row of `servers.py`."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from acceptance.realservers import RealImap
from imap_servers.servers import SERVERS_BY_NAME, FakeServer, RealServer, fake_site, real_site
from imap_servers.site import Site
from relance.sandbox.clock import SandboxClock
from relance.sandbox.faults import NO_FAULTS
from relance.sandbox.world import World
from relance.testing.moments import MONDAY

Running = Callable[[str], RealImap]


@pytest.fixture(scope="session")
def running() -> Iterator[Running]:
    """Return a function from the name of a real server to the running program, the same for the same name."""
    with ExitStack() as worlds:

        @cache
        def start(name: str) -> RealImap:
            server = SERVERS_BY_NAME[name]
            assert isinstance(server, RealServer)
            server.require()
            return worlds.enter_context(server.kind(layout=server.layout))

        yield start


@pytest.fixture
async def site(request: pytest.FixtureRequest, running: Running, tmp_path: Path) -> AsyncIterator[Site]:
    """Return a new mailbox on the server that the test is parametrised with."""
    match SERVERS_BY_NAME[request.param]:
        case RealServer() as server:
            made = real_site(server, running(request.param))
            yield made
            await made.close()
        case FakeServer() as server:
            world = World(
                clock=SandboxClock(MONDAY),
                seed=1,
                directory=tmp_path,
                domains=[server.domain],
                faults=NO_FAULTS,
                mailboxes=1,
            )
            await world.start()
            made = fake_site(server, world)
            yield made
            await made.close()
            await world.stop()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run whatever asks for a `site`, and names none, over every server."""
    chosen = any("site" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "site" in metafunc.fixturenames and not chosen:
        metafunc.parametrize("site", list(SERVERS_BY_NAME), indirect=True)
