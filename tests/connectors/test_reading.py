"""Reading after cursors, on servers that are honest, forgetful, limited or lying."""

import asyncio
from collections.abc import Iterable
from datetime import timedelta

import pytest

from connectors.imap_mailbox import Mailbox, message
from connectors.scripted import LIMIT, FakeTime, Peer, connector, serving
from relance.connectors.smtp_imap.fetching import FetchLimits
from relance.connectors.smtp_imap.surveying import SWEEP_SECONDS
from relance.ports.connector import Cursor, FetchedMessage, FolderRole, ReadingFailedError
from relance.testing.connector_suite import Reader
from relance.testing.moments import MONDAY

EARLIER = MONDAY - timedelta(days=30)
FULL = "IMAP4rev1 CONDSTORE UNSELECT LITERAL+"
BARE = "IMAP4rev1"


def uids(messages: Iterable[FetchedMessage]) -> list[int]:
    """Return the UIDs of messages."""
    return [one.uid for one in messages]


async def say_nothing(peer: Peer, _tag: str, _rest: str) -> None:
    """Take a command and go silent."""
    await peer.hang()


@pytest.mark.parametrize("capabilities", [FULL, BARE])
async def test_nothing_new_is_one_round_trip(capabilities: str):
    """It is asked before every follow-up: STATUS for all folders in one write, and no folder is opened."""
    mailbox = Mailbox(capabilities=capabilities, folders={"INBOX": [message(1)], "Sent": [], "Junk": []})
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        await reader.read()
        mailbox.commands.clear()
        found = await reader.read()
        await one.close()

    assert [] == found
    assert ["STATUS"] * 3 == [one.split()[0] for one in mailbox.commands if one != "LOGOUT"]


async def test_answers_may_come_in_any_order():
    """RFC 3501 §5.5: a server may finish pipelined commands as it likes."""
    mailbox = Mailbox(folders={"INBOX": [message(1)], "Sent": [message(2)], "Junk": [message(3)]})
    waiting: list[tuple[str, str]] = []

    async def answer_backwards(peer: Peer, tag: str, rest: str) -> None:
        waiting.append((tag, rest))
        while len(waiting) == len(mailbox.folders) or (waiting and len(mailbox.said("STATUS")) % 3 == 0):
            await mailbox.status(peer, *waiting.pop())

    mailbox.answers["STATUS"] = answer_backwards
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        first = await reader.read()
        second = await reader.read()
        await one.close()

    assert [1, 2, 3] == sorted(uids(first))
    assert [] == second


async def test_the_owners_flags_are_never_touched():
    """EXAMINE and BODY.PEEK, nothing else: reading leaves no trace."""
    mailbox = Mailbox(folders={"INBOX": [message(1), message(2)]})
    async with serving(mailbox) as server:
        one = connector(imap=server)
        await Reader(one, EARLIER).read()
        await one.close()

    assert [] == [one for one in mailbox.commands if one.startswith(("SELECT", "UID STORE", "STORE", "EXPUNGE"))]
    assert all("BODY.PEEK[" in one or "BODY" not in one for one in mailbox.said("UID FETCH"))


async def test_first_contact_takes_what_came_after_since_and_leaves_the_rest():
    """200,000 old messages cost a search, not a download; the cursor stands behind them all."""
    old = [message(uid, at=MONDAY - timedelta(days=400)) for uid in range(1, 200_001)]
    new = [message(200_001, at=EARLIER - timedelta(hours=1)), message(200_002, at=EARLIER), message(200_005)]
    mailbox = Mailbox(folders={"INBOX": [*old, *new], "Sent": old[:5]})
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        found = await reader.read()
        await one.close()

    assert [200_002, 200_005] == uids(found)
    assert {"INBOX": 200_005, "Sent": 5} == {name: cursor.last_uid for name, cursor in reader.cursors.items()}


