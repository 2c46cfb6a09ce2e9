"""What travels in SMTP: bodies with their dots, replies in pieces."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from relance.connectors.smtp_imap.data_phase import stuff_dots
from relance.connectors.smtp_imap.smtp_replies import BadReplyError, Reply, ReplyReader


def unstuff(body: bytes) -> bytes:
    """Read a body as a server does (RFC 5321 §4.5.2)."""
    lines = body.split(b"\r\n")
    return b"\r\n".join(line[1:] if line.startswith(b".") else line for line in lines)


@given(raw=st.lists(st.sampled_from([b".", b"..", b"a", b"\r\n", b"\n", b"\r", b"x."]), max_size=30).map(b"".join))
def test_no_message_can_end_itself(raw: bytes):
    """Whatever dots and line ends it holds: the server reads back the same lines, and no line is a lone dot."""
    body = stuff_dots(raw)
    normal = b"\r\n".join(raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"))

    assert body.endswith(b"\r\n")
    assert b"." not in body.split(b"\r\n")
    assert b"\n" not in body.replace(b"\r\n", b"")
    assert normal.removesuffix(b"\r\n") == unstuff(body).removesuffix(b"\r\n")


@given(
    data=st.lists(
        st.sampled_from([b"250", b"-", b" ", b"ok", b"\r\n", b"\n", b"550 no\r\n", b"\xff"]), max_size=25
    ).map(b"".join),
    cuts=st.lists(st.integers(0, 80)),
)
def test_the_pieces_of_a_reply_change_nothing(data: bytes, cuts: list[int]):
    """Replies, or the discovery that there is none, are the same however they were cut."""

    def read(pieces: list[bytes]) -> list[Reply | str]:
        reader = ReplyReader()
        found: list[Reply | str] = []
        for piece in pieces:
            reader.feed(piece)
            try:
                while (reply := reader.next_reply()) is not None:
                    found.append(reply)
            except BadReplyError:
                return [*found, "bad"]
        return found

    places = sorted({0, len(data), *(cut for cut in cuts if cut <= len(data))})

    assert read([data]) == read([data[start:end] for start, end in pairwise(places)])
