"""The check of a mailbox: each step by its name, and what to do about the first that fails."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from email.utils import format_datetime

import pytest

from connectors.imap_mailbox import Mailbox, Stored
from connectors.scripted import Peer, ScriptedServer, connector, serving
from connectors.smtp_scripts import greet
from relance.connectors.smtp_imap.mailbox_check import SENT_WAITS, WAITS
from relance.ports.connector import CheckReport, Envelope
from relance.testing.moments import MONDAY

PROBE = Envelope(
    sender="ada@north.example",
    recipient="ada@north.example",
    message_id="<p@north.example>",
    raw=(
        b"Subject: A test of this mailbox\r\nMessage-ID: <p@north.example>\r\nX-Entity-Ref: probe-1\r\n"
        b"Date: " + format_datetime(MONDAY).encode() + b"\r\n\r\nText.\r\n"
    ),
)


class Naps:
    """Counts how long a check has waited, without waiting."""

    def __init__(self) -> None:
        self.total = 0.0

    async def __call__(self, seconds: float) -> None:
        """Wait, so to say."""
        self.total += seconds
        await asyncio.sleep(0)


def delivering(mailbox: Mailbox, *folders: str, rewrite: bool = False) -> Callable[[Peer], Awaitable[None]]:
    """Return an SMTP script that puts what it takes into folders of `mailbox`."""

    async def script(peer: Peer) -> None:
        await greet(peer)
        while (line := await peer.line()) not in {b"", b"QUIT"}:
            if line != b"DATA":
                await peer.send("250 ok")
                continue
            await peer.send("354 go")
            lines = []
            while (line := await peer.line()) != b".":
                lines.append(line)
            raw = b"\r\n".join([*lines, b""])
            raw = re.sub(rb"Message-ID: <.*?>", b"Message-ID: <new@relay>", raw) if rewrite else raw
            for folder in folders:
                mailbox.add(folder, Stored(uid=len(mailbox.folders[folder]) + 1, at=MONDAY, raw=raw))
            await peer.send("250 queued")

    return script


async def check(smtp: ScriptedServer | int, imap: ScriptedServer | int, **wishes: str) -> tuple[CheckReport, Naps]:
    """Check once."""
    naps = Naps()
    one = connector(smtp=smtp, imap=imap, ca_file=None, **dict[str, str](wishes))  # type: ignore[arg-type]  # settings
    report = await one.check(PROBE, sleep=naps)
    await one.close()
    return report, naps


ALL_STEPS = [
    "smtp connection",
    "smtp login",
    "imap connection",
    "imap login",
    "folders",
    "probe",
    "sent copy",
    "message ids",
]


@pytest.mark.parametrize(
    "folders, rewrite, saves_sent, ids_survive",
    [
        (("INBOX", "Sent"), False, True, True),
        (("INBOX",), False, False, True),
        (("INBOX", "Sent"), True, True, False),
        (("Junk",), False, False, True),
    ],
)
async def test_what_happens_to_the_probe_is_learned(
    folders: tuple[str, ...],
    rewrite: bool,  # noqa: FBT001 - a parameter
    saves_sent: bool,  # noqa: FBT001 - a parameter
    ids_survive: bool,  # noqa: FBT001 - a parameter
):
    """What the server does with sent mail: a copy in Sent or none, our Message-ID as it was or another."""
    mailbox = Mailbox(folders={"INBOX": [], "Sent": [], "Junk": []})
    async with serving(delivering(mailbox, *folders, rewrite=rewrite)) as smtp, serving(mailbox) as imap:
        report, _ = await check(smtp, imap)

    assert ALL_STEPS == [step.name for step in report.steps]
    assert report.ok
    assert (saves_sent, ids_survive) == (report.saves_sent, report.ids_survive)


async def test_a_probe_that_never_arrives_ends_in_a_sentence():
    """After a minute; the steps before stand."""
    mailbox = Mailbox(folders={"INBOX": [], "Sent": []})
    async with serving(delivering(mailbox)) as smtp, serving(mailbox) as imap:
        report, naps = await check(smtp, imap)

    assert [("probe", False)] == [(step.name, step.ok) for step in report.steps if not step.ok]
    assert sum(WAITS) + sum(SENT_WAITS) == naps.total
    assert (False, None) == (report.saves_sent, report.ids_survive)


async def test_a_refused_probe_names_the_refusal():
    """The server's own words."""

    async def refuse(peer: Peer) -> None:
        await greet(peer)
        await peer.line()
        await peer.send("550 5.7.1 not your address")
        await peer.hang()

    async with serving(refuse) as smtp, serving(Mailbox(folders={"INBOX": []})) as imap:
        report, _ = await check(smtp, imap)

    assert "probe" == report.steps[-1].name
    assert "not your address" in report.steps[-1].detail
    assert (None, None) == (report.saves_sent, report.ids_survive)


async def closed_port() -> int:
    """Return a port where nobody listens."""
    async with serving() as server:
        return server.port


async def test_each_side_is_checked_even_if_the_other_fails():
    """Two mistakes are told at once."""
    port = await closed_port()
    report, _ = await check(port, port)

    assert [("smtp connect", False), ("imap connect", False)] == [(step.name, step.ok) for step in report.steps]
    assert all("firewall" in step.detail for step in report.steps)


async def test_a_name_that_nobody_knows_is_named():
    """`.invalid` never resolves (RFC 6761 §6.4)."""
    report, _ = await check(
        9, 9, smtp_host="smtp.invalid", smtp_security="tls", imap_host="i.invalid", imap_security="tls"
    )

    assert [("smtp resolve", False), ("imap resolve", False)] == [(step.name, step.ok) for step in report.steps]
    assert all("check the host name" in step.detail for step in report.steps)


async def test_refused_logins_are_named_on_both_sides():
    """And nothing is sent."""

    async def refuse(peer: Peer) -> None:
        await peer.send("220 hi")
        await peer.line()
        await peer.send("250-hi", "250 AUTH PLAIN")
        await peer.line()
        await peer.send("535 5.7.8 no")
        await peer.hang()

    mailbox = Mailbox(folders={"INBOX": []})
    mailbox.answers["LOGIN"] = ["{tag} NO [AUTHENTICATIONFAILED] no"]
    async with serving(refuse) as smtp, serving(mailbox) as imap:
        report, _ = await check(smtp, imap)

    assert [
        ("smtp connection", True),
        ("smtp login", False),
        ("imap connection", True),
        ("imap login", False),
    ] == [(step.name, step.ok) for step in report.steps]


@pytest.mark.parametrize("beginning", ["LIST", "EXAMINE", "UID SEARCH", "UID FETCH"])
async def test_a_server_that_breaks_off_ends_the_check_with_a_step(beginning: str):
    """A check raises nothing, whatever happens."""

    async def lose(peer: Peer, _tag: str, _rest: str) -> None:
        peer.abort()

    mailbox = Mailbox(folders={"INBOX": [Stored(uid=1, at=MONDAY, raw=b"Subject: x\r\n\r\n")], "Sent": []})
    mailbox.answers[beginning] = lose
    async with serving(delivering(mailbox, "INBOX")) as smtp, serving(mailbox) as imap:
        report, _ = await check(smtp, imap)

    assert not report.ok
    assert "read" == report.steps[-1].name
