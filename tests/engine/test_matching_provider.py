"""Conversations opened from a mailbox of the person's own provider: always, where one is free, or not at all."""

from datetime import timedelta

from relance.core.address_check import AddressVerdict
from relance.core.mail_hosts import MailHost, ProviderMatch
from relance.ports.addresses import Finding
from relance.services import reports
from relance.services.explaining import explain
from relance.testing import builders
from relance.testing.builders import KEYS, email

PEOPLE = {
    "ann@lead.example": MailHost.GOOGLE,
    "ben@lead.example": MailHost.MICROSOFT,
    "cy@lead.example": MailHost.OTHER,
    "dan@lead.example": None,
}
GOOGLE, MICROSOFT = "gus@ours.example", "max@ours.example"
SERVERS = {GOOGLE: "smtp.gmail.com", MICROSOFT: "smtp.office365.com"}
INTRO = email("intro", subject="Hello")


async def prepare(rig, match, *boxes):
    """Enroll everybody into one sequence, with these mailboxes, and find out who runs whose mail."""
    rig.workspace = await rig.store.write(builders.workspace)
    await rig.rights.take(rig.store)
    for address in boxes:
        await rig.mailbox(address, settings={"smtp_host": SERVERS[address]}, min_gap=60.0, max_gap=60.0)
    await rig.publish(builders.plan(INTRO, match_provider=match))
    for person, host in PEOPLE.items():
        await rig.person(person)
        verdict = AddressVerdict.UNKNOWN if host is None else AddressVerdict.VALID
        rig.addresses.findings[person] = Finding(verdict=verdict, reason="so", host=host)
    return rig.parts()


async def send_all(rig, parts, minutes=12):
    """Let everybody be sent to who can be."""
    for _ in range(minutes):
        await parts.send_one()
        await parts.verifier.run_once()
        await parts.send_one()
        rig.clock.jump(rig.clock.now() + timedelta(minutes=1))


def from_whom(rig):
    """Return which mailbox wrote to whom."""
    return {one.recipient: one.mailbox for one in rig.world.accepted}


async def test_only_writes_to_each_from_their_own_provider(rig):
    """Whoever has another, or cannot be looked up, is written to from any."""
    parts = await prepare(rig, ProviderMatch.ONLY, GOOGLE, MICROSOFT)
    await send_all(rig, parts)
    wrote = from_whom(rig)

    assert set(PEOPLE) == set(wrote)
    assert (GOOGLE, MICROSOFT) == (wrote["ann@lead.example"], wrote["ben@lead.example"])


async def test_only_lets_people_wait_for_a_mailbox_of_their_provider(rig):
    """They are nobody's until one is connected."""
    parts = await prepare(rig, ProviderMatch.ONLY, GOOGLE)
    await send_all(rig, parts)
    before = set(from_whom(rig))
    now = rig.clock.advance(timedelta(hours=1))
    ids = {"workspace_id": rig.workspace.id, "now": now}
    stuck = {one.kind: one.remedy for one in await rig.store.read(reports.stuck, **ids)}
    told = await rig.store.read(explain, email="ben@lead.example", sequence_name=None, keys=KEYS, **ids)
    await rig.mailbox(MICROSOFT, settings={"smtp_host": SERVERS[MICROSOFT]})
    await send_all(rig, parts, minutes=2)

    assert set(PEOPLE) - {"ben@lead.example"} == before
    assert "no_mailbox: none of its mailboxes lies with microsoft" in stuck["overdue"]
    assert "no mailbox of its pool can be used" in told["enrollments"][0]["summary"]
    assert MICROSOFT == from_whom(rig)["ben@lead.example"]


async def test_prefer_keeps_nobody_waiting(rig):
    """Without a mailbox of their provider, any will do."""
    parts = await prepare(rig, ProviderMatch.PREFER, GOOGLE)
    await send_all(rig, parts)

    assert set(PEOPLE) == set(from_whom(rig))


async def test_prefer_takes_the_own_one_where_both_are_free(rig):
    """As long as both are."""
    parts = await prepare(rig, ProviderMatch.PREFER, GOOGLE, MICROSOFT)
    await send_all(rig, parts)
    wrote = from_whom(rig)

    assert (GOOGLE, MICROSOFT) == (wrote["ann@lead.example"], wrote["ben@lead.example"])


async def test_a_sequence_that_matches_no_more_leaves_nobody_behind(rig):
    """Who was put into a lane is written to by whomever once it says so."""
    parts = await prepare(rig, ProviderMatch.ONLY, GOOGLE)
    await send_all(rig, parts)
    await rig.publish(builders.plan(INTRO, match_provider=ProviderMatch.OFF))
    await send_all(rig, parts, minutes=2)

    assert GOOGLE == from_whom(rig)["ben@lead.example"]