async def test_what_is_new_comes_oldest_first_in_bounded_batches():
    """At most so many messages and so many bytes a batch, each with the cursor that is right after it."""
    sizes = [10, 10, 900, 10, 2000, 10, 10, 10]
    stored = [message(uid, size=size) for uid, size in enumerate(sizes, start=1)]
    mailbox = Mailbox(capabilities=FULL, folders={"INBOX": stored})
    async with serving(mailbox) as server:
        one = connector(imap=server, limits=FetchLimits(messages=3, batch_bytes=1000))
        batches = [batch async for batch in one.read({}, since=EARLIER)]
        await one.close()

    assert [[1, 2, 3], [4], [5], [6, 7, 8]] == [uids(batch.messages) for batch in batches if batch.messages]
    assert [3, 4, 5, 8] == [batch.cursor.last_uid for batch in batches if batch.messages]
    assert [True, True, True, False] == [batch.cursor.highest_modseq is None for batch in batches if batch.messages]


async def test_a_reader_may_use_the_connector_between_two_batches():
    """Nothing is locked while the messages are stored."""
    mailbox = Mailbox(folders={"INBOX": [message(1), message(2)], "Sent": []})
    async with serving(mailbox) as server:
        one = connector(imap=server, limits=FetchLimits(messages=1))
        seen = []
        async for batch in one.read({}, since=EARLIER):
            await one.save_sent(b"Subject: copy\r\n\r\n", at=MONDAY)
            seen += uids([each for each in batch.messages if each.folder == "INBOX"])
        await one.close()

    assert [1, 2] == seen


async def test_a_new_uidvalidity_reads_the_folder_again_from_since():
    """UIDs count within one UIDVALIDITY only (RFC 3501 §2.3.1.1)."""
    mailbox = Mailbox(folders={"INBOX": [message(1), message(2)]})
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        await reader.read()
        mailbox.rebuild("INBOX", [message(1, at=EARLIER - timedelta(days=9)), message(2), message(3)])
        found = await reader.read()
        await one.close()

    assert [2, 3] == uids(found)
    assert (8, 3) == (reader.cursors["INBOX"].uid_validity, reader.cursors["INBOX"].last_uid)


async def test_a_server_that_went_back_in_time_is_read_again():
    """A restored backup gives UIDs a second time under the same UIDVALIDITY; what came in between is not missed."""
    mailbox = Mailbox(folders={"INBOX": [message(uid) for uid in (1, 2, 3, 4)]})
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        await reader.read()
        mailbox.folders["INBOX"] = [message(1), message(2, size=33)]
        found = await reader.read()
        await one.close()

    assert [1, 2] == uids(found)


async def test_expunged_messages_are_no_trouble():
    """Gone between search and fetch, or at the end of the folder: nothing is missing, nothing blocks."""
    mailbox = Mailbox(folders={"INBOX": [message(1), message(2), message(3)]})

    async def vanish(peer: Peer, tag: str, rest: str) -> None:
        mailbox.folders["INBOX"] = [one for one in mailbox.folders["INBOX"] if one.uid != 2]
        await mailbox.fetch(peer, tag, rest)

    mailbox.answers["UID FETCH"] = vanish
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        first = await reader.read()
        mailbox.folders["INBOX"] = []
        second = await reader.read()
        mailbox.folders["INBOX"] = [message(4)]
        mailbox.uid_next["INBOX"] = 5
        third = await reader.read()
        await one.close()

    assert [[1, 3], [], [4]] == [uids(found) for found in (first, second, third)]


