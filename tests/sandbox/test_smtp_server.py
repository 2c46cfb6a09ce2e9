"""The submission server, seen by the standard library's client."""

import asyncio
import base64
import smtplib

import pytest

from relance.sandbox.domains import DEFAULT_DOMAINS, Domain, Security
from relance.sandbox.journal import Nature, Refused
from relance.sandbox.mailstore import Use, header_fields
from relance.sandbox.person import Behaviour
from sandbox.clients import BareClient, letter, open_smtp, send, with_smtp
from sandbox.conftest import MONDAY, OpenWorld

PERSON = "anna@shop.example"


@pytest.mark.parametrize("number", range(3))
async def test_every_default_domain_accepts_mail(open_world: OpenWorld, number: int):
    """The journal knows when, from whom, for whom and what; Sent keeps a copy where the domain saves one."""
    world = await open_world()
    account = world.accounts[number]
    await send(account, PERSON, message_id="<m@test>")
    (accepted,) = world.journal.accepted()
    sent = world.mailbox(account.address).store.by_use(Use.SENT)

    assert (MONDAY, account.address, PERSON, "<m@test>", "Hi") == (
        accepted.at,
        accepted.mailbox,
        accepted.recipient,
        accepted.message_id,
        accepted.subject,
    )
    assert (1 if DEFAULT_DOMAINS[number].saves_sent else 0) == len(sent)


async def test_stuffed_dots_are_taken_away(open_world: OpenWorld):
    """RFC 5321 §4.5.2: what the client wrote is what the person gets."""
    world = await open_world()
    raw = letter(world.accounts[0], PERSON, text=".first\r\n..second\r\n.\r\nlast")
    await with_smtp(world.accounts[0], lambda client: client.sendmail("x@y.example", [PERSON], raw))
    (accepted,) = world.journal.accepted()

    assert raw == accepted.raw


async def test_nobody_sends_without_a_login(open_world: OpenWorld):
    """530 before AUTH, 535 for a wrong password."""
    account = (await open_world()).accounts[2]

    def talk(_: smtplib.SMTP) -> int:
        with open_smtp(account, login=False) as client:
            client.ehlo()
            code = client.mail("x@y.example")[0]
            with pytest.raises(smtplib.SMTPAuthenticationError, match="535"):
                client.login(account.username, "wrong")
            return code

    assert 530 == await with_smtp(account, talk)


@pytest.mark.parametrize("mechanism", ["auth_plain", "auth_login"])
async def test_passwords_come_in_two_ways(open_world: OpenWorld, mechanism: str):
    """AUTH PLAIN and AUTH LOGIN, each with and without an initial response."""
    account = (await open_world()).accounts[2]

    def talk(_: smtplib.SMTP) -> list[int]:
        codes = []
        for initial in (True, False):
            with open_smtp(account, login=False) as client:
                client.ehlo()
                client.user, client.password = account.username, account.password
                name = mechanism.removeprefix("auth_").upper()
                codes.append(client.auth(name, getattr(client, mechanism), initial_response_ok=initial)[0])
        return codes

    assert [235, 235] == await with_smtp(account, talk)


@pytest.mark.parametrize("secret,reply", [("right", "235"), ("stale", "334")])
async def test_tokens_are_accepted_or_explained(open_world: OpenWorld, secret: str, reply: str):
    """XOAUTH2: the account's password is its token; a bad one gets a challenge first, then 535."""
    account = (await open_world()).accounts[2]
    token = account.password if secret == "right" else secret
    response = base64.b64encode(f"user={account.username}\x01auth=Bearer {token}\x01\x01".encode()).decode()
    client = await BareClient.connect(account.smtp)
    await client.hear()
    await client.say(f"AUTH XOAUTH2 {response}")
    heard = await client.hear()
    await client.say("")
    after = await client.hear()
    await client.close()

    assert reply == heard[:3]
    assert ("535" if reply == "334" else "500") == after[:3]


async def test_credentials_wait_for_encryption_where_it_is_demanded(open_world: OpenWorld):
    """The STARTTLS domain offers no AUTH in the clear."""
    account = (await open_world()).accounts[1]

    def talk(_: smtplib.SMTP) -> tuple[bool, bool, int]:
        with smtplib.SMTP(account.smtp.host, account.smtp.port, timeout=10) as client:
            client.ehlo()
            return client.has_extn("starttls"), client.has_extn("auth"), client.docmd("AUTH PLAIN AGEAYg==")[0]

    assert (True, False, 530) == await with_smtp(account, talk)


