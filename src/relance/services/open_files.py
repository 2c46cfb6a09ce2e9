"""Files of opens: one JSON object a line, as tracking sources export them or a script turns their webhooks into."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from relance.services.opens import Open

_KEYS = frozenset({"message_id", "at", "user_agent", "machine"})
T = TypeVar("T")
_LONGEST = 100_000  #: Characters of a line.


@dataclass(frozen=True, slots=True, kw_only=True)
class BadOpen:
    """A line that tells no open, and why."""

    line: int
    reason: str


def read_opens(path: Path) -> Iterator[Open | BadOpen]:
    """Yield every line of the file that is not empty. Raises OSError."""
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield read_open(line)
            except ValueError as error:
                yield BadOpen(line=number, reason=str(error))


def read_open(text: str) -> Open:
    """Read `{"message_id": "<…>", "at": "…"}`, with `user_agent` and `machine` where they are known.

    `at` is ISO 8601 with its offset, or seconds since 1970. Raises ValueError with what to write instead.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"it is longer than {_LONGEST} characters")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError('it is no JSON; write {"message_id": "<…>", "at": "2026-11-30T09:14:00Z"}') from None
    if not isinstance(found, dict):
        raise ValueError('it is no JSON object; write {"message_id": "<…>", "at": "…"}')  # noqa: TRY004 - of a text
    unknown = sorted(set(found) - _KEYS)
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no key of an open; those are {', '.join(sorted(_KEYS))}")
    return Open(
        message_id=_message_id(found),
        at=_at(found),
        user_agent=_optional(found, "user_agent", str, "write it as text"),
        machine=_optional(found, "machine", bool, "write true or false"),
    )


def _message_id(found: Mapping[str, object]) -> str:
    value = found.get("message_id")
    if not isinstance(value, str) or not value.strip():
        raise ValueError("it has no message_id; write the Message-ID under which the message left")
    return f"<{value.strip().removeprefix('<').removesuffix('>')}>"


def _at(found: Mapping[str, object]) -> datetime:
    value, remedy = found.get("at"), "write ISO 8601 with its offset, such as 2026-11-30T09:14:00Z"
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value, UTC)
        except (ValueError, OverflowError, OSError):
            raise ValueError(f"at is {value!r}, which is no moment; {remedy}") from None
    if not isinstance(value, str):
        raise ValueError(f"it has no at; {remedy}")  # noqa: TRY004 - of a text
    try:
        moment = datetime.fromisoformat(value.strip())
        in_utc = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"at is {value!r}, which is no moment; {remedy}") from None
    if moment.tzinfo is None:
        raise ValueError(f"at is {value!r}, of an unknown zone; {remedy}")
    return in_utc


def _optional(found: Mapping[str, object], key: str, kind: type[T], remedy: str) -> T | None:
    value = found.get(key)
    if value is None or isinstance(value, kind):
        return value
    raise ValueError(f"{key} is {value!r}; {remedy}")
