"""Messages that cannot be fetched as they are: each is recorded in some way, and none blocks its folder."""

from datetime import timedelta

import pytest

from connectors.imap_mailbox import Mailbox, message
from connectors.scripted import Peer, connector, serving
from relance.connectors.smtp_imap.fetching import LOSSES_BEFORE, FetchLimits
from relance.ports.connector import FetchedMessage, ReadingFailedError
from relance.testing.connector_suite import Reader
from relance.testing.moments import MONDAY

EARLIER = MONDAY - timedelta(days=30)
HEAD = b"Subject: 2\r\n\r\n"


class Poisoned:
    """Answers UID FETCH, unless the command asks for the poisoned message in a way that the server cannot bear."""

    def __init__(self, mailbox: Mailbox, uid: int, unbearable: tuple[str, ...], *, breaks: bool) -> None:
        self.mailbox = mailbox
        self.uid = uid
        self.unbearable = unbearable
        self.breaks = breaks

    async def __call__(self, peer: Peer, tag: str, rest: str) -> None:
        """Answer."""
        _, _, wanted, items = rest.split(" ", 3)
        numbers = [part.split(":") for part in wanted.split(",")]
        asked = any(int(part[0]) <= self.uid <= int(part[-1]) for part in numbers)
        if not asked or not any(one in items for one in self.unbearable):
            await self.mailbox.fetch(peer, tag, rest)
        elif self.breaks:
            peer.abort()
        else:
            await peer.send(f"{tag} NO [SERVERBUG] cannot")


WHOLE = ("BODY.PEEK[])",)
BODY = ("BODY.PEEK[]",)
CONTENT = ("BODY.PEEK",)
EVERYTHING = ("UID",)


async def read_all(unbearable: tuple[str, ...], *, breaks: bool) -> tuple[list[FetchedMessage], int]:
    """Read a folder with a poisoned message until a read succeeds; return what came, and how many reads failed."""
    mailbox = Mailbox(folders={"INBOX": [message(1), message(2), message(3)]})
    mailbox.answers["UID FETCH"] = Poisoned(mailbox, 2, unbearable, breaks=breaks)
    failures = 0
    found: list[FetchedMessage] = []
    async with serving(mailbox, forever=True) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        while failures <= len(LOSSES_BEFORE) + 1:
            try:
                async for batch in one.read(reader.cursors, since=EARLIER):
                    found.extend(batch.messages)
                    reader.cursors[batch.cursor.folder] = batch.cursor
            except ReadingFailedError:
                failures += 1
            else:
                break
        assert [] == await reader.read()
        await one.close()
    return found, failures


@pytest.mark.parametrize(
    "unbearable, raw",
    [
        pytest.param(WHOLE, message(2).raw, id="only its beginning can be had"),
        pytest.param(BODY, HEAD, id="only its headers can be had"),
        pytest.param(CONTENT, b"", id="nothing of it can be had"),
    ],
)
async def test_a_message_that_the_server_refuses_is_recorded_as_far_as_it_goes(unbearable: tuple[str, ...], raw: bytes):
    """In the same read, and the others whole."""
    found, failures = await read_all(unbearable, breaks=False)

    assert 0 == failures
    assert [(1, message(1).raw, False), (2, raw, True), (3, message(3).raw, False)] == [
        (one.uid, one.raw, one.truncated) for one in found
    ]


@pytest.mark.parametrize(
    "unbearable, raw",
    [
        pytest.param(WHOLE, message(2).raw, id="its beginning does not break it"),
        pytest.param(BODY, HEAD, id="its headers do not break it"),
        pytest.param(CONTENT, b"", id="any content breaks it"),
        pytest.param(EVERYTHING, b"", id="naming it breaks it"),
    ],
)
async def test_a_message_that_breaks_the_connection_does_not_block_its_folder(unbearable: tuple[str, ...], raw: bytes):
    """Each loss is an error of the port; after a few, the message is recorded as far as it goes, the rest whole."""
    found, failures = await read_all(unbearable, breaks=True)

    assert 2 <= failures <= len(LOSSES_BEFORE)
    assert [(1, message(1).raw, False), (2, raw, True), (3, message(3).raw, False)] == [
        (one.uid, one.raw, one.truncated) for one in found
    ]