async def test_an_unknown_user_is_refused_at_rcpt(open_world: OpenWorld):
    """550 5.1.1, in the journal as refused, for people and for the world's own domains."""
    world = await open_world()
    world.population.settle(PERSON, Behaviour.UNKNOWN_USER)
    account = world.accounts[0]
    own = "nobody@nordpost.example"

    def talk(client: smtplib.SMTP) -> list[bytes]:
        client.mail(account.address)
        return [client.rcpt(each)[1] for each in (PERSON, own)]

    replies = await with_smtp(account, talk)

    assert all(reply.startswith(b"5.1.1 ") for reply in replies)
    assert [PERSON, own] == [entry.recipient for entry in world.journal if isinstance(entry, Refused)]
    assert [] == list(world.journal.accepted())


async def test_mail_between_mailboxes_of_the_world_arrives(open_world: OpenWorld):
    """A mailbox can write to itself, also with a +detail, to learn how its server behaves."""
    world = await open_world()
    account = world.accounts[0]
    await send(account, account.address.replace("@", "+probe@"))
    inbox = world.mailbox(account.address).store.by_use(Use.INBOX)

    assert [Nature.OTHER] == [arrived.nature for arrived in world.journal.arrived()]
    assert ["<one@test>"] == inbox.headers(inbox.at(1))["message-id"]
    assert [f"<{account.address}>"] == inbox.headers(inbox.at(1))["return-path"]


async def test_a_domain_may_rewrite_message_ids(open_world: OpenWorld):
    """Sent and the person see another id; the journal keeps the one on the wire."""
    domain = Domain(name="rewriter.example", security=Security.PLAIN, rewrites_message_id=True)
    world = await open_world(domains=[domain])
    world.population.settle(PERSON, Behaviour.ANSWERS_AT_ONCE)
    account = world.accounts[0]
    await send(account, PERSON)
    world.clock.jump(world.next_event() or MONDAY)
    world.run_due(world.clock.now())
    store = world.mailbox(account.address).store
    (copy,), (answer,) = store.by_use(Use.SENT), store.by_use(Use.INBOX)
    (new_id,) = header_fields(copy.raw)["message-id"]

    assert ["<one@test>"] == [each.message_id for each in world.journal.accepted()]
    assert new_id.endswith("@relay.rewriter.example>")
    assert [new_id] == header_fields(answer.raw)["in-reply-to"]


async def test_commands_may_come_all_at_once(open_world: OpenWorld):
    """PIPELINING (RFC 2920): answers come in order, and the world is quiet afterwards."""
    world = await open_world()
    account = world.accounts[2]
    credentials = base64.b64encode(f"\0{account.username}\0{account.password}".encode()).decode()
    client = await BareClient.connect(account.smtp)
    await client.say(
        f"EHLO me\r\nAUTH PLAIN {credentials}\r\nMAIL FROM:<a@b.example> SIZE=100 BODY=8BITMIME\r\n"
        f"RCPT TO:<{PERSON}>\r\nDATA\r\n.\r\nMAIL FROM:<a@b.example> SIZE=99999999\r\nRCPT TO:<{PERSON}>\r\nDATA\r\n"
        "RSET\r\nNOOP\r\nVRFY x\r\nQUIT"
    )
    lines = await client.hear_until("221")
    await client.close()
    await world.until_quiet()

    codes = ["220", *["250"] * 6, "235", "250", "250", "354", "250", "552", "503", "554", "250", "250", "252", "221"]
    assert codes == [line[:3] for line in lines]
    assert [b""] == [accepted.raw for accepted in world.journal.accepted()]


async def test_a_message_in_transit_keeps_the_world_from_being_quiet(open_world: OpenWorld):
    """Between DATA and the final dot a command is open."""
    world = await open_world()
    account = world.accounts[2]

    def start(client: smtplib.SMTP) -> bool:
        client.mail(account.address)
        client.rcpt(PERSON)
        client.docmd("DATA")
        resting = world.quiet()
        client.send(b"Subject: x\r\n\r\n.\r\n")
        client.getreply()
        return resting

    assert False is await with_smtp(account, start)
    await asyncio.wait_for(world.until_quiet(), 10)
