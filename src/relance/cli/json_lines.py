"""Facts as JSON, one object a line."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from enum import Enum

_STEERING = re.compile("[\x7f-\x9f\u2028\u2029]")  #: What JSON allows and a line or a terminal does not.


def as_line(facts: Mapping[str, object]) -> str:
    """Return one object as JSON on one line; half characters are replaced, so that it is always UTF-8."""
    text = json.dumps(facts, ensure_ascii=False, default=_plain)
    text = _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.encode("utf-8", "replace").decode()


def stamp(at: datetime) -> str:
    """Return an instant as JSON has it: UTC, ending in Z."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _plain(value: object) -> object:
    match value:
        case datetime():
            return stamp(value)
        case date():
            return value.isoformat()
        case Enum():
            return value.value
        case frozenset() | set():
            return sorted(value, key=str)
        case Mapping():
            return dict(value)
        case _:
            return str(value)
