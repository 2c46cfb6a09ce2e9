"""The same idle connections held by aioimaplib: run by a Python that has it, as `bench/watching.py` says.

Run: `PYTHON bench/watching_peer.py PORT CA_FILE COUNT`. Prints how long it took and what a connection costs.
"""

import asyncio
import re
import ssl
import sys
import time
from pathlib import Path

import aioimaplib  # type: ignore[import-not-found]  # of another environment


def resident() -> int:
    """Return the resident size of this process in kilobytes."""
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) if found else 0


async def hold(port: int, context: ssl.SSLContext, number: int, room: asyncio.Semaphore) -> object:
    """Open one connection and begin to idle."""
    async with room:
        client = aioimaplib.IMAP4_SSL(host="127.0.0.1", port=port, ssl_context=context, timeout=60)
        await client.wait_hello_from_server()
        await client.login(f"peer{number}@ours.example", "sesame")
        await client.select("INBOX")
        await client.idle_start(timeout=3600)
        return client


async def main() -> None:
    """Hold them all."""
    port, ca_file, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    context = ssl.create_default_context(cafile=ca_file)
    room = asyncio.Semaphore(64)
    before, began = resident(), time.monotonic()
    held = await asyncio.gather(*(hold(port, context, number, room) for number in range(count)))
    each = (resident() - before) / count
    print(f"aioimaplib: {len(held)} watched after {time.monotonic() - began:.1f} s, {each:.1f} KB a connection")


asyncio.run(main())
