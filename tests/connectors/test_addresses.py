"""Whether an address takes mail, asked of a real name server protocol and of mail servers that we script."""

import pytest

from connectors.name_server import BROKEN, SILENT, name_server
from connectors.scripted import Peer, Script, serving
from relance.connectors.addresses import mail_exchangers
from relance.connectors.addresses.checker import DirectChecker
from relance.core.address_check import AddressVerdict, Verification

HERE = "127.0.0.1"
ZONES: dict[str, dict[str, list[str]] | str] = {
    "firm.example": {"MX": ["20 second.example.", "10 127.0.0.1."]},
    "bare.example": {"A": ["192.0.2.1"]},
    "six.example": {"AAAA": ["2001:db8::1"]},
    "empty.example": {"TXT": ['"nothing"']},
    "null.example": {"MX": ["0 ."]},
    "broken.example": BROKEN,
    "silent.example": SILENT,
    "xn--bcher-kva.example": {"MX": ["10 mail.firm.example."]},
}


@pytest.mark.parametrize(
    "domain, verdict, reason",
    [
        ("firm.example", AddressVerdict.VALID, "127.0.0.1 takes mail"),
        ("bücher.example", AddressVerdict.VALID, "mail.firm.example takes mail"),
        ("bare.example", AddressVerdict.VALID, "bare.example takes mail"),
        ("six.example", AddressVerdict.VALID, "six.example takes mail"),
        ("empty.example", AddressVerdict.INVALID, "names no mail server and has no address"),
        ("null.example", AddressVerdict.INVALID, "says that it takes no mail"),
        ("gone.example", AddressVerdict.INVALID, "does not exist"),
        ("broken.example", AddressVerdict.UNKNOWN, "do not say who takes mail"),
        ("silent.example", AddressVerdict.UNKNOWN, "do not say who takes mail"),
        ("a..b", AddressVerdict.UNKNOWN, "do not say who takes mail"),
    ],
)
async def test_a_domain_takes_mail_by_its_mx_records_or_its_address(
    monkeypatch: pytest.MonkeyPatch, domain: str, verdict: AddressVerdict, reason: str
):
    """A definite no is one; a name server in trouble says nothing."""
    monkeypatch.setattr(mail_exchangers, "_LIFETIME", 0.3)
    async with name_server(ZONES) as (_, address):
        found = await DirectChecker(name_server=address).check(f"ann@{domain}", Verification.MX)

    assert verdict is found.verdict
    assert reason in found.reason


async def test_where_no_name_server_answers_nothing_is_said_of_the_address(monkeypatch: pytest.MonkeyPatch):
    """It is our trouble, not theirs."""
    monkeypatch.setattr(mail_exchangers, "_LIFETIME", 0.3)
    found = await DirectChecker(name_server="127.0.0.1:9").check("ann@firm.example", Verification.MX)

    assert AddressVerdict.UNKNOWN is found.verdict


async def test_an_answer_is_asked_for_once():
    """Ten people of one company are one question."""
    async with name_server(ZONES) as (server, address):
        checker = DirectChecker(name_server=address)
        for number in range(10):
            await checker.check(f"p{number}@firm.example", Verification.MX)

    assert ["firm.example MX"] == server.asked


def answering(*answers: str) -> Script:
    """Return a mail server that says so to MAIL, to RCPT, and to RCPT of nobody; each as far as it is asked."""

    async def play(peer: Peer) -> None:
        await peer.send("220 mail.firm.example ESMTP")
        await peer.expect("EHLO .+")
        await peer.send("250 mail.firm.example")
        for command, answer in zip(
            ("MAIL FROM:<>", "RCPT TO:<ann@firm.example>", "RCPT TO:<[0-9a-f]{20}@firm.example>"), answers, strict=False
        ):
            await peer.expect(command)
            await peer.send(answer)
        assert await peer.line() in {b"", b"QUIT"}

    return play


@pytest.mark.parametrize(
    "answers, verdict",
    [
        (("250 ok", "250 ok", "550 5.1.1 no such user"), AddressVerdict.VALID),
        (("250 ok", "250 ok", "450 later"), AddressVerdict.VALID),
        (("250 ok", "250 ok", "250 ok"), AddressVerdict.CATCH_ALL),
        (("250 ok", "550 5.1.1 no such user"), AddressVerdict.INVALID),
        (("250 ok", "550 5.7.1 your address is on a block list"), AddressVerdict.UNKNOWN),
        (("250 ok", "451 4.7.1 greylisted, try again in 300 seconds"), AddressVerdict.UNKNOWN),
        (("550 5.1.1 no null senders here, no such user",), AddressVerdict.UNKNOWN),
    ],
)
async def test_a_server_is_asked_for_the_person_and_for_nobody(answers: tuple[str, ...], verdict: AddressVerdict):
    """Only what it says of the person counts, and only if it would say no to nobody."""
    async with name_server(ZONES) as (_, names), serving(answering(*answers)) as server:
        checker = DirectChecker(name_server=names, smtp_port=server.port)
        found = await checker.check("ann@firm.example", Verification.RCPT)

    assert verdict is found.verdict
    assert found.reason.startswith(HERE)


async def hang_up(peer: Peer) -> None:
    """Turn everybody away."""
    await peer.send("554 5.7.1 go away")


async def test_a_server_that_lets_nobody_ask_says_nothing():
    """Nor does one that cannot be reached; the next one is tried."""
    async with name_server(ZONES) as (_, names), serving(hang_up) as server:
        checker = DirectChecker(name_server=names, smtp_port=server.port)
        found = await checker.check("ann@firm.example", Verification.RCPT)

    assert AddressVerdict.UNKNOWN is found.verdict
    assert "lets nobody ask" in found.reason
