"""Was it sent? Every mark counts, the server's search is not believed, and absence has to be proven."""

from datetime import timedelta
from email.utils import format_datetime

import pytest

from connectors.imap_mailbox import Mailbox, Stored, message
from connectors.scripted import Answer, Peer, connector, serving
from relance.ports.connector import CannotLook, Found, Lookup, NotFound, ReadingFailedError, Sought
from relance.testing.connector_suite import Reader
from relance.testing.moments import MONDAY

TRACE = "X-Entity-Ref"
SINCE = MONDAY - timedelta(minutes=5)
SOUGHT = Sought(
    message_ids=("<a@north.example>", "<b@north.example>"),
    trace_header=TRACE,
    trace="t-1",
    copy_header="X-Sent-Copy",
    recipient="bob@south.example",
    since=SINCE,
)


def sent(
    uid: int,
    *,
    message_id: str = "<other@x>",
    trace: str | None = None,
    minutes: float = 0,
    written: float | None = None,
) -> Stored:
    """Return a message in Sent, `minutes` after MONDAY by the server, `written` minutes after it by its Date."""
    at = MONDAY + timedelta(minutes=minutes)
    date = MONDAY + timedelta(minutes=minutes if written is None else written)
    headers = {"Message-ID": message_id, "Date": format_datetime(date)}
    return message(uid, at=at, headers=headers | ({TRACE: trace} if trace else {}))


async def look(mailbox: Mailbox, sought: Sought = SOUGHT) -> Lookup:
    """Look once."""
    async with serving(mailbox) as server:
        one = connector(imap=server)
        found = await one.find_sent(sought)
        await one.close()
    return found


@pytest.mark.parametrize(
    "stored",
    [
        pytest.param(sent(3, message_id="<a@north.example>"), id="its id"),
        pytest.param(sent(3, message_id="<b@north.example>"), id="another of its ids"),
        pytest.param(sent(3, message_id="<rewritten@relay>", trace="t-1"), id="its trace, the id was rewritten"),
        pytest.param(sent(3, message_id="<a@north.example>", minutes=-90_000), id="its id, with a date long ago"),
    ],
)
@pytest.mark.parametrize("search", ["honest", "blind", "refused for headers", "sees everything"])
async def test_a_message_of_ours_is_found_by_any_mark(stored: Stored, search: str):
    """With a server that searches well, finds nothing, cannot search headers, or names every message there is."""
    mailbox = Mailbox(folders={"INBOX": [], "Sent": [sent(1), sent(2, trace="t-0"), stored, sent(4, trace="t-9")]})
    bent: dict[str, Answer] = {
        "blind": ["* SEARCH", "{tag} OK done"],
        "refused for headers": ["{tag} NO [CANNOT] headers"],
        "sees everything": ["* SEARCH 1 2 3 4", "{tag} OK done"],
    }
    if search in bent:
        mailbox.answers["UID SEARCH HEADER"] = bent[search]
    found = await look(mailbox)
    long_ago_and_blind = stored.at < SINCE and search in {"blind", "refused for headers"}

    if long_ago_and_blind:
        assert isinstance(found, NotFound)
        assert found.witness is not None
    else:
        wire_id = stored.raw.split(b"Message-ID: ")[1].split(b"\r\n")[0].decode()
        assert Found(wire_message_id=wire_id, at=stored.at) == found


@pytest.mark.parametrize(
    "others, minutes",
    [
        pytest.param([], None, id="an empty folder"),
        pytest.param([sent(1, minutes=9)], None, id="a later message that is not ours"),
        pytest.param([sent(1, trace="t-0", minutes=-9)], None, id="an earlier message of ours"),
        pytest.param([sent(1, trace="t-2", minutes=9)], 9, id="a later message of ours"),
        pytest.param([sent(1, trace="t-2", minutes=4), sent(2, trace="t-3", minutes=9)], 9, id="the newest of two"),
        pytest.param([sent(1, trace="t-2", minutes=9, written=30)], 9, id="at the server's time, where it says less"),
        pytest.param([sent(1, trace="t-2", minutes=30, written=9)], 9, id="at ours, where it says less"),
        pytest.param([sent(1, trace="t-2", minutes=9, written=-9)], None, id="an earlier one, by our own clock"),
        pytest.param([sent(1, trace="t-2", minutes=-9, written=9)], None, id="an earlier one, by the server's clock"),
    ],
)
async def test_absence_counts_only_when_a_later_message_of_ours_is_there(others: list[Stored], minutes: int | None):
    """Later by both clocks: one that runs ahead must not make us write twice."""
    witness = None if minutes is None else MONDAY + timedelta(minutes=minutes)

    assert NotFound(witness=witness) == await look(Mailbox(folders={"INBOX": [], "Sent": others}))


