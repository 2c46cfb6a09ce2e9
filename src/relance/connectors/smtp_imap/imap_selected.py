"""What a server says of the folder that it has opened (RFC 3501 §6.3.1 and §6.3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

from relance.connectors.smtp_imap.imap_parser import Condition, Event, Exists


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The folder that is open, as the server described it; None where it did not say."""

    wire_name: bytes
    uid_validity: int | None
    uid_next: int | None
    highest_modseq: int | None
    exists: int


def describe_selected(wire_name: bytes, events: Sequence[Event]) -> Selected | None:
    """Put together what the answer to SELECT or EXAMINE says; None where it tells no number of messages."""
    codes: dict[str, int | None] = {}
    exists: int | None = None
    for event in events:
        match event:
            case Exists(count=count):
                exists = count
            case Condition(kind="OK", code=code) if code is not None and code.argument.isdecimal():
                codes[code.name] = int(code.argument[:19])
            case _:
                pass
    if exists is None:
        return None
    return Selected(
        wire_name=wire_name,
        uid_validity=codes.get("UIDVALIDITY"),
        uid_next=codes.get("UIDNEXT") or None,
        highest_modseq=codes.get("HIGHESTMODSEQ") or None,
        exists=exists,
    )
