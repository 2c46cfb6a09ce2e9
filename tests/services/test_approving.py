"""Approval: where a workspace asks for it, what is published takes nobody along before somebody said so (A4)."""

import pytest

from relance.core.sequence import SequenceStatus
from relance.services import approving, enrollments, sequences, workspace_settings, workspaces
from relance.services.refusals import RefusedError
from relance.testing import builders
from relance.testing.builders import KEYS


async def ask_for_approval(life, *, wanted=True):
    """Say whether what is published waits, and return the workspace."""
    acme = await life.store.write(builders.workspace)
    asked = workspace_settings.Wanted(approval=wanted)
    await life.store.write(workspace_settings.change, await life.store.read(workspaces.by_name, "acme"), asked)
    return acme


async def publish(life, acme, text="Hello"):
    """Publish one e-mail step with these words."""
    plan = builders.plan(builders.email("intro", subject="Hi", text=text))
    return await life.store.write(sequences.publish, workspace_id=acme.id, plan=plan, now=life.now)


async def approve(life, acme, **which):
    """Approve what waits."""
    return await life.store.write(approving.approve, workspace_id=acme.id, name="q4", by="ann", now=life.now, **which)


async def enroll(life, acme, email):
    """Let one lead enter."""

    def start(tx):
        lead = builders.lead(tx, acme, email, now=life.now)
        return enrollments.enroll(
            tx,
            workspace_id=acme.id,
            sequence_name="q4",
            lead_ids=[lead.id],
            source_list=None,
            keys=KEYS,
            now=life.now,
        )

    return await life.store.write(start)


async def q4(life, acme):
    """Return the sequence as it is now."""
    return await life.store.read(sequences.by_name, acme.id, "q4")


async def test_the_first_version_accepts_nobody_before_it_is_approved(life):
    """Published, it waits; approved, it is live."""
    acme = await ask_for_approval(life)
    published = await publish(life, acme)
    waiting = await q4(life, acme)
    with pytest.raises(RefusedError, match="awaiting_approval; only a live one accepts people"):
        await enroll(life, acme, "ann@lead.example")
    approved = await approve(life, acme)

    assert published.awaits_approval
    assert (SequenceStatus.AWAITING_APPROVAL, 1) == (waiting.status, waiting.version)
    assert (SequenceStatus.LIVE, 1) == (approved.status, approved.version)
    assert 1 == (await enroll(life, acme, "ann@lead.example")).enrolled


async def test_a_live_sequence_goes_on_with_its_version_while_the_next_one_waits(life):
    """Whoever enters meanwhile gets what was approved."""
    acme = await ask_for_approval(life)
    await publish(life, acme)
    await approve(life, acme)
    proposed = await publish(life, acme, "Good morning")
    meanwhile = await q4(life, acme)
    await enroll(life, acme, "early@lead.example")
    await approve(life, acme)
    after = await q4(life, acme)
    await enroll(life, acme, "late@lead.example")
    rows = await life.store.read(enrollments.chosen, workspace_id=acme.id, sequence_name="q4", email=None)

    assert (2, True) == (proposed.version, proposed.awaits_approval)
    assert (SequenceStatus.LIVE, 1, 2) == (meanwhile.status, meanwhile.version, meanwhile.proposed_version)
    assert (SequenceStatus.LIVE, 2, None) == (after.status, after.version, after.proposed_version)
    assert [1, 2] == [row.version for row in rows]


async def test_proposing_the_same_twice_is_proposing_once_and_something_else_takes_its_place(life):
    """Numbers are never used twice, and the newest proposal is the one that is looked at."""
    acme = await ask_for_approval(life)
    await publish(life, acme)
    await approve(life, acme)
    first = await publish(life, acme, "Good morning")
    again = await publish(life, acme, "Good morning")
    other = await publish(life, acme, "Good evening")
    with pytest.raises(RefusedError, match="version 3 of 'q4' waits by now, not 2"):
        await approve(life, acme, version=2)

    assert [(2, True), (2, False), (3, True)] == [(one.version, one.changed) for one in (first, again, other)]
    assert 3 == (await approve(life, acme, version=3)).version


async def test_a_paused_sequence_stays_paused_when_its_next_version_is_approved(life):
    """Approving is about the words, pausing about the time."""
    acme = await ask_for_approval(life)
    await publish(life, acme)
    await approve(life, acme)
    await life.store.write(sequences.pause, workspace_id=acme.id, name="q4", now=life.now)
    await publish(life, acme, "Good morning")

    assert SequenceStatus.PAUSED is (await approve(life, acme)).status
    assert (SequenceStatus.PAUSED, 2) == ((row := await q4(life, acme)).status, row.version)


async def test_where_nobody_asks_for_approval_any_more_publishing_again_makes_it_live(life):
    """What waits is not let in by a change of settings: somebody has to publish or approve."""
    acme = await ask_for_approval(life)
    await publish(life, acme)
    await ask_for_approval(life, wanted=False)
    still = await q4(life, acme)
    await publish(life, acme)

    assert SequenceStatus.AWAITING_APPROVAL is still.status
    assert SequenceStatus.LIVE is (await q4(life, acme)).status


async def test_approving_where_nothing_waits_is_refused(life):
    """There is nothing that somebody could have looked at."""
    acme = await ask_for_approval(life, wanted=False)
    await publish(life, acme)

    with pytest.raises(RefusedError, match="nothing of sequence 'q4' waits for approval; publish a new version first"):
        await approve(life, acme)


async def test_an_archived_sequence_has_nothing_that_waits(life):
    """Its proposal goes with it."""
    acme = await ask_for_approval(life)
    await publish(life, acme)
    await approve(life, acme)
    await publish(life, acme, "Good morning")
    await life.store.write(sequences.archive, workspace_id=acme.id, name="q4", stop_active=False, now=life.now)

    assert (SequenceStatus.ARCHIVED, None) == ((row := await q4(life, acme)).status, row.proposed_version)
