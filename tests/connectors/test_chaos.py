"""Servers that fail at random places in random ways: errors of the port only, no mail missed, no outcome misjudged."""

import asyncio
import hashlib
from datetime import timedelta

import pytest

from connectors.imap_mailbox import Mailbox, message
from connectors.scripted import Peer, connector, serving
from connectors.smtp_scripts import ENVELOPE
from relance.connectors.smtp_imap.fetching import FetchLimits
from relance.ports.connector import (
    Accepted,
    ConnectorError,
    LoginRefusedError,
    MailboxUnreachableError,
    NotReleasedError,
    OutcomeUnknownError,
    ReadingFailedError,
    RejectedError,
)
from relance.testing.connector_suite import Reader
from relance.testing.moments import MONDAY

EARLIER = MONDAY - timedelta(days=30)


class Chance:
    """Numbers that depend on a seed alone."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._drawn = 0

    def below(self, limit: int) -> int:
        """Return a number from 0 to limit - 1."""
        self._drawn += 1
        return int.from_bytes(hashlib.blake2b(f"{self._seed} {self._drawn}".encode(), digest_size=4).digest()) % limit


class UnsteadyMailbox(Mailbox):
    """An IMAP server that answers some commands wrongly while it is `unsteady`."""

    chance: Chance
    unsteady: bool = True

    async def _answer(self, peer: Peer, tag: str, rest: str) -> None:
        fault = self.chance.below(24) if self.unsteady else 99
        match fault:
            case 0:
                peer.abort()
            case 1:
                peer.close()
            case 2:
                await peer.send("* BYE [UNAVAILABLE] maintenance")
                peer.close()
            case 3:
                await peer.send(f"{tag} NO [SERVERBUG] internal error")
            case 4:
                await peer.send(f"{tag} BAD syntax")
            case 5:
                await peer.send_raw(bytes(self.chance.below(256) for _ in range(40)) + b"\r\n")
            case 6:
                await peer.send_raw(b"* 1 FETCH (UID 1 BODY[] {100}\r\nhalf a mess")
                peer.close()
            case 7:
                await peer.send("* 9 EXISTS", "* OK [ALERT] hello", "* 1 EXPUNGE", "* FLAGS ()")
                await super()._answer(peer, tag, rest)
            case _:
                await super()._answer(peer, tag, rest)


@pytest.mark.parametrize("seed", range(30))
async def test_no_mail_is_missed_however_unsteady_the_server(seed: int):
    """Reads fail with the port's errors; what the cursors have passed was handed over, and in the end that is all."""
    mailbox = UnsteadyMailbox(
        capabilities="IMAP4rev1 CONDSTORE UNSELECT" if seed % 2 else "IMAP4rev1",
        folders={"INBOX": [message(uid) for uid in range(1, 12)], "Sent": [message(3)], "Junk": []},
    )
    mailbox.chance = Chance(f"imap {seed}")
    seen: set[tuple[str, int]] = set()
    async with serving(mailbox, forever=True) as server:
        one = connector(imap=server, command_seconds=0.5, limits=FetchLimits(messages=4))
        reader = Reader(one, EARLIER)
        for turn in range(12):
            mailbox.unsteady = turn < 9
            if turn == 5:
                mailbox.add("INBOX", message(20), message(21))
            try:
                async for batch in one.read(dict(reader.cursors), since=EARLIER):
                    seen.update((each.folder, each.uid) for each in batch.messages)
                    reader.cursors[batch.cursor.folder] = batch.cursor
            except (ReadingFailedError, MailboxUnreachableError, LoginRefusedError):
                assert mailbox.unsteady or turn == 9
        await one.close()

    assert {("INBOX", uid) for uid in [*range(1, 12), 20, 21]} | {("Sent", 3)} == seen


class UnsteadyRelay:
    """An SMTP server that fails anywhere; `taken` counts the messages that it has taken responsibility for."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.taken = 0

    async def __call__(self, peer: Peer) -> None:
        """Play one connection."""
        await self._reply(peer, "220 hi")
        while line := await peer.line():
            word = line.split(b" ")[0].upper()
            if word == b"EHLO":
                await self._reply(peer, "250-hi", "250 AUTH PLAIN")
            elif word == b"AUTH":
                await self._reply(peer, "235 welcome")
            elif word == b"DATA":
                await self._reply(peer, "354 go")
                await self._take_message(peer)
            else:
                await self._reply(peer, "250 ok")

    async def _take_message(self, peer: Peer) -> None:
        if self.chance.below(8) == 0:
            peer.abort()
        while await peer.line() != b".":
            if peer.is_over:
                return
        if self.chance.below(4) == 0:
            await self._reply(peer, "451 try later")  # said or not: not taken
            return
        self.taken += 1
        await self._reply(peer, "250 queued", refuses=False)

    async def _reply(self, peer: Peer, *lines: str, refuses: bool = True) -> None:
        match self.chance.below(16):
            case 0:
                peer.abort()
            case 1:
                peer.close()
            case 2:
                await peer.send_raw(lines[-1][:2].encode())
                peer.close()
            case 3 if refuses:
                await peer.send("451 4.3.0 local trouble")
            case 4 if refuses:
                await peer.send("421 4.3.2 closing")
                peer.close()
            case 5:
                await peer.send("what?")
            case 6:
                for piece in "".join(f"{line}\r\n" for line in lines):
                    await peer.send_raw(piece.encode())
                    await asyncio.sleep(0)
            case _:
                await peer.send(*lines)


@pytest.mark.parametrize("seed", range(60))
async def test_what_became_of_a_message_is_never_misjudged(seed: int):
    """A yes means that the server has it once, a definite failure that it has it not; in doubt, nobody says either."""
    relay = UnsteadyRelay(Chance(f"smtp {seed}"))
    async with serving(relay, forever=True) as server:
        one = connector(smtp=server, command_seconds=1.0)
        for _ in range(8):
            before = relay.taken
            try:
                staged = await one.stage(ENVELOPE)
                outcome: Accepted | ConnectorError = await staged.release(may_leave=lambda: True, time_limit=1.0)
            except ConnectorError as error:
                outcome = error
            await asyncio.sleep(0.002)  # let the server finish what it does
            match outcome:
                case Accepted():
                    assert 1 == relay.taken - before
                case OutcomeUnknownError():
                    assert relay.taken - before in {0, 1}
                case RejectedError() | NotReleasedError() | MailboxUnreachableError() | LoginRefusedError():
                    assert 0 == relay.taken - before
                case _:
                    pytest.fail(f"not one of the port's outcomes: {outcome!r}")
        await one.close()
