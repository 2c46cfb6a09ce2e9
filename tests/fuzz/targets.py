"""What is fuzzed: the readers of bytes that strangers send. Each target takes any bytes and may not raise.

A target checks what must hold of the result too, so that a wrong answer is found like a crash.
"""

import json
from collections.abc import Callable, Mapping

from relance.connectors.smtp_imap.imap_parser import ResponseParser
from relance.connectors.smtp_imap.imap_wire import ProtocolViolation
from relance.connectors.smtp_imap.modified_utf7 import decode_modified_utf7
from relance.mail.classify import as_json, classify
from relance.mail.parse import parse

MAX_EVENTS = 10_000


def message(data: bytes) -> None:
    """Read a message as the ingester does; the result can be stored: it is JSON and UTF-8, without NUL."""
    read = parse(data)
    printed = json.dumps(as_json(classify(read), "x"), ensure_ascii=False)
    if b"\\u0000" in printed.encode("utf-8"):
        raise AssertionError("a NUL reached the result")
    for value in (read.subject, read.text, read.html, *(text for _, text in read.headers)):
        if "\x00" in value:
            raise AssertionError("a NUL reached a field")
        value.encode("utf-8")


def imap(data: bytes) -> None:
    """Feed a server's bytes whole and cut in two: the same events, and nothing after a violation."""
    cut = data[0] % len(data) if data else 0
    if _events(data) != _events(data[:cut], data[cut:]):
        raise AssertionError("the events depend on how the bytes came in")
    decode_modified_utf7(data[:200])


def _events(*chunks: bytes) -> list[object]:
    parser = ResponseParser()
    found: list[object] = []
    for chunk in chunks:
        parser.feed(chunk)
        while (event := parser.next_event()) is not None and len(found) < MAX_EVENTS:
            found.append(event)
            if isinstance(event, ProtocolViolation):
                return found
    return found


TARGETS: Mapping[str, Callable[[bytes], None]] = {"message": message, "imap": imap}
