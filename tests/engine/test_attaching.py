"""Attachments on their way out: whole on the wire and in Sent, small in the database, and read once."""

from dataclasses import replace
from email import message_from_bytes, policy
from hashlib import sha256

import pytest

from engine.counting import CountingStore
from engine.rig import Parts, Rig
from relance.core.enrollment import EnrollmentStatus
from relance.core.sequence import AttachedFile, EmailStep, Step
from relance.engine.contents import LeftOut, StoredContents
from relance.mail.attaching import encoded
from relance.ports.connector import NotReleasedError, RejectedError
from relance.services import sequences
from relance.services.reconciling import outgoing_raw
from relance.storage.opening import open_store
from relance.testing import builders
from relance.testing.fake_connector import SENT, Point
from store_places import sqlite_place

OFFER, PLAN = b"%PDF-1.7 " + bytes(range(256)) * 400, b"\x89PNG\r\n.\r\n" + bytes(999)
CONTENTS = {sha256(content).hexdigest(): content for content in (OFFER, PLAN)}
FILES = tuple(
    AttachedFile(name=name, content_type=kind, size=len(content), sha256=digest)
    for (name, kind), (digest, content) in zip(
        (("Angebot für Zoë.pdf", "application/pdf"), ("plan.png", "image/png")), CONTENTS.items(), strict=True
    )
)


def attaching(*files: AttachedFile) -> Step:
    """Return an opening step with files."""
    step = builders.email("intro", subject="The offer")
    assert isinstance(step, EmailStep)
    return replace(step, attachments=files)


async def publish(rig: Rig, *steps: Step) -> None:
    """Publish with what is attached."""
    await rig.store.write(
        sequences.publish,
        workspace_id=rig.workspace.id,
        plan=builders.plan(*steps),
        contents=CONTENTS,
        now=rig.clock.now(),
    )


def read(raw: bytes) -> list[tuple[str, bytes]]:
    """Return names and contents of a message's attachments, as the standard library reads them."""
    message = message_from_bytes(raw, policy=policy.default)
    assert "multipart/mixed" == message.get_content_type()
    return [(part.get_filename() or "", part.get_content()) for part in message.iter_attachments()]


async def test_a_message_carries_what_its_step_attaches_and_so_does_its_copy_in_sent(any_rig):
    """The follow-up attaches nothing, and nothing of it is kept twice in the database."""
    rig = any_rig
    box = await rig.prepare(saves_sent=False)
    await publish(rig, attaching(*FILES), builders.email("bump", "1d"))
    run = await rig.person("ann@lead.example")
    async with rig.running() as engine:
        await rig.play(engine)
    first, second = (one.raw for one in rig.world.received_by("ann@lead.example"))
    copies = [kept.raw for kept in box.folders[SENT]]
    (attempt, _) = await rig.attempts(run)
    kept = await rig.store.read(outgoing_raw, attempt)

    assert list(zip(["Angebot für Zoë.pdf", "plan.png"], [OFFER, PLAN], strict=True)) == read(first)
    assert "multipart/mixed" not in second.decode()
    assert read(first) == read(copies[0])
    assert first.partition(b"\r\n\r\n")[2] == copies[0].partition(b"\r\n\r\n")[2]
    assert 3_000 > len(kept)
    assert EnrollmentStatus.COMPLETED == (await rig.again(run)).status


async def test_a_try_that_left_nothing_is_followed_by_one_that_is_whole_again(rig):
    """The same files: those of the version that the enrollment runs, whatever was published since."""
    box = await rig.prepare()
    await publish(rig, attaching(*FILES))
    await rig.person("ann@lead.example")
    box.script(Point.DOT, NotReleasedError("the line was cut"))
    await rig.parts().send_one()
    await publish(rig, attaching(FILES[1]))
    async with rig.running() as engine:
        await rig.play(engine)
    (delivery,) = rig.world.received_by("ann@lead.example")

    assert ["Angebot für Zoë.pdf", "plan.png"] == [name for name, _ in read(delivery.raw)]


async def test_a_content_is_read_once_for_all_who_get_it_and_never_where_nothing_is_attached(rig):
    """A list of a thousand reads the offer once; a message without files asks for none."""
    counting = CountingStore(rig.store.inner)
    await rig.prepare()
    await publish(rig, attaching(*FILES), builders.email("bump", "1d"))
    for number in range(5):
        await rig.person(f"ann{number}@lead.example")
    rig.store.inner = counting
    async with rig.running() as engine:
        await rig.play(engine)

    assert 10 == sum(len(rig.world.received_by(f"ann{number}@lead.example")) for number in range(5))
    assert 2 == counting.counts["attachments.content"]
    assert {"attachments.content"} == {name for name in counting.counts if name.startswith("attachments.")}


async def test_what_is_kept_in_memory_is_bounded(rig):
    """What was used last stays; the rest is read again."""
    await rig.prepare()
    await publish(rig, attaching(*FILES))
    counting = CountingStore(rig.store.inner)
    one, other = (f"\r\n=_sha256:{file.sha256}\r\n".encode() for file in FILES)
    contents = StoredContents(counting, most=len(encoded(OFFER)) + 10)
    for raw in (one, one, other, one):
        await contents.into(rig.workspace.id, raw)
    roomy = StoredContents(counting)
    for raw in (one, other, one):
        await roomy.into(rig.workspace.id, raw)

    assert 3 + 2 == counting.counts["attachments.content"]
    assert b"\r\n" + encoded(PLAN) == await contents.into(rig.workspace.id, other)
    assert one == await LeftOut().into(rig.workspace.id, one)


@pytest.mark.parametrize("stage", ["MAIL", "dot"])
async def test_a_message_that_the_server_finds_too_large_stops_nobody_else(rig, stage):
    """Its size is announced before its recipient: that is not the mailbox's trouble, and others go on from it."""
    box = await rig.prepare()
    await publish(rig, attaching(*FILES))
    run = await rig.person("ann@lead.example")
    refusal = RejectedError(stage=stage, code=552, enhanced="5.3.4", text="Message size exceeds fixed limit")
    box.script(Point.STAGE if stage == "MAIL" else Point.DOT, refusal)
    await rig.parts().send_one()
    held_back = await rig.again(run)

    assert (EnrollmentStatus.ACTIVE, "cooldown") == (held_back.status, held_back.last_skip_reason)
    assert (None, 1) == ((await rig.box()).last_skip_reason, held_back.consecutive_failures)


async def test_a_message_whose_content_is_gone_is_held_and_never_sent_without_it(rig, tmp_path):
    """Somebody took it out of the database by hand."""
    await rig.prepare()
    await publish(rig, attaching(*FILES))
    run = await rig.person("ann@lead.example")
    (tmp_path / "empty").mkdir()
    without = open_store(sqlite_place(tmp_path / "empty"))
    await Parts(replace(rig.around(), contents=StoredContents(without))).send_one()
    held = await rig.again(run)
    await without.close()

    assert EnrollmentStatus.HELD == held.status
    assert "publish the sequence's file again" in held.hold_reason
    assert [] == rig.world.received_by("ann@lead.example")
