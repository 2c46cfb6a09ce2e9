"""Whoever locks several runs locks them in the order of their ids, so that two who do it never wait for each other.

Over PostgreSQL, where rows are locked one by one. Somebody holds one run; the service is watched until it waits for it:
by then it must have locked every run below, and none above. The lowest run was written last and lies behind the others,
and no index is used: a statement that takes rows as they come takes it last.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
import pytest
from psycopg.rows import scalar_row

from relance.core.enrollment import EnrollmentStatus
from relance.core.mailbox import Mailbox
from relance.core.sequence import StopScope
from relance.mail.classify import classify
from relance.mail.parse import parse
from relance.services import enrollments, handing_over, ingestion, leads, mailboxes, sequences
from relance.services.records import save_enrollment
from relance.storage.opening import open_store
from relance.testing import letters
from relance.testing.builders import KEYS
from services.conftest import Emptied
from services.life import Life, Scene
from services.races import LIMIT, Service, meet

pytestmark = pytest.mark.postgres

COLLEAGUES = ("bea@lead.example", "cid@lead.example")
LIES_LAST = "UPDATE enrollments SET revision = revision WHERE id = (SELECT min(id) FROM enrollments)"
AS_THEY_COME = urlencode({"options": "-c enable_indexscan=off -c enable_bitmapscan=off"}, quote_via=quote)
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


@pytest.fixture
async def life(emptied: Emptied) -> AsyncIterator[Life]:
    """Return a new installation whose database reads every table as its rows lie there."""
    emptied.empty()
    store = open_store(f"{emptied.url}{'&' if '?' in emptied.url else '?'}{AS_THEY_COME}")
    yield Life(store, emptied.url)
    await store.close()


class UndoneError(Exception):
    """The service has done its work, and is to leave no trace."""


async def colleagues(life: Life) -> Scene:
    """Enroll three people of one company in one sequence."""
    scene = await life.scene(stop_scope=StopScope.COMPANY)
    for email in COLLEAGUES:
        await life.person(scene, email)
    return scene


async def busy_lead(life: Life) -> Scene:
    """Enroll one person in three sequences."""
    scene = await life.scene()
    for name in ("q5", "q6"):
        await life.scene(name=name)
    return scene


async def answering(life: Life, scene: Scene) -> Service:
    """Let the person of a scene answer a message, and return the transaction that understands it."""
    raw = await life.send()
    ids = {"workspace_id": scene.workspace.id, "mailbox_id": scene.box.id}
    reply = letters.reply(raw, at=life.later(minutes=5))
    await life.stage(scene.box, reply)
    (staged,) = await life.store.read(ingestion.staged_of, **ids, limit=10)
    message = parse(reply)
    own = frozenset({scene.box.address})
    meaning = classify(message, own_addresses=own, received_at=staged.internal_date)
    return lambda tx: ingestion.ingest(
        tx, staged=staged, message=message, classification=meaning, keys=KEYS, now=life.now
    )


async def pinned(life: Life, scene: Scene, *, written_to: bool) -> Mailbox:
    """Give everybody to a mailbox that may have written to them already."""
    box = await life.mailbox(scene, "other@acme.example")
    with psycopg.connect(life.url, autocommit=True) as beside:
        sent_at = life.now if written_to else None
        beside.execute("UPDATE enrollments SET mailbox_id = %s, last_sent_at = %s", [box.id, sent_at])
    return box


async def stopping_all(life: Life, kind: str) -> Service:
    """Set a scene, and return a service that locks its three runs in one transaction."""
    now = life.now
    match kind:
        case "answer of a lead":
            return await answering(life, await busy_lead(life))
        case "answer of a company":
            return await answering(life, await colleagues(life))
        case "note" | "erasure":
            scene = await busy_lead(life)
            ann: Any = {"workspace_id": scene.workspace.id, "email": scene.lead.email, "now": now}
            if kind == "note":
                return lambda tx: leads.note(tx, **ann, text="called", author="bo")
            return lambda tx: leads.erase(tx, **ann, keys=KEYS)
        case "archive":
            acme = {"workspace_id": (await colleagues(life)).workspace.id}
            return lambda tx: sequences.archive(tx, **acme, name="q4", stop_active=True, now=now)
        case "mailbox removed":
            box = await pinned(life, await colleagues(life), written_to=False)
            return lambda tx: mailboxes.remove(tx, box, now=now)
        case _:
            box = await pinned(life, await colleagues(life), written_to=True)
            await life.store.write(mailboxes.remove, box, now=now)
            ids = (box.workspace_id, box.address)
            return lambda tx: handing_over.hand_over(tx, handing_over.removed(tx, *ids), now=now)


async def free_while_waiting(life: Life, service: Service, held: int) -> list[int]:
    """Hold one run, let the service run into it, and return the runs that nobody has locked then."""

    def undone(tx: Any) -> None:
        service(tx)
        raise UndoneError

    connect = psycopg.AsyncConnection.connect
    async with asyncio.timeout(LIMIT), await connect(life.url) as holder, await connect(life.url) as looker:
        await holder.execute("SELECT FROM enrollments WHERE id = %s FOR UPDATE", [held])
        working = asyncio.create_task(life.store.write(undone))
        waiting = 0
        while not waiting and not working.done():
            (waiting,) = await (await looker.execute(WAITING)).fetchone() or (0,)
            await looker.rollback()
        cursor = looker.cursor(row_factory=scalar_row)
        free = await (await cursor.execute("SELECT id FROM enrollments ORDER BY id FOR UPDATE SKIP LOCKED")).fetchall()
        await looker.rollback()
        await holder.rollback()
        with pytest.raises(UndoneError):
            await working
    assert waiting, "it never waited"
    return free


KINDS = (
    "answer of a lead", "answer of a company", "note", "erasure", "archive", "mailbox removed", "mailbox handed over",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
async def test_several_runs_are_locked_in_the_order_of_their_ids(life, kind):
    """Whichever of them somebody else holds."""
    service = await stopping_all(life, kind)
    async with await psycopg.AsyncConnection.connect(life.url, autocommit=True) as beside:
        await beside.execute(LIES_LAST)
        cursor = await beside.cursor(row_factory=scalar_row).execute("SELECT id FROM enrollments ORDER BY id")
        runs = await cursor.fetchall()
    free = {run: await free_while_waiting(life, service, run) for run in runs}

    assert 3 == len(runs)
    assert {run: [other for other in runs if other > run] for run in runs} == free


async def test_a_run_that_changes_while_it_is_waited_for_is_judged_as_it_is_then(life):
    """Of a removed mailbox: who was paused meanwhile is let go of, who was written to meanwhile is not."""
    scene = await colleagues(life)
    box = await pinned(life, scene, written_to=False)
    runs = [run.id for run in await life.store.read(enrollments.chosen, **scope(scene))]

    def change(tx: Any) -> None:
        for run in runs[:2]:
            enrollments.pause(tx, workspace_id=box.workspace_id, enrollment_id=run, cause="by hand", now=life.now)
        (paused,) = (run for run in enrollments.chosen(tx, **scope(scene)) if run.id == runs[1])
        save_enrollment(tx, paused, replace(paused, last_sent_at=life.now))

    met = await meet(life, change, lambda tx: mailboxes.remove(tx, box, now=life.now))
    after = await life.store.read(enrollments.chosen, **scope(scene))

    assert met.waited
    assert [None, box.id, None] == [run.mailbox_id for run in after]
    assert [EnrollmentStatus.PAUSED] * 2 == [run.status for run in after[:2]]


def scope(scene: Scene) -> dict[str, Any]:
    """Return the arguments that choose everybody."""
    return {"workspace_id": scene.workspace.id, "sequence_name": None, "email": None}