async def test_one_lost_connection_cuts_no_message():
    """A network that fails once is no reason to keep less than everything."""
    mailbox = Mailbox(folders={"INBOX": [message(1), message(2)]})
    honest = mailbox.answers["UID FETCH"]

    async def break_once(peer: Peer, _tag: str, _rest: str) -> None:
        mailbox.answers["UID FETCH"] = honest
        peer.abort()

    mailbox.answers["UID FETCH"] = break_once
    async with serving(mailbox, forever=True) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        with pytest.raises(ReadingFailedError):
            await reader.read()
        found = await reader.read()
        await one.close()

    assert [message(1).raw, message(2).raw] == [one.raw for one in found]
    assert not any(one.truncated for one in found)


async def read_until_it_works(mailbox: Mailbox, refusal: str, *, failures: int) -> tuple[list[FetchedMessage], int]:
    """Read while every content is refused that many times; return what came in the end, and how many reads failed."""
    failed = 0

    async def refuse(peer: Peer, tag: str, rest: str) -> None:
        if "BODY" in rest and failed < failures:
            await peer.send(f"{tag} {refusal}")
        else:
            await mailbox.fetch(peer, tag, rest)

    mailbox.answers["UID FETCH"] = refuse
    async with serving(mailbox, forever=True) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        found: list[FetchedMessage] = []
        while not found:
            try:
                found = await reader.read()
            except ReadingFailedError:
                failed += 1
        await one.close()
    return found, failed


async def test_a_server_that_can_hand_nothing_over_just_now_loses_no_answer():
    """Its storage is away and its index is not: nothing is recorded as empty, and the mail comes when it is back."""
    mailbox = Mailbox(folders={"INBOX": [message(1), message(2)]})
    found, failed = await read_until_it_works(mailbox, "NO [SERVERBUG] Internal error", failures=2)

    assert 2 == failed
    assert [(message(1).raw, False), (message(2).raw, False)] == [(one.raw, one.truncated) for one in found]


@pytest.mark.parametrize(
    "refusal", ["NO [LIMIT] Rate limit hit", "NO [ALERT] Account exceeded command limits", "BAD Throttled"]
)
async def test_a_server_that_has_enough_of_us_cuts_no_message_however_long_it_has(refusal: str):
    """No message is to blame, so none is reduced: the mailbox rests, ever longer."""
    mailbox = Mailbox(folders={"INBOX": [message(1), message(2)]})
    found, failed = await read_until_it_works(mailbox, refusal, failures=50)

    assert 50 == failed
    assert [(message(1).raw, False), (message(2).raw, False)] == [(one.raw, one.truncated) for one in found]


async def test_the_only_message_of_a_folder_holds_it_up_for_a_while_and_not_for_ever():
    """Nothing else proves that the server is well; after as many reads as fill an hour, it is given up."""
    mailbox = Mailbox(folders={"INBOX": [message(1)]})
    found, failed = await read_until_it_works(mailbox, "NO [SERVERBUG] Internal error", failures=1000)

    assert len(LOSSES_BEFORE) == failed
    assert [(1, b"", True)] == [(one.uid, one.raw, one.truncated) for one in found]


async def test_a_message_above_the_cap_is_cut_and_never_asked_for_whole():
    """Headers and the beginning; the others come whole."""
    mailbox = Mailbox(folders={"INBOX": [message(1, size=4000), message(2, size=30), message(3, size=4000)]})
    async with serving(mailbox) as server:
        one = connector(imap=server, limits=FetchLimits(message_bytes=1000))
        found = await Reader(one, EARLIER).read()
        await one.close()

    assert [(1, True), (2, False), (3, True)] == [(one.uid, one.truncated) for one in found]
    assert all(one.raw.startswith(b"Subject: ") for one in found)
    assert ["UID FETCH 2 (UID BODY.PEEK[])"] == [
        one for one in mailbox.said("UID FETCH") if one in {f"UID FETCH {uid} (UID BODY.PEEK[])" for uid in (1, 2, 3)}
    ]


