"""The console beside an engine: where it listens, the first link, and an end that waits for nobody."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from relance.app import Installation, init_installation, settle_installation
from relance.app.serving import AddressTakenError, console, take_address
from relance.config import Config, LogLevel

FREE = "127.0.0.1:0"


@pytest.fixture
async def installation(tmp_path: Path) -> AsyncIterator[Installation]:
    """Return a new installation that listens on a free port."""
    data = tmp_path / "data"
    config = Config(data=data, master_key_file=data / "master.key", log_level=LogLevel.ERROR, bind=free_address())
    opened = init_installation(config)
    await settle_installation(opened, timezone=None)
    yield opened
    await opened.close()


def free_address() -> str:
    """Return an address of this machine on which nobody listens at the moment."""
    taken = take_address(FREE)
    port = taken.getsockname()[1]
    taken.close()
    return f"127.0.0.1:{port}"


async def test_the_first_person_is_told_the_way_in_and_nobody_after_them(installation: Installation):
    """The link makes an owner: it is not printed once somebody can log in."""
    said: list[str] = []
    async with console(installation, say=said.append), httpx.AsyncClient() as browser:
        link = said[-1].rpartition(" ")[2]
        page = await browser.get(link)
        came = await browser.post(link, data={"email": "ann@acme.example", "password": "four words make it long"})
    again: list[str] = []
    async with console(installation, say=again.append):
        pass

    assert (200, 303) == (page.status_code, came.status_code)
    assert [True] == ["the console is at" in line for line in again]


async def test_an_address_that_is_taken_is_refused_at_once(installation: Installation):
    """Before an engine begins anything, with what to do."""
    taken = take_address(str(installation.config.bind))
    try:
        with pytest.raises(AddressTakenError, match="give another --bind, or --no-web"):
            async with console(installation, say=lambda _: None):
                pass
    finally:
        taken.close()


async def test_an_end_waits_for_no_open_page(installation: Installation):
    """A connection that was opened and says nothing, and one that asks by halves, hold nothing up."""
    async with console(installation, say=lambda _: None):
        host, _, port = str(installation.config.bind).rpartition(":")
        _, silent = await asyncio.open_connection(host, int(port))
        _, half = await asyncio.open_connection(host, int(port))
        half.write(b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nemail=")
        await half.drain()
    silent.close()
    half.close()
    take_address(str(installation.config.bind)).close()
