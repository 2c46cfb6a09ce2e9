"""Building commands: what is written is what a server reads back."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from connectors.wire_names import encode_modified_utf7
from relance.connectors.smtp_imap.imap_commands import (
    Bulk,
    Command,
    String,
    append_date,
    command,
    search_date,
    string,
    write_command,
    write_set,
)
from relance.connectors.smtp_imap.imap_values import read_values
from relance.connectors.smtp_imap.imap_wire import Frame, Framer, Literal, WireLimits
from relance.connectors.smtp_imap.modified_utf7 import decode_modified_utf7

PLUS = frozenset({"LITERAL+"})
MINUS = frozenset({"LITERAL-"})


def read_back(data: bytes) -> list[bytes]:
    """Return the arguments of a command as a server would understand them."""
    framer = Framer(WireLimits())
    framer.feed(data)
    frame = framer.next_frame()
    assert isinstance(frame, Frame)
    values = read_values(frame.parts)
    return [
        value.data if isinstance(value, Literal) else value for value in values if isinstance(value, Literal | bytes)
    ]


@given(
    arguments=st.lists(st.binary(max_size=40), min_size=1, max_size=4),
    capabilities=st.sampled_from([PLUS, MINUS, frozenset()]),
)
def test_a_string_arrives_as_it_was_meant(arguments: list[bytes], capabilities: frozenset[str]):
    """Quoted or as a literal, with quotes, backslashes, line ends and NULs in it: nothing can leave its argument."""
    one = Command("LOGIN", tuple(String(argument) for argument in arguments))
    pieces = write_command("R1", one, capabilities)

    assert [b"R1", b"LOGIN", *arguments] == read_back(b"".join(pieces))


@given(text=st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60))
def test_printable_text_needs_no_round_trip(text: str):
    """It is quoted, so the command is one piece, and can be sent together with others."""
    one = command("EXAMINE", string(text))

    assert not one.waits
    assert 1 == len(write_command("R1", one, frozenset()))


@pytest.mark.parametrize(
    "capabilities, size, pieces", [(frozenset(), 10, 2), (PLUS, 9000, 1), (MINUS, 4096, 1), (MINUS, 4097, 2)]
)
def test_a_literal_waits_unless_the_server_takes_it_at_once(capabilities: frozenset[str], size: int, pieces: int):
    """RFC 7888: LITERAL+ for any size, LITERAL- up to 4,096 bytes."""
    assert pieces == len(write_command("R1", Command("APPEND", (Bulk(b"x" * size),)), capabilities))


@given(name=st.text(max_size=30))
@example(name="Entwürfe & Müll/日本語")
@example(name="\ud800 alone, \x00 and 🎉")
def test_a_folder_name_survives_the_wire(name: str):
    """Modified UTF-7 both ways, for every string there is; the wire sees printable ASCII only."""
    wire = encode_modified_utf7(name)

    assert re.fullmatch(rb"[\x20-\x7e]*", wire)
    assert name == decode_modified_utf7(wire)


@pytest.mark.parametrize(
    "name, wire",
    [
        ("~peter/mail/台北/日本語", b"~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
        ("Entwürfe", b"Entw&APw-rfe"),
        ("A&B", b"A&-B"),
    ],
)
def test_names_are_written_as_the_standard_writes_them(name: str, wire: bytes):
    """RFC 3501 §5.1.3 and what Dovecot says."""
    assert wire == encode_modified_utf7(name)


@given(wire=st.binary(max_size=40))
def test_any_bytes_can_be_shown_as_a_name(wire: bytes):
    """A server that does not keep to the encoding still has a readable folder."""
    assert isinstance(decode_modified_utf7(wire), str)


@pytest.mark.parametrize("wire", [b"R&D", b"a&b-c", b"&&&", b"&AA-", b"&====-"])
def test_what_is_no_modified_utf7_is_shown_as_it_stands(wire: bytes):
    """A bare ampersand is the usual case."""
    assert wire.decode() == decode_modified_utf7(wire)


@given(numbers=st.lists(st.integers(1, 500), min_size=1, max_size=60))
def test_a_set_holds_exactly_its_numbers(numbers: list[int]):
    """Expanding a written set gives the numbers back, each once, and neighbours are one range."""
    written = write_set(numbers)
    ranges = [tuple(map(int, part.split(":"))) for part in written.split(",")]
    expanded = [number for one in ranges for number in range(one[0], one[-1] + 1)]

    assert sorted(set(numbers)) == expanded
    assert all(before[-1] + 1 < after[0] for before, after in pairwise(ranges))


def test_dates_are_written_in_english_whatever_the_locale():
    """SEARCH takes a date, APPEND an instant."""
    at = datetime(2026, 11, 3, 1, 5, 9, tzinfo=timezone(timedelta(hours=2)))

    assert "3-Nov-2026" == search_date(date(2026, 11, 3))
    assert '" 2-Nov-2026 23:05:09 +0000"' == append_date(at)
    assert '"30-Nov-2026 08:00:00 +0000"' == append_date(datetime(2026, 11, 30, 8, tzinfo=UTC))
