"""The IMAP server, seen by the standard library's client."""

import imaplib
from typing import Any

import pytest

from relance.sandbox.domains import DEFAULT_DOMAINS, FRENCH, Capability, Domain, Security
from relance.sandbox.mailstore import Use, decode_folder, encode_folder
from sandbox.clients import open_imap, with_imap
from sandbox.conftest import MONDAY, OpenWorld

MESSAGE = b"From: a@b.example\r\nSubject: One\r\n two\r\nMessage-ID: <m1@b.example>\r\n\r\nBody\r\n"
RICH, _, POOR = range(3)


def put(client: imaplib.IMAP4, count: int = 1, folder: str = "INBOX") -> None:
    """Append the message so many times."""
    for _ in range(count):
        assert client.append(folder, "", "", MESSAGE)[0] == "OK"


@pytest.mark.parametrize("number", range(3))
async def test_every_default_domain_lets_its_mailboxes_in(open_world: OpenWorld, number: int):
    """One domain speaks TLS, one STARTTLS, one in the clear; all serve INBOX."""
    account = (await open_world()).accounts[number]

    assert ("OK", [b"0"]) == await with_imap(account, lambda client: client.select("INBOX"))
    assert DEFAULT_DOMAINS[number].security is account.imap.security


async def test_a_wrong_password_is_refused(open_world: OpenWorld):
    """The refusal carries the code of RFC 5530."""
    account = (await open_world()).accounts[POOR]

    def attempt(_: imaplib.IMAP4) -> None:
        stranger = open_imap(account, login=False)
        try:
            stranger.login(account.username, "wrong")
        finally:
            stranger.logout()

    with pytest.raises(imaplib.IMAP4.error, match="AUTHENTICATIONFAILED"):
        await with_imap(account, attempt)


async def test_folders_are_listed_with_their_purpose(open_world: OpenWorld):
    """A domain with SPECIAL-USE marks its folders, one without does not."""
    world = await open_world()
    rich = await with_imap(world.accounts[RICH], lambda client: client.list()[1])
    poor = await with_imap(world.accounts[POOR], lambda client: client.list()[1])

    assert b'(\\HasNoChildren \\Sent) "/" "[Gmail]/Sent Mail"' in rich
    assert b'(\\HasNoChildren) "." "INBOX.Sent"' in poor


async def test_folder_names_travel_in_modified_utf_7(open_world: OpenWorld):
    """A French domain's Sent folder can be found and opened under its encoded name."""
    world = await open_world(domains=[Domain(name="poste.example", security=Security.PLAIN, folders=FRENCH)])
    name = encode_folder(FRENCH[Use.SENT])

    def talk(client: imaplib.IMAP4) -> tuple[Any, Any]:
        return client.list('""', f"{name[:4]}*"), client.select(f'"{name}"')

    listed, opened = await with_imap(world.accounts[0], talk)

    assert "&AMk-l&AOk-ments envoy&AOk-s" == name
    assert ("OK", [b'(\\HasNoChildren \\Sent) "/" "&AMk-l&AOk-ments envoy&AOk-s"']) == (listed[0], listed[1][:1])
    assert "OK" == opened[0]
    assert FRENCH[Use.SENT] == decode_folder(name)


async def test_status_tells_what_a_cursor_needs(open_world: OpenWorld):
    """UIDNEXT, UIDVALIDITY and, with CONDSTORE, HIGHESTMODSEQ."""
    world = await open_world()
    account = world.accounts[RICH]
    validity = world.mailbox(account.address).store.by_use(Use.INBOX).uid_validity

    def talk(client: imaplib.IMAP4) -> list[Any]:
        put(client, 2)
        return client.status("INBOX", "(MESSAGES UIDNEXT UIDVALIDITY HIGHESTMODSEQ)")[1]

    assert [f'"INBOX" (MESSAGES 2 UIDNEXT 3 UIDVALIDITY {validity} HIGHESTMODSEQ 3)'.encode()] == await with_imap(
        account, talk
    )


async def test_a_domain_without_condstore_knows_no_modification_sequences(open_world: OpenWorld):
    """Neither STATUS nor FETCH pretends to."""
    account = (await open_world()).accounts[POOR]

    def talk(client: imaplib.IMAP4) -> None:
        client.select("INBOX")
        with pytest.raises(imaplib.IMAP4.error):
            client.status("INBOX", "(HIGHESTMODSEQ)")
        with pytest.raises(imaplib.IMAP4.error):
            client.uid("FETCH", "1:*", "(FLAGS)", "(CHANGEDSINCE 1)")

    await with_imap(account, talk)


