"""The IMAP parser: whatever comes, however it is cut, in bounded memory and linear time."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.connectors.smtp_imap.imap_parser import (
    Capability,
    Code,
    Condition,
    Continuation,
    Event,
    Exists,
    Fetched,
    FolderStatus,
    Listed,
    Namespaces,
    Other,
    ResponseParser,
    Searched,
    Tagged,
)
from relance.connectors.smtp_imap.imap_values import DEEPEST
from relance.connectors.smtp_imap.imap_wire import Literal, ProtocolViolation, WireLimits

SMALL = WireLimits(line=4000, literal=50, skipped=2000, literals=5)
DIALOGUE = (
    b"* OK [CAPABILITY IMAP4rev1 IDLE] Dovecot {12}\r\n"
    b'* LIST (\\HasNoChildren \\Sent) "." INBOX.Gesendet\r\n'
    b'* LIST () NIL "Q \\"x\\" \\\\"\r\n'
    b'* LIST (\\Noselect) "/" {5}\r\nA&-B \r\n'
    b'* STATUS "INBOX" (MESSAGES 2 UIDNEXT 7 UIDVALIDITY 9 HIGHESTMODSEQ 11)\r\n'
    b'* NAMESPACE (("" "/")) (("~" "/")("" "/")) (("#news." "." "X" ("y")))\r\n* NAMESPACE NIL NIL NIL\r\n'
    b"* 23 EXISTS\r\n* 0 RECENT\r\n* SEARCH 4 9 2 (MODSEQ 917)\r\n* SEARCH\r\n"
    b'* 1 FETCH (UID 4 RFC822.SIZE 12 INTERNALDATE " 3-Nov-2026 09:02:11 +0100" BODY[] {12}\r\n'
    b"hello\r\nworld FLAGS ())\r\n"
    b'* 2 FETCH (BODY[HEADER.FIELDS (MESSAGE-ID DATE)] "Date: x" UID 9 '
    b'X-GM-LABELS ("\\\\Inbox" (a (b))) BODY[]<0> NIL)\r\n'
    b"* VANISHED (EARLIER) 41,43:116\r\n+ idling\r\n+\r\n"
    b"R1 OK [READ-ONLY] done\r\nR2 NO [AUTHENTICATIONFAILED] no\r\nR3 BAD\r\n* BYE bye\n"
)


def events(data: bytes, *, cuts: list[int] | None = None, limits: WireLimits | None = None) -> list[Event]:
    """Return everything the parser says when `data` comes in the pieces that `cuts` make."""
    parser = ResponseParser(limits)
    found: list[Event] = []
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts or [])})
    for start, end in pairwise(places):
        parser.feed(data[start:end])
        while (event := parser.next_event()) is not None:
            found.append(event)
            if isinstance(event, ProtocolViolation):
                return found
    return found


def test_a_dialogue_reads_as_it_is_meant():
    """Every kind of response that matters, in the spellings that servers use."""
    assert [
        Condition(kind="OK", code=Code(name="CAPABILITY", argument="IMAP4rev1 IDLE"), text="Dovecot {12}"),
        Listed(attributes=frozenset({"\\hasnochildren", "\\sent"}), delimiter=".", name=b"INBOX.Gesendet"),
        Listed(attributes=frozenset(), delimiter=None, name=b'Q "x" \\'),
        Listed(attributes=frozenset({"\\noselect"}), delimiter="/", name=b"A&-B "),
        FolderStatus(name=b"INBOX", items={"MESSAGES": 2, "UIDNEXT": 7, "UIDVALIDITY": 9, "HIGHESTMODSEQ": 11}),
        Namespaces(foreign=(b"~", b"#news.")),
        Namespaces(foreign=()),
        Exists(count=23),
        Other(name="RECENT"),
        Searched(numbers=(4, 9, 2)),
        Searched(numbers=()),
        Fetched(
            number=1,
            uid=4,
            size=12,
            internal_date=datetime(2026, 11, 3, 8, 2, 11, tzinfo=UTC),
            sections={"BODY[]": Literal(data=b"hello\r\nworld")},
        ),
        Fetched(number=2, uid=9, sections={"BODY[HEADER.FIELDS (MESSAGE-ID DATE)]": Literal(data=b"Date: x")}),
        Other(name="VANISHED"),
        Continuation(text="idling"),
        Continuation(text=""),
        Tagged(tag="R1", kind="OK", code=Code(name="READ-ONLY"), text="done"),
        Tagged(tag="R2", kind="NO", code=Code(name="AUTHENTICATIONFAILED"), text="no"),
        Tagged(tag="R3", kind="BAD", code=None, text=""),
        Condition(kind="BYE", code=None, text="bye"),
    ] == events(DIALOGUE)


@given(cuts=st.lists(st.integers(min_value=0, max_value=len(DIALOGUE)), max_size=40))
def test_the_pieces_in_which_bytes_come_change_nothing(cuts: list[int]):
    """Rule 1 of the wire: the same events, wherever the network cuts."""
    assert events(DIALOGUE) == events(DIALOGUE, cuts=cuts)


def test_byte_by_byte_is_the_same():
    """The finest cut of all."""
    assert events(DIALOGUE) == events(DIALOGUE, cuts=list(range(len(DIALOGUE))))


MUTATION = st.tuples(st.integers(0, len(DIALOGUE)), st.integers(0, 30), st.binary(max_size=12))
FRAGMENTS = st.sampled_from(
    [
        b"* ",
        b"(",
        b")",
        b'"',
        b"\\",
        b"{3}\r\n",
        b"{9999999999999}\r\n",
        b"[",
        b"]",
        b"\r\n",
        b"\n",
        b"\0",
        b"NIL",
        b"FETCH (",
    ]
)


@given(mutations=st.lists(MUTATION, max_size=8), cuts=st.lists(st.integers(0, 3000), max_size=20))
def test_a_mutated_dialogue_ends_in_events_and_never_in_an_exception(
    mutations: list[tuple[int, int, bytes]], cuts: list[int]
):
    """Hostile input is a ProtocolViolation, the last event, and cutting it differently gives the same."""
    data = DIALOGUE
    for place, length, replacement in mutations:
        data = data[:place] + replacement + data[place + length :]
    found = events(data, limits=SMALL)

    assert found == events(data, cuts=cuts, limits=SMALL)
    assert not any(isinstance(event, ProtocolViolation) for event in found[:-1])


@given(pieces=st.lists(st.one_of(FRAGMENTS, st.binary(max_size=5)), max_size=30), cuts=st.lists(st.integers(0, 400)))
def test_noise_made_of_grammar_never_breaks_the_parser(pieces: list[bytes], cuts: list[int]):
    """Same promise for input that resembles IMAP in its parts only."""
    data = b"".join(pieces) + b"\r\n"

    assert events(data, limits=SMALL) == events(data, cuts=cuts, limits=SMALL)


@given(size=st.integers(0, 300), cuts=st.lists(st.integers(0, 500), max_size=5))
def test_a_literal_keeps_its_cap_and_the_stream_stays_in_step(size: int, cuts: list[int]):
    """What is too large is cut, marked, and what follows is read as if nothing had been."""
    data = b"* 1 FETCH (UID 1 BODY[] {%d}\r\n%s UID 1)\r\nR1 OK done\r\n" % (size, b"x" * size)
    found = events(data, cuts=cuts, limits=SMALL)

    assert [
        Fetched(number=1, uid=1, sections={"BODY[]": Literal(data=b"x" * min(size, 50), truncated=size > 50)}),
        Tagged(tag="R1", kind="OK", code=None, text="done"),
    ] == found


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"HTTP/1.1 400 Bad Request\r\n", id="another protocol"),
        pytest.param(b"* 1 FETCH (UID one)\r\n", id="a number that is none"),
        pytest.param(b"* 1 FETCH (UID 1\r\n", id="a list without end"),
        pytest.param(b"* LIST () " + b"(" * (DEEPEST + 2) + b"\r\n", id="lists nested too deeply"),
        pytest.param(b"* 1 FETCH (BODY[] {3000}\r\n", id="a literal beyond all bounds"),
        pytest.param(b"x" * 5000, id="a line without end"),
        pytest.param(b"* LIST (" + b"{1}\r\nx " * 20, id="literals without end"),
        pytest.param(b"* SEARCH " + b"9" * 40 + b"\r\n", id="a number beyond 63 bits"),
        pytest.param(b"\r\n", id="an empty line"),
    ],
)
def test_what_is_no_imap_is_one_violation(data: bytes):
    """And nothing comes out after it."""
    parser = ResponseParser(SMALL)
    parser.feed(data)
    violation = parser.next_event()
    parser.feed(b"* 1 EXISTS\r\n")

    assert isinstance(violation, ProtocolViolation)
    assert violation == parser.next_event()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("filling", [b"[", b'"', b"(", b"\\", b"a[", b"{", b"[]", b'"\\', b"* ", b"&", b" "])
def test_a_long_line_of_anything_takes_linear_time(filling: bytes):
    """A quadratic step would take minutes for these two megabytes."""
    data = b"* LIST () NIL " + filling * (2_000_000 // len(filling)) + b"\r\n"

    assert 1 == len(events(data, cuts=list(range(0, len(data), 4096))))


@pytest.mark.timeout(20)
def test_a_large_message_in_small_pieces_takes_linear_time():
    """Twenty megabytes, a kilobyte at a time."""
    size = 20_000_000
    data = b"* 1 FETCH (UID 1 BODY[] {%d}\r\n%s)\r\n" % (size, b"x" * size)
    found = events(data, cuts=list(range(0, len(data), 1024)))

    assert [size] == [len(one.sections["BODY[]"].data) for one in found if isinstance(one, Fetched)]


def test_two_hundred_thousand_numbers_are_one_answer():
    """A large folder's SEARCH fits into the bounds."""
    data = b"* SEARCH " + b" ".join(b"%d" % uid for uid in range(1, 200_001)) + b"\r\n"

    assert [Searched(numbers=tuple(range(1, 200_001)))] == events(data)


@pytest.mark.parametrize("written", ['"99-Nov-2026 09:02:11 +0000"', '"soon"', '"30-Nov-2026 09:02:11 +9999"', "NIL"])
def test_a_date_that_is_none_is_left_out(written: str):
    """A server's odd INTERNALDATE costs the date, not the message."""
    found = events(f"* 1 FETCH (UID 1 INTERNALDATE {written})\r\n".encode())

    assert [Fetched(number=1, uid=1)] == found


def test_capabilities_are_compared_without_case():
    """As the standard says."""
    assert [Capability(names=frozenset({"IMAP4REV1", "IDLE"}))] == events(b"* CAPABILITY imap4rev1 Idle\r\n")
