"""The pages about mailboxes: connected, looked at, changed, and their domains."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from connectors.name_server import name_server
from relance.connectors.addresses.domain_records import NameServerInspector
from relance.core.mailbox import Mailbox
from relance.sandbox.clock import SandboxClock
from relance.sandbox.faults import NO_FAULTS
from relance.sandbox.world import World
from relance.services import mailboxes
from relance.testing import builders
from web.house import House


@pytest.fixture
async def box(house: House) -> Mailbox:
    """Return a connected mailbox."""
    return await house.installation.write(
        builders.mailbox, house.workspace, "bo@acme.example", now=house.clock.now(), provider="smtp_imap"
    )


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Return running mail servers without faults."""
    clock = SandboxClock(datetime(2026, 11, 30, 8, tzinfo=UTC))
    made = World(clock=clock, seed=1, faults=NO_FAULTS, mailboxes=1, directory=tmp_path / "world")
    await made.start()
    yield made
    await made.stop()


async def connected(house: House) -> list[str]:
    """Return the addresses of what is connected."""
    found = await house.installation.read(mailboxes.of_workspace, house.workspace.id)
    return [one.address for one in found]


async def test_each_mailbox_is_shown_with_its_day_and_its_health(house: House, box: Mailbox):
    """Also to who may only look."""
    async with house.browser("viewer") as browser:
        page = await browser.get(house.path("mailboxes"))
        one = await browser.get(house.path(f"mailboxes/{box.id}"))

    assert "0 of 40" in page.text
    assert "bo@acme.example" in page.text
    assert "judged from 50 on" in one.text
    assert f"{box.id}/settings" not in one.text


async def test_a_mailbox_is_paused_and_resumed(house: House, box: Mailbox):
    """By who works with it."""
    there = house.path(f"mailboxes/{box.id}")
    async with house.browser() as browser:
        await browser.post(f"{there}/pause")
        paused = await browser.get(there)
        await browser.post(f"{there}/resume")
        resumed = await browser.get(there)

    assert "Paused by member@acme.example" in paused.text
    assert "Nothing holds it" in resumed.text


async def test_settings_are_changed_by_an_admin_and_checked(house: House, box: Mailbox):
    """What cannot be is said, and nothing is changed."""
    there = house.path(f"mailboxes/{box.id}/settings")
    servers = {"smtp": "smtp.acme.example:465:tls", "imap": "imap.acme.example:993:tls"}
    words = {"daily_cap": "77", "ramp": "yes", "display_name": "Bo, of Acme", "pool": "north", "signature": "Bo"}
    async with house.browser("member") as browser:
        forbidden = await browser.post(there, data=words)
    async with house.browser("admin") as browser:
        wrong = await browser.post(there, data={**words, "min_gap": "90", "max_gap": "9"})
        endless = await browser.post(there, data={**words, "daily_cap": "-3"})
        right = await browser.post(there, data={**words, **servers})

    assert [403, 422, 422, 303] == [one.status_code for one in (forbidden, wrong, endless, right)]
    found = await house.installation.read(mailboxes.by_address, house.workspace.id, box.address)
    assert (77, "Bo, of Acme", "north", "Bo", True) == (
        found.daily_cap,
        found.display_name,
        found.pool,
        found.signature_text,
        found.ramp,
    )
    assert "smtp.acme.example" == found.settings["smtp_host"]


async def test_a_mailbox_is_removed_by_its_typed_address(house: House, box: Mailbox):
    """Nobody removes one by a slip."""
    there = house.path(f"mailboxes/{box.id}/remove")
    async with house.browser("admin") as browser:
        await browser.post(there, data={"address": "another"})
        kept = await connected(house)
        await browser.post(there, data={"address": box.address})

    assert [box.address] == kept
    assert [] == await connected(house)


async def test_nobody_reaches_another_workspaces_mailbox(house: House, box: Mailbox):
    """By its number neither."""
    async with house.browser("stranger") as browser:
        answers = [
            await browser.get(f"/w/other/mailboxes/{box.id}"),
            *[await browser.post(f"/w/other/mailboxes/{box.id}/{act}") for act in ("pause", "settings", "check")],
        ]
        page = await browser.get("/w/other/mailboxes")

    assert [404] * 4 == [answer.status_code for answer in answers]
    assert box.address not in page.text


async def test_a_provider_is_found_by_the_address_and_by_who_takes_its_mail(house: House):
    """So that nobody has to look up servers."""
    async with name_server({"acme.example": {"MX": ["10 in1.messagingengine.com."]}}) as (_, place):
        house.installation.domains = NameServerInspector(name_server=place)
        async with house.browser("admin") as browser:
            own = await browser.get(house.path("mailboxes/new?address=bo@gmail.com"))
            hosted = await browser.get(house.path("mailboxes/new?address=bo@acme.example"))
            unknown = await browser.get(house.path("mailboxes/new?address=bo@other.example"))

    assert "smtp.gmail.com:465:tls" in own.text
    assert "app password" in own.text
    assert "smtp.fastmail.com:465:tls" in hosted.text
    assert "No provider was recognised" in unknown.text