async def test_parts_of_a_message_can_be_fetched(open_world: OpenWorld):
    """Whole, header, chosen fields with their folding, and a range of octets."""

    def talk(client: imaplib.IMAP4) -> list[bytes]:
        put(client)
        client.select("INBOX")
        wanted = ("BODY.PEEK[]", "BODY.PEEK[HEADER]", "BODY.PEEK[HEADER.FIELDS (SUBJECT X)]", "BODY.PEEK[TEXT]<1.2>")
        return [client.uid("FETCH", "1", f"(UID {item})")[1][0][1] for item in wanted]

    whole, header, fields, part = await with_imap((await open_world()).accounts[RICH], talk)

    assert MESSAGE == whole
    assert MESSAGE.partition(b"Body")[0] == header
    assert b"Subject: One\r\n two\r\n\r\n" == fields
    assert b"od" == part


async def test_a_fetch_names_size_date_and_flags(open_world: OpenWorld):
    """INTERNALDATE is sandbox time."""

    def talk(client: imaplib.IMAP4) -> Any:
        put(client)
        client.select("INBOX")
        return client.fetch("1", "(FLAGS INTERNALDATE RFC822.SIZE UID MODSEQ)")[1]

    expected = f'1 (FLAGS () INTERNALDATE "30-Nov-2026 08:00:00 +0000" RFC822.SIZE {len(MESSAGE)} UID 1 MODSEQ (2))'
    assert [expected.encode()] == await with_imap((await open_world()).accounts[RICH], talk)


async def test_only_a_fetch_without_peek_marks_as_seen(open_world: OpenWorld):
    """A client that reads without PEEK can be caught."""
    world = await open_world()
    account = world.accounts[RICH]

    def talk(item: str, client: imaplib.IMAP4) -> None:
        client.select("INBOX")
        client.uid("FETCH", "1:*", f"({item})")

    await with_imap(account, put)
    inbox = world.mailbox(account.address).store.by_use(Use.INBOX)
    await with_imap(account, lambda client: talk("BODY.PEEK[]", client))
    assert frozenset() == inbox.at(1).flags
    await with_imap(account, lambda client: talk("BODY[]", client))
    assert frozenset({"\\Seen"}) == inbox.at(1).flags


async def test_changed_since_returns_only_what_changed(open_world: OpenWorld):
    """RFC 7162: flags that change raise a message's MODSEQ."""

    def talk(client: imaplib.IMAP4) -> Any:
        put(client, 3)
        client.select("INBOX")
        client.uid("STORE", "2", "+FLAGS", "(\\Flagged)")
        return client.uid("FETCH", "1:*", "(FLAGS)", "(CHANGEDSINCE 4)")[1]

    assert [b"2 (UID 2 MODSEQ (5) FLAGS (\\Flagged))"] == await with_imap((await open_world()).accounts[RICH], talk)


@pytest.mark.parametrize(
    "program,found",
    [
        ("ALL", b"1 2 3"),
        ("HEADER Message-ID <m1@b.example>", b"1 3"),
        ('HEADER SUBJECT "one two"', b"1 3"),
        ("HEADER X-Missing x", b""),
        ("UID 2:*", b"2 3"),
        ("UID 9:*", b"3"),
        ("1:2", b"1 2"),
        ("SINCE 30-Nov-2026", b"1 3"),
        ("BEFORE 30-Nov-2026", b"2"),
        ("UID 1:2 SINCE 30-Nov-2026 HEADER FROM a@b", b"1"),
        ("OR UID 1 (SUBJECT other)", b"1 2"),
        ("NOT FLAGGED", b"1 2 3"),
        ("UNSEEN SMALLER 9", b""),
        ("TEXT body", b"1 3"),
        ("CHARSET UTF-8 MODSEQ 4", b"3 (MODSEQ 4)"),
    ],
)
async def test_searches_find_what_their_keys_say(open_world: OpenWorld, program: str, found: bytes):
    """All keys of a program hold together (RFC 3501 §6.4.4)."""

    def talk(client: imaplib.IMAP4) -> Any:
        put(client)
        client.append("INBOX", "", '"01-Jan-2026 10:00:00 +0100"', b"Subject: other\r\n\r\nx\r\n")
        put(client)
        client.select("INBOX")
        return client.uid("SEARCH", program)[1]

    assert [found] == await with_imap((await open_world()).accounts[RICH], talk)