@pytest.mark.parametrize("lie", ["HIGHESTMODSEQ", "UIDNEXT", "both", "none at all", "NOMODSEQ"])
async def test_a_server_that_lies_about_its_state_hides_no_mail(lie: str):
    """A number that stands still, is 0 or is left out: some other number moves, or the folder is searched."""
    mailbox = Mailbox(capabilities=FULL, folders={"INBOX": [message(1)]})
    lies: dict[str, dict[str, int | None]] = {
        "HIGHESTMODSEQ": {"HIGHESTMODSEQ": 1},
        "UIDNEXT": {"UIDNEXT": 1},
        "both": {"HIGHESTMODSEQ": 1, "UIDNEXT": 1},
        "none at all": {"HIGHESTMODSEQ": None, "UIDNEXT": None, "MESSAGES": None},
        "NOMODSEQ": {"HIGHESTMODSEQ": 0},
    }
    mailbox.lies = lies[lie]
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        first = await reader.read()
        quiet = await reader.read()
        mailbox.add("INBOX", message(2))
        second = await reader.read()
        await one.close()

    assert [[1], [], [2]] == [uids(found) for found in (first, quiet, second)]


async def test_a_stale_status_is_overruled_by_the_sweep():
    """Where STATUS never changes, the folder is opened every quarter of an hour all the same."""
    time = FakeTime()
    mailbox = Mailbox(folders={"INBOX": [message(1)]})
    async with serving(mailbox) as server:
        one = connector(imap=server, time=time)
        reader = Reader(one, EARLIER)
        await reader.read()
        mailbox.lies = {"UIDNEXT": 2, "MESSAGES": 1}
        await reader.read()
        mailbox.add("INBOX", message(2))
        hidden = await reader.read()
        time.pass_by(SWEEP_SECONDS)
        found = await reader.read()
        await one.close()

    assert [[], [2]] == [uids(hidden), uids(found)]


async def test_a_server_that_cannot_search_is_read_all_the_same():
    """Every message's number and date is asked for instead."""
    mailbox = Mailbox(folders={"INBOX": [message(1, at=EARLIER - timedelta(days=1)), message(2)]})
    mailbox.answers["UID SEARCH"] = ["{tag} BAD no such command"]
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        first = await reader.read()
        mailbox.add("INBOX", message(3))
        second = await reader.read()
        await one.close()

    assert [[2], [3]] == [uids(first), uids(second)]


@pytest.mark.parametrize("kind", ["NO [UNAVAILABLE]", "NO [SERVERBUG]", "BAD"])
@pytest.mark.parametrize(
    "beginning", ["STATUS", "UNSELECT", "CLOSE", "EXAMINE", "LIST", "FETCH", "UID SEARCH", "UID FETCH"]
)
async def test_a_refusal_of_any_command_loses_no_message(beginning: str, kind: str):
    """Asked for in another way, or an error after which the same read succeeds: a no is no empty folder."""
    mailbox = Mailbox(folders={"INBOX": [message(1), message(2)]})
    honest = mailbox.answers.get(beginning, ["{tag} OK done"])
    mailbox.answers[beginning] = [f"{{tag}} {kind} no"]
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        found: list[FetchedMessage] = []
        try:
            found += await reader.read()
        except ReadingFailedError:
            mailbox.answers[beginning] = honest
            found += await reader.read()
        again = await reader.read()
        await one.close()

    assert [1, 2] == uids(found)
    assert [] == again
    assert 1 == server.connections


async def test_a_server_without_examine_is_read_and_loses_nothing():
    """SELECT instead; and then never CLOSE, which would remove what the owner marked as deleted."""
    mailbox = Mailbox(capabilities=BARE, folders={"INBOX": [message(1)]})
    mailbox.answers["EXAMINE"] = ["{tag} BAD unknown command"]
    mailbox.answers["SELECT"] = mailbox.examine
    async with serving(mailbox) as server:
        one = connector(imap=server)
        found = await Reader(one, EARLIER).read()
        await one.close()

    assert [1] == uids(found)
    assert [] == mailbox.said("CLOSE")


async def test_a_server_that_names_no_next_uid_is_opened_for_writing_and_left_without_harm():
    """Courier keeps no UIDs that it gives to who only examines; CLOSE comes after EXAMINE, when it removes nothing."""
    mailbox = Mailbox(capabilities="IMAP4rev1", folders={"INBOX": [message(1)]}, lies={"UIDNEXT": None})
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        found = await reader.read()
        mailbox.add("INBOX", message(2))
        found += await reader.read()
        await one.close()
    opened = [word for each in mailbox.commands if (word := each.split(" ")[0]) in {"EXAMINE", "SELECT", "CLOSE"}]

    assert [1, 2] == uids(found)
    assert ["EXAMINE", "SELECT", "EXAMINE", "CLOSE", "SELECT", "EXAMINE", "CLOSE"] == opened


