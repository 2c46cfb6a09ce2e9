"""The world as a demo uses it."""

import asyncio
import smtplib
import ssl
from datetime import timedelta

import pytest

from relance.sandbox.domains import Security
from relance.sandbox.person import Behaviour
from relance.sandbox.verdict import double_sends, sent_after_answer, totals
from sandbox.clients import BareClient, letter, send, with_imap, with_smtp
from sandbox.conftest import MONDAY, OpenWorld


async def test_eight_mailboxes_live_on_three_domains(open_world: OpenWorld):
    """Each protection is there, each mailbox has its own password, and one domain has short user names."""
    accounts = (await open_world(mailboxes=8)).accounts

    assert 8 == len({account.address for account in accounts}) == len({account.password for account in accounts})
    assert set(Security) == {account.smtp.security for account in accounts}
    assert all("@" not in each.username for each in accounts if each.smtp.security is Security.PLAIN)
    assert f"127.0.0.1:{accounts[0].smtp.port}:tls" == str(accounts[0].smtp)


async def test_a_client_must_be_told_to_trust_the_world(open_world: OpenWorld):
    """The certificate is good under the world's own authority only."""
    account = (await open_world()).accounts[0]

    with pytest.raises(ssl.SSLCertVerificationError):
        await BareClient.connect(account.imap, ssl.create_default_context())


async def test_an_answer_is_an_event_to_jump_to(open_world: OpenWorld):
    """From sending to reading the answer, with nothing but the world's own clock."""
    world = await open_world()
    account = world.accounts[0]
    world.population.settle("anna@shop.example", Behaviour.ANSWERS_AT_ONCE)
    nothing_yet = world.next_event()
    await send(account, "anna@shop.example")
    await world.until_quiet()
    event = world.next_event()
    assert event is not None
    world.clock.jump(event)
    acted = world.run_due(world.clock.now())
    found = await with_imap(account, lambda client: client.select("INBOX")[1])

    assert (None, 1, [b"1"]) == (nothing_yet, acted, found)
    assert event > MONDAY
    assert world.next_event() is None


async def test_the_world_is_quiet_when_nobody_asks_anything(open_world: OpenWorld):
    """An open connection is no open command; half a command is."""
    world = await open_world()
    client = await BareClient.connect(world.accounts[2].imap)
    await client.hear()
    await world.until_quiet()
    client.writer.write(b"a NO")
    while world.quiet():
        world.activity.changed.clear()
        await asyncio.sleep(0)
    await client.say("OP")
    await client.hear()
    await asyncio.wait_for(world.until_quiet(), 10)
    await client.close()


async def test_stopping_breaks_every_connection(open_world: OpenWorld):
    """No session outlives its world."""
    world = await open_world()
    client = await BareClient.connect(world.accounts[2].imap)
    await client.hear()
    await world.stop()

    assert "" == await client.hear()
    assert world.quiet()
    await client.close()


async def test_the_verdict_sees_what_a_careless_client_does(open_world: OpenWorld):
    """Two copies of one step, and a step after an answer."""
    world = await open_world()
    account = world.accounts[0]
    world.population.settle("anna@shop.example", Behaviour.ANSWERS_AT_ONCE)
    marked = "my note may have come at a bad moment"

    def twice(client: smtplib.SMTP) -> None:
        for number in range(2):
            raw = letter(account, "anna@shop.example", message_id=f"<{number}@x>", text=f"{number} {marked}")
            client.sendmail(account.address, ["anna@shop.example"], raw)

    await with_smtp(account, twice)
    event = world.next_event()
    assert event is not None
    world.clock.jump(event)
    world.run_due(event)
    world.clock.jump(event + timedelta(hours=1))
    await send(account, "anna@shop.example", message_id="<late@x>", text="Still there?")

    assert (1, 1) == (double_sends(world.journal), sent_after_answer(world.journal))
    assert (3, 1) == (totals(world.journal).accepted, totals(world.journal).people_who_answered)