async def test_what_does_not_work_is_said_and_not_connected(house: House):
    """Precisely, and the password is not shown again; a person may connect it all the same."""
    words = {
        "address": "bo@acme.example",
        "password": "s3cret-of-bo",
        "smtp": "127.0.0.1:1:plain",
        "imap": "127.0.0.1:1:plain",
    }
    async with house.browser("admin") as browser:
        refused = await browser.post(house.path("mailboxes/new"), data=words)
        missing = await browser.post(house.path("mailboxes/new"), data={**words, "smtp": ""})
        before = await connected(house)
        anyway = await browser.post(house.path("mailboxes/new"), data={**words, "anyway": "yes"})

    assert [422, 422, 303] == [one.status_code for one in (refused, missing, anyway)]
    assert "check host and port" in refused.text
    assert "smtp is empty" in missing.text.casefold()
    assert all("s3cret" not in one.text for one in (refused, missing))
    assert ([], ["bo@acme.example"]) == (before, await connected(house))


async def test_what_works_is_connected_and_what_was_learned_is_kept(house: House, world: World):
    """Tried from end to end: both logins, the folders, a message to itself; then checked again from its page."""
    [account] = world.accounts
    words = {
        "address": account.address,
        "username": account.username,
        "password": account.password,
        "smtp": str(account.smtp),
        "imap": str(account.imap),
        "ca_file": str(account.ca_file),
        "pacing": "cautious",
    }
    async with house.browser("admin") as browser:
        wrong = await browser.post(house.path("mailboxes/new"), data={**words, "password": "another"})
        right = await browser.post(house.path("mailboxes/new"), data=words)
        page = await browser.get(right.headers["location"])
        checked = await browser.post(f"{right.headers['location']}/check")

    assert 422 == wrong.status_code
    assert "does not work yet" in wrong.text
    assert 303 == right.status_code
    assert "0 of 10" in page.text
    assert "It works" in checked.text
    found = await house.installation.read(mailboxes.by_address, house.workspace.id, account.address)
    assert (30, True) == (found.daily_cap, found.saves_sent is not None)


@pytest.mark.usefixtures("box")
async def test_domains_are_looked_at_and_the_record_to_add_is_shown(house: House):
    """By name servers; under the names that a person says."""
    zones: dict[str, dict[str, list[str]] | str] = {
        "acme.example": {"MX": ["10 mx.acme.example."]},
        "k7._domainkey.acme.example": {"TXT": ['"v=DKIM1; p=MIIB"']},
    }
    there = house.path("mailboxes/domains")
    async with name_server(zones) as (_, place), house.browser() as browser:
        house.installation.domains = NameServerInspector(name_server=place)
        before = await browser.get(there)
        await browser.post(f"{there}/acme.example/selectors", data={"selectors": "k7, k8"})
        await browser.post(f"{there}/acme.example/check")
        after = await browser.get(there)
        elsewhere = await browser.post(f"{there}/example.com/check")

    assert "Never looked at" in before.text
    assert "v=spf1 mx ~all" in after.text
    assert "k7._domainkey.acme.example" in after.text
    assert "_dmarc.acme.example" in after.text
    assert 404 == elsewhere.status_code


async def test_many_are_connected_from_a_file_and_a_bad_row_takes_no_other_along(house: House):
    """No password is shown again, none lies on the disk, and no command is taken from a browser."""
    content = (
        "address,password,smtp,imap,daily_cap\n"
        "ann@gmail.com,s3cret-1,,,25\n"
        "bo@acme.example,s3cret-2,smtp.acme.example:465:tls,imap.acme.example:993:tls,\n"
        "cy@acme.example,s3cret-3,,,\n"
        "dan@gmail.com,s3cret-4,,,many\n"
    )
    command = "address,password_command,smtp,imap\neve@gmail.com,pass show eve,,\n"
    async with house.browser("admin") as browser:

        async def send(text: str, **words: str) -> httpx.Response:
            files = {"file": ("boxes.csv", text.encode(), "text/csv")}
            return await browser.post(house.path("mailboxes/import"), files=files, data=words)

        tried = await send(content, **{"try": "yes"})
        nobody = await connected(house)
        done = await send(content)
        refused = await send(command)
        unknown = await send("address,passwort\na@gmail.com,x\n")

    assert ("<dd>2</dd>" in tried.text, []) == (True, nobody)
    assert ["ann@gmail.com", "bo@acme.example"] == await connected(house)
    assert "names no smtp server" in done.text
    assert "daily_cap" in done.text
    assert "command line only" in refused.text
    assert (422, True) == (unknown.status_code, "means nothing here" in unknown.text)
    assert all("s3cret" not in page.text for page in (tried, done))
    assert not list(house.installation.config.data.joinpath("uploads").iterdir())
