"""Limits of a whole workspace: over all sequences and mailboxes, and over all people of one company."""

from datetime import timedelta

import pytest

from relance.core.failure import TryLater
from relance.core.workspace import Workspace
from relance.services import scheduling, sending, workspace_settings
from relance.services.refusals import RefusedError
from relance.services.workspace_settings import Wanted


async def limit(life, scene, **wanted):
    """Change the workspace."""

    def change(tx):
        now = tx.one(Workspace, "workspaces.get", id=scene.workspace.id)
        workspace_settings.change(tx, now, Wanted(**wanted))

    await life.store.write(change)


async def workspace(life, scene):
    """Return the workspace as it is now."""
    return await life.store.read(lambda reader: reader.one(Workspace, "workspaces.get", id=scene.workspace.id))


def tomorrow(life):
    """Return the first instant of the next day."""
    return life.now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)


async def test_a_workspace_sends_no_more_a_day_than_it_says(life):
    """Over all sequences and mailboxes; its reason stands on the workspace, and no row is touched or claimed again."""
    scene = await life.scene()
    await life.scene(name="other", email="ben@elsewhere.example")
    await life.mailbox(scene, "al@acme.example")
    await limit(life, scene, daily_cap=1)
    await life.send()
    outcome = await life.attempt_to_reserve()
    put_off = await workspace(life, scene)
    again = await life.claim()
    upcoming = await life.store.read(scheduling.upcoming, now=life.now)

    assert isinstance(outcome, sending.Deferred)
    assert ("workspace_cap", tomorrow(life), "workspace_cap") == (
        outcome.reason,
        put_off.skip_until,
        put_off.last_skip_reason,
    )
    assert [] == again
    assert upcoming.senders is not None
    assert upcoming.senders <= tomorrow(life)
    life.clock.jump(tomorrow(life))
    assert 1 == len(await life.claim(limit=1))


async def test_a_workspace_whose_cap_is_raised_goes_on_at_once(life):
    """What it was put off for is asked anew."""
    scene = await life.scene()
    await life.person(scene, "ben@elsewhere.example")
    await limit(life, scene, daily_cap=1)
    await life.send()
    await life.attempt_to_reserve()
    await limit(life, scene, daily_cap=2)

    assert isinstance(await life.attempt_to_reserve(), sending.Reserved)


async def test_another_workspace_does_not_wait_for_it(life):
    """A limit is its own tenant's."""
    scene = await life.scene()
    await life.person(scene, "ben@elsewhere.example")
    await limit(life, scene, daily_cap=1)
    await life.send()
    await life.attempt_to_reserve()
    beta = await life.scene(workspace="beta")
    claims = await life.claim()

    assert [beta.workspace.id] == [claimed.workspace_id for claimed in claims]


async def test_the_people_of_one_company_get_no_more_a_day_than_allowed(life):
    """Subdomains are the same company; whoever is over it waits on their own row, and others go first."""
    scene = await life.scene(email="ann@lead.example")
    second = await life.person(scene, "ben@sales.lead.example")
    await limit(life, scene, recipient_domain_daily_cap=1)
    await life.send()
    outcome = await life.attempt_to_reserve()
    waiting = await life.again(second)
    await life.person(scene, "cy@another.example")
    other = await life.reserved()

    assert isinstance(outcome, sending.Deferred)
    assert ("recipient_domain_cap", tomorrow(life)) == (waiting.last_skip_reason, waiting.skip_until)
    assert "cy@another.example" == other.lead.email


async def test_a_domain_that_strangers_share_is_no_company(life):
    """Two people at gmail.com have nothing to do with one another."""
    scene = await life.scene(email="ann@gmail.com")
    await life.person(scene, "ben@gmail.com")
    await limit(life, scene, recipient_domain_daily_cap=1)
    await life.send()

    assert isinstance(await life.attempt_to_reserve(), sending.Reserved)


async def test_a_definite_failure_gives_the_wider_limits_back(life):
    """Nothing left, so nothing counts."""
    scene = await life.scene()
    await limit(life, scene, daily_cap=1, recipient_domain_daily_cap=1)
    _, attempt = await life.begun()
    await life.fail(attempt, TryLater(reason="greylisted", response="451 4.7.1 try again later"))
    life.later(minutes=11)

    assert isinstance(await life.attempt_to_reserve(), sending.Reserved)


async def test_an_unknown_outcome_keeps_the_wider_limits(life):
    """It may have left."""
    scene = await life.scene()
    await life.person(scene, "ben@elsewhere.example")
    await limit(life, scene, daily_cap=1)
    await life.lost()
    outcome = await life.attempt_to_reserve()

    assert isinstance(outcome, sending.Deferred)
    assert "workspace_cap" == outcome.reason


async def test_limits_are_taken_away_and_slips_are_refused(life):
    """0 and `none` mean no limit; hours that never end are no quiet hours."""
    scene = await life.scene()
    await limit(life, scene, daily_cap=5, quiet_hours="20:00-08:00")
    before = (await workspace(life, scene)).settings
    await limit(life, scene, daily_cap=0)
    after = (await workspace(life, scene)).settings

    assert {"daily_cap": 5, "quiet_hours": "20:00-08:00"} == dict(before)
    assert {"quiet_hours": "20:00-08:00"} == dict(after)
    with pytest.raises(RefusedError, match="never end"):
        await limit(life, scene, quiet_hours="20:00-20:00")
    with pytest.raises(RefusedError, match="write it like"):
        await limit(life, scene, quiet_hours="evening")


async def test_quiet_hours_of_the_workspace_hold_a_sequence_without_its_own(life):
    """From nine in the morning until noon nothing leaves."""
    scene = await life.scene()
    await limit(life, scene, quiet_hours="08:00-12:00")
    outcome = await life.attempt_to_reserve()

    assert isinstance(outcome, sending.Deferred)
    assert ("quiet_hours", 12) == (outcome.reason, outcome.until.hour)
