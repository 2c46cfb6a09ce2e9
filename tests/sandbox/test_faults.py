"""Faults: certain to come, decided by the seed, and each as it is in the field."""

import asyncio
import smtplib
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import Account
from relance.sandbox.faults import DataFate, FaultKind, FaultPlan, Faults, LoginFate, Protocol, PushFate, Schedule
from relance.sandbox.journal import Lost
from relance.sandbox.mailstore import Use
from sandbox.clients import letter, open_imap, open_smtp
from sandbox.conftest import MONDAY, OpenWorld

SEEDS = st.integers(min_value=0, max_value=1 << 40)


@given(seed=SEEDS, first=st.integers(1, 20), period=st.integers(1, 20), blocks=st.integers(1, 5))
def test_each_block_has_exactly_one_fault(seed: int, first: int, period: int, blocks: int):
    """Whatever the seed, a fault neither stays away nor piles up."""
    schedule = Schedule(seed=seed, what="x", first=first, period=period)
    hits = [schedule.hit() for _ in range(first + period * blocks)]

    assert 1 == sum(hits[:first])
    assert [1] * blocks == [sum(hits[first + n * period : first + (n + 1) * period]) for n in range(blocks)]


@given(seed=SEEDS)
def test_frequent_occasions_get_rare_faults(seed: int):
    """Blocks without a period double: ten thousand logins see about a dozen refusals."""
    schedule = Schedule(seed=seed, what="login", first=2)

    assert sum(schedule.hit() for _ in range(10_000)) in {12, 13}


@given(seed=SEEDS)
def test_a_demo_with_any_seed_sees_every_kind(seed: int):
    """The occasions of 300 leads on 8 mailboxes suffice for each kind of fault."""
    clock = SandboxClock(MONDAY)
    faults = Faults(clock=clock, seed=seed)
    for number in range(300):
        clock.jump(clock.now() + timedelta(minutes=2))
        mailbox = f"m{number % 8}"
        faults.refuses_connection()
        faults.at_login(Protocol.SMTP, mailbox)
        faults.greylists(f"lead{number}")
        faults.after_data("one.example", saves_sent=True)
    for number in range(12):
        faults.at_push()
        faults.at_login(Protocol.IMAP, f"m{number % 8}")

    assert set(FaultKind) == {kind for kind, count in faults.counts.items() if count}


def test_nothing_goes_wrong_while_a_world_is_set_up():
    """Disarmed faults neither happen nor count; and a mailbox's first login always succeeds."""
    faults = Faults(clock=SandboxClock(MONDAY), seed=1, armed=False)
    fates = {faults.after_data("one.example", saves_sent=True) for _ in range(100)}
    pushes = {faults.at_push() for _ in range(100)}
    faults.armed = True

    assert ({DataFate.ACCEPT}, {PushFate.PUSH}, 0) == (fates, pushes, faults.counts.total())
    assert {LoginFate.LET_IN} == {faults.at_login(Protocol.SMTP, f"m{number}") for number in range(100)}


def test_drops_come_only_where_the_outcome_can_be_looked_up():
    """A domain that saves nothing to Sent answers every final dot, unless a plan says otherwise."""
    faults = Faults(clock=SandboxClock(MONDAY), seed=1)
    harsh = Faults(clock=SandboxClock(MONDAY), seed=1, plan=FaultPlan(only_where_sent_is_saved=False))

    assert {DataFate.ACCEPT} == {faults.after_data("x", saves_sent=False) for _ in range(100)}
    assert set(DataFate) == {harsh.after_data("x", saves_sent=False) for _ in range(100)}


def only(kind: FaultKind) -> FaultPlan:
    """Plan one kind of fault, at its first occasion."""
    return FaultPlan(kinds=frozenset({kind}), drops=(1, 1_000), greylisted=(1, 1_000))


