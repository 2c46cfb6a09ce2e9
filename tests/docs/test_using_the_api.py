"""The how-to about the API is lived through: its curl and Python examples run, one after the other, over a server."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from docs.pages import ROOT, blocks
from relance.app import init_installation, settle_installation
from relance.app.serving import serving, take_address
from relance.config import Config
from relance.core.people import Role
from relance.services import api_keys
from relance.testing.fake_clock import MONDAY
from relance.web.security.tokens import KEY_PREFIX, new_token

PAGE = ROOT / "docs" / "how-to" / "use-the-api.md"
WRITTEN = "http://127.0.0.1:8025"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Serve a new installation, and return where and with which key."""
    taken, token = take_address("127.0.0.1:0"), new_token(KEY_PREFIX)
    host, port = taken.getsockname()
    data = tmp_path / "data"
    started, loops = threading.Event(), list[tuple[asyncio.AbstractEventLoop, asyncio.Event]]()

    async def serve() -> None:
        installation = init_installation(Config(data=data, master_key_file=data / "master.key", workspace="acme"))
        acme = await settle_installation(installation, timezone=None)
        await installation.write(
            api_keys.add,
            acme,
            name="crm",
            shown=token.shown,
            digest=token.digest,
            role=Role.MEMBER,
            by="a test",
            may=Role.OWNER,
            now=MONDAY,
        )
        ended = asyncio.Event()
        async with serving(installation, taken, base_url=f"http://{host}:{port}"):
            loops.append((asyncio.get_running_loop(), ended))
            started.set()
            await ended.wait()
        await installation.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="served")
    thread.start()
    assert started.wait(60)
    yield f"http://{host}:{port}", token.text
    loop, ended = loops[0]
    loop.call_soon_threadsafe(ended.set)
    thread.join(60)


def test_the_examples_do_what_the_page_says(served: tuple[str, str], tmp_path: Path, require: Callable[[str], Path]):
    """In the order of the page, in one folder, with nothing but the key."""
    require("curl")
    require("jq")
    where, key = served
    environment = {"PATH": os.environ["PATH"], "KEY": key}
    found = list(blocks(PAGE.read_text(encoding="utf-8").replace(WRITTEN, where)))
    said = [
        subprocess.run(
            ["/bin/sh", "-ec", block.text],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for block in found
        if block.language == "sh"
    ]
    program = "\n".join(block.text for block in found if block.language == "python")
    printed = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout.splitlines()

    published, added, explained = said
    assert '"version":1' in published
    assert ('"outcome":"added"' in added, '"outcome":"invalid"' in added, '"enrolled":1' in added) == (True,) * 3
    assert '"summary"' in explained
    assert "carol@example.org active intro" == printed[0]
    assert any(" sequence.published autumn version 1 was published" in line for line in printed)
