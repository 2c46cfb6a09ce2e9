"""Files of suppressions: one address, @domain or +phone a line, or the first column of a CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from relance.core.suppression import SuppressionKind, SuppressionReason, SuppressionScope
from relance.ports.store import Transaction
from relance.services import suppressions
from relance.services.addresses import clean_address
from relance.services.lead_files.records import find_dialect, read_records
from relance.services.refusals import RefusedError

_HEADERS = frozenset({"email", "e-mail", "address", "domain", "phone", "suppression", "value"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A line that names whom never to write to."""

    line: int
    kind: SuppressionKind
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BadTarget:
    """A line that names nobody, and why."""

    line: int
    text: str
    reason: str


def read_targets(path: Path) -> Iterator[Target | BadTarget]:
    """Yield every line of the file; `#` begins a comment. Raises FileFormatError and OSError."""
    for position, record in enumerate(read_records(path, find_dialect(path))):
        text = next((value.strip() for value in record.values if value.strip()), "")
        if not text or text.startswith("#") or (position == 0 and text.casefold() in _HEADERS):
            continue
        try:
            kind, value = read_target(text)
        except RefusedError as error:
            yield BadTarget(line=record.line, text=text, reason=str(error))
        else:
            yield Target(line=record.line, kind=kind, value=value)


def read_target(text: str) -> tuple[SuppressionKind, str]:
    """Read ADDRESS, @DOMAIN or +PHONE in the spelling it is compared by. Raises WrongInputError."""
    kind, value = suppressions.parse_target(text)
    return kind, clean_address(value) if kind is SuppressionKind.ADDRESS else value


def import_targets(
    tx: Transaction,
    targets: Sequence[Target],
    *,
    workspace_id: int,
    scope: SuppressionScope,
    source: str,
    now: datetime,
) -> int:
    """Suppress all of them and return how many were new."""
    return sum(
        suppressions.suppress(
            tx,
            workspace_id=workspace_id,
            kind=target.kind,
            value=target.value,
            scope=scope,
            reason=SuppressionReason.IMPORTED,
            source=source,
            now=now,
        )
        for target in targets
    )