@pytest.mark.parametrize(
    "kind,copies,lost", [(FaultKind.ACCEPTED_THEN_DROPPED, 1, 0), (FaultKind.LOST_AND_DROPPED, 0, 1)]
)
async def test_a_connection_breaks_after_the_dot(open_world: OpenWorld, kind: FaultKind, copies: int, lost: int):
    """The client cannot tell the two apart; Sent and the journal can."""
    world = await open_world(faults=only(kind))
    account = world.accounts[0]

    def talk() -> None:
        client = open_smtp(account)
        try:
            client.sendmail(account.address, ["anna@x.example"], letter(account, "anna@x.example"))
        finally:
            client.close()

    with pytest.raises((smtplib.SMTPServerDisconnected, OSError)):
        await asyncio.to_thread(talk)
    sent = world.mailbox(account.address).store.by_use(Use.SENT)

    assert (copies, copies) == (len(sent), len(list(world.journal.accepted())))
    assert lost == sum(isinstance(entry, Lost) for entry in world.journal)


async def test_a_greylisted_recipient_is_accepted_five_minutes_later(open_world: OpenWorld):
    """451 until five minutes of sandbox time have passed, then never again."""
    world = await open_world(faults=only(FaultKind.GREYLISTED))
    account = world.accounts[0]

    def talk() -> int:
        with open_smtp(account) as client:
            client.mail(account.address)
            return int(client.rcpt("anna@x.example")[0])

    codes = [await asyncio.to_thread(talk), await asyncio.to_thread(talk)]
    world.clock.jump(MONDAY + timedelta(minutes=5))
    codes.append(await asyncio.to_thread(talk))

    assert [451, 451, 250] == codes
    assert 1 == world.faults.counts[FaultKind.GREYLISTED]


def smtp_login(account: Account) -> str:
    """Log in over SMTP and say how it went."""
    with open_smtp(account, login=False) as client:
        client.ehlo()
        try:
            client.login(account.username, account.password)
        except smtplib.SMTPAuthenticationError as error:
            return str(error.smtp_code)
        return "in"


def imap_login(account: Account) -> str:
    """Log in over IMAP and say how it went."""
    client = open_imap(account, login=False)
    try:
        client.login(account.username, account.password)
    except client.error as error:
        return "UNAVAILABLE" if "[UNAVAILABLE]" in str(error) else str(error)
    finally:
        client.logout()
    return "in"


@pytest.mark.parametrize(
    "kind,login,refusal,tries",
    [
        (FaultKind.SMTP_UNAVAILABLE, smtp_login, "454", 9),
        (FaultKind.SMTP_REFUSED, smtp_login, "535", 25),
        (FaultKind.IMAP_UNAVAILABLE, imap_login, "UNAVAILABLE", 3),
    ],
)
async def test_logins_are_refused_for_a_while(open_world: OpenWorld, kind: FaultKind, login, refusal: str, tries: int):
    """From one moment on every login of the mailbox fails, until its time is over."""
    world = await open_world(faults=only(kind))
    account = world.accounts[2]
    results = [await asyncio.to_thread(login, account) for _ in range(tries)]
    end = world.next_event()
    assert end is not None
    world.clock.jump(end)
    results.append(await asyncio.to_thread(login, account))
    before = results.index(refusal)

    assert ["in"] * before + [refusal] * (tries - before) + ["in"] == results
    assert timedelta(minutes=4) <= end - MONDAY <= timedelta(minutes=15)


async def test_a_busy_server_turns_a_connection_away(open_world: OpenWorld):
    """421 instead of a greeting, then the connection ends."""
    world = await open_world(faults=only(FaultKind.CONNECT_REFUSED))

    def talk() -> int:
        try:
            open_smtp(world.accounts[2]).close()
        except smtplib.SMTPConnectError as error:
            return error.smtp_code
        return 220

    codes = [await asyncio.to_thread(talk) for _ in range(12)]

    assert [220] * 11 + [421] == sorted(codes)
    await asyncio.wait_for(world.until_quiet(), 10)
