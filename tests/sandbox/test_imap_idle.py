"""IDLE, logins and literals of the IMAP server, over a bare connection; and when the world is quiet."""

import base64
import ssl

import pytest

from relance.sandbox.domains import Account
from relance.sandbox.faults import FaultKind, FaultPlan
from relance.sandbox.journal import Nature
from relance.sandbox.world import World
from sandbox.clients import BareClient, trusting
from sandbox.conftest import OpenWorld

RAW = b"From: p@x.example\r\nMessage-ID: <n@x.example>\r\n\r\nNews\r\n"


async def idle(account: Account, context: ssl.SSLContext | None = None) -> BareClient:
    """Connect, log in, open INBOX and idle."""
    client = await BareClient.connect(account.imap, context)
    await client.say(f"a LOGIN {account.username} {account.password}")
    await client.hear_until("a OK")
    await client.say("b SELECT INBOX")
    await client.hear_until("b OK")
    await client.say("c IDLE")
    assert "+ idling" == await client.hear()
    return client


def deliver(world: World, account: Account) -> None:
    """Let one message arrive in the account's inbox."""
    world.post_office.deliver(account.address, RAW, sender="p@x.example", nature=Nature.ANSWER, person="p@x.example")


async def test_news_is_pushed_and_stays_open_until_the_client_reacts(open_world: OpenWorld):
    """Virtual time must not jump over a push that nobody has looked at."""
    world = await open_world()
    account = world.accounts[0]
    client = await idle(account, trusting(account))
    await world.until_quiet()
    deliver(world, account)
    quiet_after_push = world.quiet()
    pushed = await client.hear()
    await client.say("DONE")
    done = await client.hear()
    await world.until_quiet()
    await client.close()

    assert quiet_after_push is False
    assert ("* 1 EXISTS", "c OK IDLE done") == (pushed, done)


async def test_a_push_is_consumed_when_another_connection_reads_the_folder(open_world: OpenWorld):
    """A watcher may keep idling while a poller fetches."""
    world = await open_world()
    account = world.accounts[2]
    watcher = await idle(account)
    await world.until_quiet()
    deliver(world, account)
    assert world.quiet() is False
    poller = await BareClient.connect(account.imap)
    await poller.say(f"a LOGIN {account.username} {account.password}")
    await poller.say("b EXAMINE INBOX")
    await poller.hear_until("b OK")
    await world.until_quiet()

    assert "* 1 EXISTS" == await watcher.hear()
    await watcher.close()
    await poller.close()


async def test_a_push_to_a_client_that_hangs_up_is_forgotten(open_world: OpenWorld):
    """Nobody is left to consume it."""
    world = await open_world()
    client = await idle(world.accounts[2])
    await world.until_quiet()
    deliver(world, world.accounts[2])
    await client.close()

    await world.until_quiet()


async def test_a_silent_idle_keeps_the_connection_and_tells_nothing(open_world: OpenWorld):
    """The fault that only a sweep or a new IDLE finds; the world stays quiet meanwhile."""
    plan = FaultPlan(kinds=frozenset({FaultKind.IDLE_SILENT}))
    world = await open_world(faults=plan)
    client = await idle(world.accounts[2])
    for _ in range(4):
        deliver(world, world.accounts[2])
    await client.say("DONE")
    lines = await client.hear_until("c OK")
    await client.close()

    assert 1 == world.faults.counts[FaultKind.IDLE_SILENT]
    assert "* 4 EXISTS" == lines[-2]
    assert len(lines) < 5 + 1


async def test_an_idle_may_be_closed_instead_of_pushed(open_world: OpenWorld):
    """The client sees the end of the connection."""
    world = await open_world(faults=FaultPlan(kinds=frozenset({FaultKind.IDLE_CLOSED})))
    client = await idle(world.accounts[2])
    for _ in range(4):
        deliver(world, world.accounts[2])
    while await client.hear():
        pass
    await world.until_quiet()
    await client.close()

    assert 1 == world.faults.counts[FaultKind.IDLE_CLOSED]


def xoauth2(username: str, token: str) -> str:
    """Write the initial response."""
    return base64.b64encode(f"user={username}\x01auth=Bearer {token}\x01\x01".encode()).decode()


@pytest.mark.parametrize("initial", [True, False])
async def test_a_token_lets_in_with_and_without_initial_response(open_world: OpenWorld, initial: bool):  # noqa: FBT001
    """XOAUTH2 with SASL-IR in one line, or after the server's go-ahead."""
    account = (await open_world()).accounts[2]
    client = await BareClient.connect(account.imap)
    response = xoauth2(account.username, account.password)
    await client.say("a AUTHENTICATE XOAUTH2" + (f" {response}" if initial else ""))
    if not initial:
        await client.hear_until("+")
        await client.say(response)

    assert "Logged in" in (await client.hear_until("a "))[-1]
    await client.close()


async def test_a_bad_token_is_explained_before_it_is_refused(open_world: OpenWorld):
    """The server sends a challenge with the error, and NO after the client's empty answer."""
    account = (await open_world()).accounts[2]
    client = await BareClient.connect(account.imap)
    await client.say(f"a AUTHENTICATE XOAUTH2 {xoauth2(account.username, 'stale')}")
    challenge = (await client.hear_until("+"))[-1]
    await client.say("")

    assert b'"status":"400"' in base64.b64decode(challenge[2:])
    assert (await client.hear()).startswith("a NO [AUTHENTICATIONFAILED]")
    await client.close()


async def test_nobody_logs_in_without_encryption_where_it_is_demanded(open_world: OpenWorld):
    """The STARTTLS domain says LOGINDISABLED and means it."""
    account = (await open_world()).accounts[1]
    client = await BareClient.connect(account.imap)
    greeting = await client.hear()
    await client.say(f"a LOGIN {account.username} {account.password}")

    assert "LOGINDISABLED" in greeting
    assert (await client.hear()).startswith("a NO [PRIVACYREQUIRED]")
    await client.close()


async def test_literals_come_with_and_without_waiting(open_world: OpenWorld):
    """RFC 7888: LITERAL+ saves the round trip where it is offered, and ends the conversation where it is not."""
    world = await open_world()
    rich, poor = world.accounts[0], world.accounts[2]
    client = await BareClient.connect(rich.imap, trusting(rich))
    await client.say(
        f"a LOGIN {{{len(rich.username)}+}}\r\n{rich.username} {{{len(rich.password)}+}}\r\n{rich.password}"
    )
    accepted = (await client.hear_until("a "))[-1]
    await client.close()
    other = await BareClient.connect(poor.imap)
    await other.say(f"a LOGIN {{{len(poor.username)}}}")
    go_on = (await other.hear_until("+"))[-1]
    await other.say(f"{poor.username} {{{len(poor.password)}+}}\r\n{poor.password}")

    assert accepted.startswith("a OK")
    assert "+ Go on" == go_on
    assert "* BYE Literal refused" == await other.hear()
    await other.close()


@pytest.mark.parametrize("line", ["a NONSENSE", "a LOGIN (x", "a UID", "a SELECT INBOX", "a FETCH 1 (FLAGS)", "x"])
async def test_nonsense_is_answered_and_the_conversation_goes_on(open_world: OpenWorld, line: str):
    """No client's mistake ends a session."""
    client = await BareClient.connect((await open_world()).accounts[2].imap)
    await client.hear()
    await client.say(line)
    refusal = await client.hear()
    await client.say("z NOOP")

    assert refusal.split()[1] in {"NO", "BAD"}
    assert "z OK Done" == await client.hear()
    await client.close()
