"""Addresses that are checked before the first message: who is written to, who never, and who waits."""

from datetime import timedelta

import pytest

from relance.core import defaults
from relance.core.address_check import AddressCheck, AddressVerdict, Verification
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.ports.addresses import Finding
from relance.services import leads
from relance.testing import builders

ANN = "ann@lead.example"
NO = Finding(verdict=AddressVerdict.INVALID, reason="nobody has this address")
SILENCE = Finding(verdict=AddressVerdict.UNKNOWN, reason="greylisted")


async def standing(rig, run):
    """Return how a run stands, and why."""
    row = await rig.again(run)
    return row.status, row.stop_reason, row.last_skip_reason, row.verification_attempts


async def ask(parts):
    """Let the gate ask, and the world answer."""
    await parts.send_one()
    await parts.verifier.run_once()


@pytest.mark.parametrize("verdict", [AddressVerdict.VALID, AddressVerdict.CATCH_ALL])
async def test_who_can_be_written_to_is_written_to_at_once(rig, verdict):
    """The answer wakes them; nobody waits for a round of anything."""
    await rig.prepare(verification=Verification.MX)
    await rig.person(ANN)
    rig.addresses.findings[ANN] = Finding(verdict=verdict, reason="yes")
    parts = rig.parts()
    await ask(parts)
    unasked = len(rig.world.accepted)
    await parts.send_one()

    assert (0, 1) == (unasked, len(rig.world.accepted))
    assert [(ANN, Verification.MX)] == rig.addresses.asked


async def test_who_has_no_address_is_never_written_to(rig):
    """The run ends, and says why."""
    await rig.prepare(verification=Verification.RCPT)
    run = await rig.person(ANN)
    rig.addresses.findings[ANN] = NO
    parts = rig.parts()
    await ask(parts)
    await parts.send_one()

    assert (EnrollmentStatus.STOPPED, StopReason.INVALID_ADDRESS) == (await standing(rig, run))[:2]
    assert [] == rig.world.accepted


async def test_who_cannot_be_judged_is_asked_about_ever_later_and_then_left(rig):
    """Under a counter of its own; five answers that say nothing are enough."""
    await rig.prepare(verification=Verification.MX)
    run = await rig.person(ANN)
    rig.addresses.findings[ANN] = SILENCE
    parts = rig.parts()
    waits = []
    while (await rig.again(run)).status is EnrollmentStatus.ACTIVE:
        await ask(parts)
        row = await rig.again(run)
        if row.skip_until is not None:
            waits.append((row.skip_until - rig.clock.now()) / timedelta(minutes=1))
            rig.clock.jump(row.skip_until)

    assert [10, 20, 40, 80, 160] == waits
    assert (EnrollmentStatus.STOPPED, StopReason.UNVERIFIED) == (await standing(rig, run))[:2]
    assert [] == rig.world.accepted
    assert defaults.VERIFICATION_CAP == len(rig.addresses.asked)


async def test_a_verdict_clears_the_counter(rig):
    """What could not be judged an hour ago is written to when it can."""
    await rig.prepare(verification=Verification.MX)
    run = await rig.person(ANN)
    rig.addresses.findings[ANN] = SILENCE
    parts = rig.parts()
    await ask(parts)
    waiting = await rig.again(run)
    rig.addresses.findings.clear()
    rig.clock.jump(waiting.skip_until)
    await ask(parts)
    await parts.send_one()

    assert 1 == waiting.verification_attempts
    assert 1 == len(rig.subjects(ANN))
    assert 0 == (await rig.again(run)).verification_attempts


async def test_a_follow_up_is_not_checked(rig):
    """Who was written to has an address."""
    await rig.prepare(verification=Verification.MX)
    run = await rig.person(ANN)
    parts = rig.parts()
    await ask(parts)
    await parts.send_one()
    rig.addresses.findings[ANN] = NO
    rig.clock.jump((await rig.again(run)).next_due_at + defaults.VERIFIED_FOR)
    await parts.poller.refresh(await rig.box_name())
    await parts.send_one()

    assert 2 == len(rig.subjects(ANN))


async def test_an_answer_serves_every_sequence(rig):
    """Nobody is asked about twice in a month."""
    await rig.prepare(verification=Verification.MX)
    other = builders.plan(name="other", verification=Verification.MX)
    await rig.store.write(builders.published, rig.workspace, other)
    await rig.person(ANN)
    parts = rig.parts()
    await ask(parts)
    await parts.send_one()
    rig.later(minutes=30)
    await rig.person(ANN, "other")
    await parts.poller.refresh(await rig.box_name())
    await parts.send_one()

    assert (2, 1) == (len(rig.subjects(ANN)), len(rig.addresses.asked))


async def test_a_sequence_that_asks_more_is_not_content_with_less(rig):
    """That the domain takes mail does not say that the person does."""
    await rig.prepare(verification=Verification.MX)
    thorough = builders.plan(name="thorough", verification=Verification.RCPT)
    await rig.store.write(builders.published, rig.workspace, thorough)
    await rig.person(ANN)
    parts = rig.parts()
    await ask(parts)
    await parts.send_one()
    rig.later(minutes=30)
    run = await rig.person(ANN, "thorough")
    await parts.poller.refresh(await rig.box_name())
    rig.addresses.findings[ANN] = NO
    await parts.send_one()
    await parts.send_one()
    unasked = await standing(rig, run)
    await parts.verifier.run_once()
    await parts.send_one()

    assert (EnrollmentStatus.ACTIVE, "verification") == (unasked[0], unasked[2])
    assert (EnrollmentStatus.STOPPED, StopReason.INVALID_ADDRESS) == (await standing(rig, run))[:2]
    assert 1 == len(rig.subjects(ANN))


async def test_what_was_found_out_goes_with_the_person(rig):
    """Erased means erased."""
    await rig.prepare(verification=Verification.MX)
    run = await rig.person(ANN)
    await ask(rig.parts())
    whose = {"workspace_id": run.workspace_id, "lead_id": run.lead_id}
    known = await rig.store.read(lambda reader: reader.one(AddressCheck, "address_checks.get", **whose))
    await rig.store.write(
        leads.erase, workspace_id=rig.workspace.id, email=ANN, keys=rig.around().keys, now=rig.clock.now()
    )

    assert ANN == known.address
    assert None is await rig.store.read(lambda reader: reader.one(AddressCheck, "address_checks.get", **whose))