async def test_where_the_folder_may_not_be_written_it_is_examined():
    """Some folders are for reading only: better UIDs that may change than no mail."""
    mailbox = Mailbox(folders={"INBOX": [message(1)]}, lies={"UIDNEXT": None})
    mailbox.answers["SELECT"] = ["{tag} NO for reading only"]
    async with serving(mailbox) as server:
        one = connector(imap=server)
        found = await Reader(one, EARLIER).read()
        await one.close()

    assert [1] == uids(found)


async def test_folders_of_others_are_left_alone():
    """RFC 2342: what a colleague shares is not looked into; a server that refuses to tell is read all the same."""
    mailbox = Mailbox(
        capabilities="IMAP4rev1 NAMESPACE",
        folders={"INBOX": [message(1)], "Customers": [message(2)], "Other Users/bob": [message(3)]},
    )
    mailbox.answers["NAMESPACE"] = ['* NAMESPACE (("" "/")) (("Other Users/" "/")) NIL', "{tag} OK done"]
    async with serving(mailbox) as server:
        one = connector(imap=server)
        theirs = await Reader(one, EARLIER).read()
        await one.close()
    mailbox.answers["NAMESPACE"] = ["{tag} NO not today"]
    async with serving(mailbox) as server:
        one = connector(imap=server)
        everything = await Reader(one, EARLIER).read()
        await one.close()

    assert [1, 2] == uids(theirs)
    assert [1, 2, 3] == uids(everything)


async def test_condstore_that_is_offered_and_refused_is_done_without():
    """BAD for its parameters: asked again in the old way."""
    mailbox = Mailbox(capabilities=FULL, folders={"INBOX": [message(1)]})
    mailbox.answers['EXAMINE "INBOX" (CONDSTORE)'] = ["{tag} BAD no"]
    mailbox.refuses_modseq = True
    async with serving(mailbox) as server:
        one = connector(imap=server)
        found = await Reader(one, EARLIER).read()
        await one.close()

    assert [1] == uids(found)


async def test_a_refused_folder_is_named_and_keeps_no_other_from_being_read():
    """The others' cursors stand; freshness does not move."""
    mailbox = Mailbox(folders={"INBOX": [message(1)], "Junk": [message(4)], "Sent": [message(9)]})
    mailbox.answers['EXAMINE "Sent"'] = ["{tag} NO [UNAVAILABLE] try later"]
    async with serving(mailbox) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        with pytest.raises(ReadingFailedError, match="Sent"):
            await reader.read()
        await one.close()

    assert {"INBOX": 1, "Junk": 4} == {name: cursor.last_uid for name, cursor in reader.cursors.items()}


@pytest.mark.parametrize("beginning", ["LIST", "STATUS", "EXAMINE", "FETCH", "UID SEARCH", "UID FETCH"])
@pytest.mark.parametrize("failure", ["close", "abort", "bye", "garbage", "hang"])
async def test_a_failure_at_any_command_is_a_failed_reading_and_the_next_read_is_whole(beginning: str, failure: str):
    """Whatever the server does, wherever: one error of the port, then a new connection."""
    mailbox = Mailbox(folders={"INBOX": [message(1), message(2)], "Sent": [message(7)]})

    async def fail(peer: Peer, tag: str, _: str) -> None:
        mailbox.answers[beginning] = honest
        match failure:
            case "close":
                peer.close()
            case "abort":
                peer.abort()
            case "bye":
                await peer.send("* BYE [UNAVAILABLE] enough")
            case "garbage":
                await peer.send(f"* 1 FETCH (UID {tag}")
            case _:
                await peer.hang()

    honest = mailbox.answers[beginning]
    mailbox.answers[beginning] = fail
    async with serving(mailbox, forever=True) as server:
        one = connector(imap=server, command_seconds=0.3)
        reader = Reader(one, EARLIER)
        with pytest.raises(ReadingFailedError):
            await reader.read()
        found = await reader.read()
        await one.close()

    assert {("INBOX", 1), ("INBOX", 2), ("Sent", 7)} >= {(one.folder, one.uid) for one in found}
    assert {"INBOX": 2, "Sent": 7} == {name: cursor.last_uid for name, cursor in reader.cursors.items()}


