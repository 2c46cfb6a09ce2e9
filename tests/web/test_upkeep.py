"""Suppression, Stuck and Doctor in the browser."""

import pytest

from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment
from relance.core.suppression import SuppressionReason
from relance.services import suppressions
from relance.services.records import insert_attempt
from relance.testing import builders
from web.house import House


async def suppressed(house: House, email: str) -> list[str]:
    """Return the sources of what binds an address."""
    found = await house.installation.read(
        suppressions.binding,
        workspace_id=house.workspace.id,
        email=email,
        phone=None,
        tombstone_key=house.installation.keys.tombstone,
    )
    return [one.source for one in found]


async def test_a_member_suppresses_and_an_admin_takes_back(house: House):
    """The list names who did it."""
    async with house.browser("member") as member, house.browser("admin") as admin:
        await member.post(house.path("suppressions"), data={"target": " @Rival.example "})
        shown = (await member.get(house.path("suppressions"))).text
        refused = await member.post(house.path("suppressions/remove"), data={"target": "@rival.example"})
        bound = await suppressed(house, "ann@rival.example")
        await admin.post(house.path("suppressions/remove"), data={"target": "@rival.example"})

    assert "rival.example" in shown
    assert (403, ["member@acme.example"]) == (refused.status_code, bound)
    assert [] == await suppressed(house, "ann@rival.example")


async def test_somebody_is_looked_up(house: House):
    """By the same rules as a send is held back."""
    async with house.browser("viewer") as browser, house.browser("member") as member:
        before = (await browser.get(house.path("suppressions"), params={"q": "ann@rival.example"})).text
        await member.post(house.path("suppressions"), data={"target": "@rival.example"})
        after = (await browser.get(house.path("suppressions"), params={"q": "ann@rival.example"})).text
        nonsense = (await browser.get(house.path("suppressions"), params={"q": "<b>"})).text

    assert "Nothing keeps mail from ann@rival.example" in before
    assert "Nothing keeps mail from" not in after
    assert "is neither an address" in nonsense
    assert "<b>" not in nonsense.replace("<body", "")


async def test_a_file_is_read_and_its_faults_are_named(house: House):
    """What is right in it counts; each wrong line is said with its reason."""
    file = ("list.csv", b"email\nann@lead.example\nnonsense\n@rival.example\n", "text/csv")
    async with house.browser("member") as browser:
        answer = await browser.post(house.path("suppressions"), files={"file": file})

    assert "3 rows: 2 added, 0 known, 1 invalid" in answer.text
    assert "Line 3, nonsense" in answer.text
    assert ["import of list.csv"] == await suppressed(house, "ann@lead.example")


@pytest.mark.parametrize("who, status", [("member", 403), ("admin", 403), ("owner", 303)])
async def test_only_an_owner_suppresses_everywhere(house: House, who: str, status: int):
    """It binds workspaces in which the others may not even look."""
    async with house.browser(who) as browser:
        answer = await browser.post(house.path("suppressions"), data={"target": "ann@lead.example", "scope": "global"})

    assert status == answer.status_code


async def test_a_long_list_has_pages(house: House):
    """A page costs what it shows."""

    def many(tx):
        for number in range(150):
            suppressions.suppress_address(
                tx,
                workspace_id=house.workspace.id,
                address=f"p{number:03}@lead.example",
                reason=SuppressionReason.MANUAL,
                source="a test",
                now=house.clock.now(),
            )

    await house.installation.write(many)
    async with house.browser("viewer") as browser:
        first = (await browser.get(house.path("suppressions"))).text
        after = first.partition("/suppressions?after=")[2].partition('"')[0]
        second = (await browser.get(house.path("suppressions"), params={"after": after})).text

    assert ("p099@" in first, "p100@" in first) == (True, False)
    assert ("p099@" in second, "p149@" in second, "?after=" in second) == (False, True, False)


async def test_stuck_says_what_stands_still_and_what_to_do(house: House):
    """And where nothing does, that."""
    async with house.browser("viewer") as browser:
        well = (await browser.get(house.path("stuck"))).text

        def enroll(tx):
            builders.published(tx, house.workspace, builders.plan(), now=house.clock.now())
            lead = builders.lead(tx, house.workspace, "ann@lead.example", now=house.clock.now())
            builders.enrollment(tx, house.workspace, lead, keys=house.installation.keys, now=house.clock.now())

        await house.installation.write(enroll)
        stuck = (await browser.get(house.path("stuck"))).text

    assert "Nothing is stuck" in well
    assert "q4" in stuck


async def test_settling_an_attempt_that_is_not_there_is_refused(house: House):
    """Another workspace's attempts are not there either."""
    async with house.browser("member") as browser:
        answer = await browser.post(house.path("stuck"), data={"attempt": "7", "outcome": "sent"})

    assert 404 == answer.status_code


async def test_doctor_shows_what_the_command_shows(house: House):
    """The quick look leaves the records out, and says so."""
    async with house.browser("admin") as browser:
        quick = (await browser.get(house.path("doctor"))).text
        whole = (await browser.post(house.path("doctor"))).text

    assert "connect one with" in quick
    assert "was not looked at" in quick
    assert "no contradiction among" in whole


async def test_the_audit_of_a_sequence_counts_what_left(house: House):
    """By step; and who got it, on request."""

    def send(tx):
        builders.mailbox(tx, house.workspace, "bo@ours.example", now=house.clock.now())
        builders.published(tx, house.workspace, builders.plan(), now=house.clock.now())
        lead = builders.lead(tx, house.workspace, "ann@lead.example", now=house.clock.now())
        run = builders.enrollment(tx, house.workspace, lead, keys=house.installation.keys, now=house.clock.now())
        insert_attempt(tx, sent_attempt(run, house))

    async with house.browser("viewer") as browser:
        unknown = await browser.get(house.path("audit/q4"))
        await house.installation.write(send)
        page = (await browser.get(house.path("audit/q4"))).text
        who = (await browser.get(house.path("audit/q4/who"))).text

    assert 404 == unknown.status_code
    assert ("Nobody got a step twice" in page, "ann@lead.example" in page) == (True, False)
    assert "ann@lead.example" in who


def sent_attempt(run: Enrollment, house: House) -> Attempt:
    """Return the first step of a run as it left."""
    now = house.clock.now()
    return Attempt(
        workspace_id=run.workspace_id,
        id=0,
        enrollment_id=run.id,
        lead_id=run.lead_id,
        sequence_id=run.sequence_id,
        mailbox_id=1,
        step="intro",
        version=1,
        step_counter=1,
        variant="a",
        status=AttemptStatus.SENT,
        message_id="<1@ours.example>",
        trace="t",
        recipient="ann@lead.example",
        opens_thread=True,
        planned_at=now,
        holds_slot=True,
        slot_day="2026-11-30",
        slot_hour="2026-11-30T09",
        sent_at=now,
        created_at=now,
    )