async def test_what_was_sent_with_large_files_is_not_read_back_whole():
    """Its beginning says which message it is; the files would come back once for everybody who got them."""
    folders = {"INBOX": [message(1, size=4000)], "Sent": [message(1, size=4000), message(2, size=30)]}
    async with serving(Mailbox(folders=folders)) as server:
        one = connector(imap=server, limits=FetchLimits(sent_bytes=1000))
        found = await Reader(one, EARLIER).read()
        await one.close()

    assert [("INBOX", 1, False), ("Sent", 1, True), ("Sent", 2, False)] == [
        (one.folder, one.uid, one.truncated) for one in found
    ]


async def test_a_size_that_is_a_lie_cuts_the_message_and_keeps_the_connection():
    """Announced as small, sent as huge: what is over the literal cap is counted away."""
    mailbox = Mailbox(folders={"INBOX": [message(1)]})
    size = 26 * 1024 * 1024

    async def huge(peer: Peer, tag: str, rest: str) -> None:
        if "BODY.PEEK[]" not in rest:
            await mailbox.fetch(peer, tag, rest)
            return
        await peer.send_raw(b"* 1 FETCH (UID 1 BODY[] {%d}\r\nSubject: huge\r\n\r\n" % size)
        await peer.send_raw(b"x" * (size - 17) + b")\r\n" + tag.encode() + b" OK done\r\n")

    mailbox.answers["UID FETCH"] = huge
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        (found,) = await reader.read()
        again = await reader.read()
        await one.close()

    assert (25 * 1024 * 1024, True) == (len(found.raw), found.truncated)
    assert [] == again
    assert 1 == server.connections


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("* 1 FETCH (UID 1 FLAGS (\\Seen))", id="nothing of what was asked for"),
        pytest.param("* 1 FETCH (UID 1 BODY[] NIL)", id="NIL"),
        pytest.param("* 9 FETCH (UID 77 BODY[] {3}\r\nabc)", id="another message"),
    ],
)
async def test_a_yes_without_the_message_is_recorded_as_empty(answer: str):
    """It is there, says the server, and hands nothing over: recorded, and the folder goes on."""
    mailbox = Mailbox(folders={"INBOX": [message(1)]})

    async def withhold(peer: Peer, tag: str, rest: str) -> None:
        if "BODY" in rest:
            await peer.send(answer, f"{tag} OK done")
        else:
            await mailbox.fetch(peer, tag, rest)

    mailbox.answers["UID FETCH"] = withhold
    async with serving(mailbox) as server:
        one = connector(imap=server)
        (found,) = await Reader(one, EARLIER).read()
        await one.close()

    assert (1, b"", True) == (found.uid, found.raw, found.truncated)


async def test_answers_in_pieces_and_unasked_news_are_sorted_out():
    """Several FETCH responses for one message, others in between, EXISTS and EXPUNGE of the moment."""
    mailbox = Mailbox(folders={"INBOX": [message(1)]})

    async def ramble(peer: Peer, tag: str, rest: str) -> None:
        if "BODY" in rest:
            await peer.send("* 2 EXISTS", "* 1 FETCH (FLAGS (\\Seen))", "* 1 FETCH (UID 1 BODY[] {5}", "hello)")
            await peer.send("* 1 FETCH (UID 1 FLAGS ())", "* OK [ALERT] disk", f"{tag} OK done")
        else:
            await peer.send("* 1 FETCH (UID 1 RFC822.SIZE 5)", "* 1 FETCH (UID 1 MODSEQ (9))", f"{tag} OK done")

    mailbox.answers["UID FETCH"] = ramble
    async with serving(mailbox) as server:
        one = connector(imap=server)
        (found,) = await Reader(one, EARLIER).read()
        await one.close()

    assert (b"hello", False, EARLIER) == (found.raw, found.truncated, found.internal_date)