async def test_a_kept_connection_that_died_is_replaced_without_an_error():
    """Closed by the server, or silent since long: the read notices and goes on with another."""
    time = FakeTime()
    mailbox = Mailbox(folders={"INBOX": [message(1)]})
    async with serving(mailbox, forever=True) as server:
        one = connector(imap=server, time=time, command_seconds=0.3)
        reader = Reader(one, EARLIER)
        await reader.read()
        server.peers[0].close()
        await asyncio.sleep(0.01)
        await reader.read()
        mailbox.answers["NOOP"] = say_nothing
        time.pass_by(3600)
        mailbox.add("INBOX", message(2))
        found = await reader.read()
        await one.close()

    assert [2] == uids(found)
    assert 3 == server.connections


async def test_an_unused_connection_is_let_go():
    """Between reads of a quiet mailbox no socket is held; the server is told."""
    mailbox = Mailbox(folders={"INBOX": []})
    ended = asyncio.Event()

    async def script(peer: Peer) -> None:
        await mailbox(peer)
        ended.set()

    async with serving(script) as server:
        one = connector(imap=server, keep_seconds=0.05)
        await Reader(one, EARLIER).read()
        async with asyncio.timeout(LIMIT):
            await ended.wait()

    assert "LOGOUT" == mailbox.commands[-1]


async def test_a_cursor_of_a_folder_that_is_gone_is_ignored():
    """Folders come and go; the others are read."""
    mailbox = Mailbox(folders={"INBOX": [message(1)]})
    gone = Cursor(folder="Old", role=FolderRole.ARCHIVE, uid_validity=1, last_uid=5)
    async with serving(mailbox) as server:
        one = connector(imap=server)
        batches = [batch async for batch in one.read({"Old": gone}, since=EARLIER)]
        await one.close()

    assert ["INBOX"] == [batch.cursor.folder for batch in batches]


async def test_a_message_says_where_it_lay_and_when_it_came():
    """Folder, role, UIDVALIDITY, UID, INTERNALDATE in UTC, and the bytes as they are."""
    mailbox = Mailbox(folders={"INBOX": [message(3, at=MONDAY)], "Junk": []})
    async with serving(mailbox) as server:
        one = connector(imap=server)
        (found,) = await Reader(one, EARLIER).read()
        await one.close()

    assert ("INBOX", FolderRole.INBOX, 7, 3) == (found.folder, found.role, found.uid_validity, found.uid)
    assert (MONDAY, message(3).raw, False) == (found.internal_date, found.raw, found.truncated)


@pytest.mark.parametrize("beginning", ["LIST", "EXAMINE", "STATUS"])
async def test_a_yes_without_an_answer_is_not_taken_for_an_empty_mailbox(beginning: str):
    """Finding nothing is not being told that there is nothing: the read fails, or asks in another way."""
    mailbox = Mailbox(folders={"INBOX": [message(1)]})
    mailbox.answers[beginning] = ["{tag} OK done"]
    async with serving(mailbox, forever=True) as server:
        one = connector(imap=server)
        reader = Reader(one, EARLIER)
        try:
            found = uids(await reader.read())
        except ReadingFailedError:
            found = [1]
        await one.close()

    assert [1] == found
    assert {"INBOX": 1} == {name: cursor.last_uid for name, cursor in reader.cursors.items()} or not reader.cursors
