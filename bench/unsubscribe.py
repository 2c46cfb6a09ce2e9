"""What it costs to serve the link by which people opt out: looking, opting out, and pressing again.

The whole application over HTTP on loopback, keep-alive, one process of the server with SQLite and durable commits; the
clients are in another process. Beside it, in the same run and from the same clients, the least that an ASGI application
in the same server can do: a fixed answer of the same size.

Run: `.venv/bin/python bench/unsubscribe.py [PEOPLE [CONNECTIONS]]`. Prints answers a second, and answers for each
CPU-second of the server.
"""

import asyncio
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path

import uvicorn
import uvloop

from relance.app import Installation, init_installation, settle_installation
from relance.app.serving import serving, take_address
from relance.config import Config, LogLevel
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.suppression import tombstone_of
from relance.core.unsubscribe_link import PATH, Link, write_link
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services.records import insert_attempt
from relance.testing import builders
from relance.web.public.answers import answer
from relance.web.public.unsubscribe import ASK, POLICY

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
_SETTLED = 0.3  #: Real seconds in which a server that was just started comes to listen.


# --- the server, in a process of its own


def serve(pipe: Connection, people: int) -> None:
    """Serve until told to stop; tell CPU-seconds when asked."""
    uvloop.run(_serve(pipe, people))


async def _serve(pipe: Connection, people: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        config = Config(data=data, master_key_file=data / "master.key", log_level=LogLevel.ERROR)
        installation = init_installation(config)
        workspace = await settle_installation(installation, timezone=None)
        attempts = await installation.write(_sent, workspace, people, installation)
        taken, beside = take_address("127.0.0.1:0"), take_address("127.0.0.1:0")
        links = [_link(installation, one) for one in attempts]
        least = uvicorn.Server(
            uvicorn.Config(_fixed, log_config=None, access_log=False, lifespan="off", server_header=False)
        )
        fixed = asyncio.create_task(least._serve([beside]))  # noqa: SLF001 - without its signal handlers
        async with serving(installation, taken, base_url="https://relance.example"):
            pipe.send((taken.getsockname()[1], beside.getsockname()[1], links))
            while await asyncio.to_thread(pipe.recv):
                pipe.send(time.process_time())
        least.should_exit = True
        await fixed
        await installation.close()


async def _fixed(scope: object, receive: object, send: Callable[[object], Awaitable[None]]) -> None:  # noqa: ARG001
    await answer(send, 200, ASK, kind="text/html; charset=utf-8", policy=POLICY)  # type: ignore[arg-type]  # ASGI


def _sent(tx: Transaction, workspace: Workspace, people: int, installation: Installation) -> list[Attempt]:
    """Let everybody be written to once, and keep two steps more for them."""
    box = builders.mailbox(tx, workspace, "bo@ours.example", now=NOW)
    builders.published(tx, workspace, builders.plan(), now=NOW)
    made = []
    for number in range(people):
        email = f"p{number}@lead{number % 97}.example"
        lead = builders.lead(tx, workspace, email, now=NOW)
        run = builders.enrollment(tx, workspace, lead, keys=installation.keys, now=NOW)
        attempt = Attempt(
            workspace_id=workspace.id,
            id=0,
            enrollment_id=run.id,
            lead_id=lead.id,
            sequence_id=run.sequence_id,
            mailbox_id=box.id,
            step="intro",
            version=1,
            step_counter=1,
            variant="a",
            status=AttemptStatus.SENT,
            message_id=f"<{number}@ours.example>",
            trace=f"{number:032x}",
            recipient=email,
            subject="Question",
            opens_thread=True,
            planned_at=NOW,
            holds_slot=True,
            slot_day="2026-11-30",
            slot_hour="2026-11-30T09",
            began_at=NOW,
            sent_at=NOW,
            created_at=NOW,
        )
        attempt_id = insert_attempt(tx, attempt)
        made.append(Attempt(**{**{name: getattr(attempt, name) for name in attempt.__slots__}, "id": attempt_id}))
    return made


def _link(installation: Installation, attempt: Attempt) -> str:
    digest = tombstone_of(attempt.recipient, installation.keys.tombstone)
    link = Link(workspace_id=attempt.workspace_id, attempt_id=attempt.id, digest=digest)
    return f"{PATH}{write_link(installation.vault.derive('unsubscribe'), link)}"


# --- the clients


async def press(port: int, requests: list[bytes], connections: int) -> None:
    """Send every request, each connection one after the other; raise where one is not answered with 200."""
    left = iter(requests)

    async def one() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for request in left:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise ValueError(head[:200])
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            await reader.readexactly(length)
        writer.close()
        await writer.wait_closed()

    await asyncio.gather(*(one() for _ in range(connections)))


def get(path: str) -> bytes:
    """Return a request that looks."""
    return f"GET {path} HTTP/1.1\r\nHost: relance.example\r\n\r\n".encode()


def post(path: str) -> bytes:
    """Return a request as a mail program sends it (RFC 8058 §3.2)."""
    body = "List-Unsubscribe=One-Click"
    kind = "Content-Type: application/x-www-form-urlencoded"
    head = f"POST {path} HTTP/1.1\r\nHost: relance.example\r\n{kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return (head + body).encode()


async def measure(people: int, connections: int) -> None:
    """Print a line for each kind of request."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs, people))
    process.start()
    port, fixed, links = await asyncio.to_thread(ours.recv)
    await asyncio.sleep(_SETTLED)
    looks = [get(links[number % people]) for number in range(5 * people)]
    kinds = [
        ("a fixed answer", fixed, looks),
        ("looking", port, looks),
        ("opting out", port, [post(link) for link in links]),
        ("pressing again", port, [post(links[number % people]) for number in range(3 * people)]),
    ]
    print(f"{people} people, {connections} connections, load {os.getloadavg()[0]:.1f}")
    for name, at, requests in kinds:
        ours.send(True)  # noqa: FBT003 - go on
        before, began = ours.recv(), time.perf_counter()
        await press(at, requests, connections)
        took = time.perf_counter() - began
        ours.send(True)  # noqa: FBT003 - go on
        cpu = ours.recv() - before
        print(f"{name:<16}{len(requests) / took:>8.0f} a second {len(requests) / cpu:>8.0f} a CPU-second")
    ours.send(False)  # noqa: FBT003 - stop
    await asyncio.to_thread(process.join)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    uvloop.run(measure(numbers[0] if numbers else 3_000, numbers[1] if numbers[1:] else 32))