async def test_without_a_sent_folder_there_is_no_way_to_look():
    """And that is said, instead of 'not found'."""
    assert isinstance(await look(Mailbox(folders={"INBOX": []})), CannotLook)


async def test_a_message_to_oneself_in_another_folder_proves_nothing():
    """Only Sent is looked into: anybody can put a copied Message-ID into an INBOX."""
    mailbox = Mailbox(folders={"INBOX": [sent(1, message_id="<a@north.example>")], "Sent": []})

    assert NotFound(witness=None) == await look(mailbox)


async def test_a_server_that_can_be_searched_in_no_way_is_an_error():
    """Not seeing is not the same as not being there."""
    mailbox = Mailbox(folders={"INBOX": [], "Sent": [sent(1)]})
    mailbox.answers["UID SEARCH"] = ["{tag} NO [UNAVAILABLE] index is being rebuilt"]
    with pytest.raises(ReadingFailedError):
        await look(mailbox)


@pytest.mark.parametrize("beginning", ["LIST", "EXAMINE", "UID SEARCH HEADER", "UID SEARCH SINCE", "UID FETCH"])
async def test_a_lost_connection_while_looking_is_an_error(beginning: str):
    """At each command."""

    async def lose(peer: Peer, _tag: str, _rest: str) -> None:
        peer.abort()

    mailbox = Mailbox(folders={"INBOX": [], "Sent": [sent(1)]})
    mailbox.answers[beginning] = lose
    with pytest.raises(ReadingFailedError):
        await look(mailbox)


RAW = b"Subject: copy\r\nMessage-ID: <c@north.example>\r\n\r\nText.\r\n"


@pytest.mark.parametrize("capabilities", ["IMAP4rev1", "IMAP4rev1 LITERAL+", "IMAP4rev1 LITERAL-"])
@pytest.mark.parametrize("folders, kept_in", [(["Sent Items"], "Sent Items"), (["Sent"], "Sent"), ([], "Sent")])
async def test_a_copy_is_kept_as_seen_with_its_date(capabilities: str, folders: list[str], kept_in: str):
    """In the folder that is there, or in one that is made; and it is looked for and read there afterwards."""
    mailbox = Mailbox(capabilities=capabilities, folders={"INBOX": [], **{name: [] for name in folders}})
    async with serving(mailbox) as server:
        one = connector(imap=server)
        await one.save_sent(RAW, at=MONDAY)
        found = await Reader(one, SINCE).read()
        await one.close()

    assert [(kept_in, RAW)] == [(each.folder, each.raw) for each in found]
    assert rf'APPEND "{kept_in}" (\Seen) "30-Nov-2026 09:00:00 +0000" {{{len(RAW)}' in mailbox.said("APPEND")[-1]


async def test_the_special_folder_wins_over_one_that_is_only_called_so():
    """RFC 6154 before names."""
    mailbox = Mailbox(folders={"INBOX": [], "Sent": [], "Postausgang": []}, attributes={"Postausgang": "\\Sent"})
    async with serving(mailbox) as server:
        one = connector(imap=server)
        await one.save_sent(RAW, at=MONDAY)
        await one.close()

    assert [RAW] == [each.raw for each in mailbox.folders["Postausgang"]]


async def test_a_refused_copy_is_an_error_and_the_connection_goes_on():
    """Over quota: a sentence for a person."""
    mailbox = Mailbox(folders={"INBOX": [], "Sent": []})
    honest = mailbox.answers["APPEND"]

    async def refuse(_peer: Peer, tag: str, _rest: str) -> None:
        await _peer.send(f"{tag} NO [OVERQUOTA] full")

    mailbox.capabilities = "IMAP4rev1"
    mailbox.answers["APPEND"] = refuse
    async with serving(mailbox) as server:
        one = connector(imap=server)
        with pytest.raises(ReadingFailedError, match="full"):
            await one.save_sent(RAW, at=MONDAY)
        mailbox.answers["APPEND"] = honest
        await one.save_sent(RAW, at=MONDAY)
        await one.close()

    assert 1 == server.connections
    assert 1 == len(mailbox.folders["Sent"])