async def test_appended_messages_get_flags_date_and_uid(open_world: OpenWorld):
    """UIDPLUS tells the UID; without it the client must look."""
    world = await open_world()

    def talk(folder: str, client: imaplib.IMAP4) -> bytes:
        date = '"05-Nov-2026 10:00:00 +0000"'
        return bytes(client.append(folder, "(\\Seen)", date, MESSAGE)[1][0])

    rich = await with_imap(world.accounts[RICH], lambda client: talk('"[Gmail]/Sent Mail"', client))
    poor = await with_imap(world.accounts[POOR], lambda client: talk("INBOX.Sent", client))
    sent = world.mailbox(world.accounts[RICH].address).store.by_use(Use.SENT)

    assert f"[APPENDUID {sent.uid_validity} 1] APPEND done".encode() == rich
    assert b"APPEND done" == poor
    assert (frozenset({"\\Seen"}), 5) == (sent.at(1).flags, sent.at(1).internal_date.day)


async def test_an_append_into_nowhere_asks_to_create(open_world: OpenWorld):
    """RFC 3501 §6.3.11: the client may create the folder and try again."""

    def talk(client: imaplib.IMAP4) -> tuple[str, bytes, str]:
        status, lines = client.append("Nowhere", "", "", MESSAGE)
        client.create("Nowhere")
        return status, lines[0], client.append("Nowhere", "", "", MESSAGE)[0]

    status, text, again = await with_imap((await open_world()).accounts[RICH], talk)

    assert ("NO", "OK") == (status, again)
    assert text.startswith(b"[TRYCREATE]")


async def test_messages_move_copy_and_vanish(open_world: OpenWorld):
    """MOVE and COPY tell the new UIDs; EXPUNGE removes what is marked."""
    world = await open_world()
    account = world.accounts[RICH]
    store = world.mailbox(account.address).store

    def talk(client: imaplib.IMAP4) -> list[Any]:
        put(client, 4)
        client.select("INBOX")
        answers = [client.uid("MOVE", "1", '"[Gmail]/Spam"'), client.uid("COPY", "2:3", '"[Gmail]/All Mail"')]
        client.uid("STORE", "2,4", "+FLAGS.SILENT", "(\\Deleted)")
        return [*answers, client.uid("EXPUNGE", "2"), client.close()]

    answers = await with_imap(account, talk)

    assert ["OK"] * 4 == [status for status, _ in answers]
    assert [3] == [message.uid for message in store.by_use(Use.INBOX)]
    assert (1, 2) == (len(store.by_use(Use.JUNK)), len(store.by_use(Use.ARCHIVE)))


async def test_news_is_told_with_the_next_command(open_world: OpenWorld):
    """Another connection's messages show as EXISTS with a NOOP."""
    account = (await open_world()).accounts[RICH]

    def talk(client: imaplib.IMAP4) -> Any:
        client.select("INBOX")
        other = open_imap(account)
        put(other, 2)
        other.logout()
        client.noop()
        return client.response("EXISTS")[1]

    assert b"2" in await with_imap(account, talk)


async def test_a_rebuilt_folder_has_new_numbers_and_another_validity(open_world: OpenWorld):
    """What a client sees after a server was restored."""
    world = await open_world()
    account = world.accounts[RICH]
    inbox = world.mailbox(account.address).store.by_use(Use.INBOX)
    await with_imap(account, lambda client: put(client, 3))
    before = inbox.uid_validity
    inbox.expunge([1])
    inbox.rebuild()

    assert [1, 2] == [message.uid for message in inbox]
    assert before + 1 == inbox.uid_validity
    assert MONDAY == inbox.at(1).internal_date


async def test_an_account_with_fewer_capabilities_says_so(open_world: OpenWorld):
    """CAPABILITY follows the domain."""
    world = await open_world(domains=[Domain(name="bare.example", security=Security.PLAIN, capabilities=frozenset())])

    def talk(client: imaplib.IMAP4) -> str:
        return bytes(client.capability()[1][0]).decode()

    offered = await with_imap(world.accounts[0], talk)

    assert set() == {each.value for each in Capability} & set(offered.split())
    assert "AUTH=XOAUTH2" in offered
