"""Who is never written to: adding, removing, checking. An opt-out is also logged, and the log is never shortened."""

from datetime import datetime

from relance.core.events import Event, EventName
from relance.core.suppression import (
    Suppression,
    SuppressionKind,
    SuppressionReason,
    SuppressionScope,
    marks_of,
    tombstone_of,
)
from relance.ports.store import Reader, Transaction
from relance.services.records import record
from relance.services.refusals import WrongInputError
from relance.services.workspaces import everyone

#: Reasons that are somebody's will, and therefore stand in the opt-out log too: the person's own, or by telephone.
OPT_OUTS = frozenset(
    {
        SuppressionReason.UNSUBSCRIBED,
        SuppressionReason.COMPLAINED,
        SuppressionReason.ERASED,
        SuppressionReason.MANUAL,
    }
)


def parse_target(target: str) -> tuple[SuppressionKind, str]:
    """Read ADDRESS, @DOMAIN or +PHONE as people write it. Raises WrongInputError."""
    text = target.strip().casefold()
    if text.startswith("+") and text[1:].replace(" ", "").replace("-", "").isdigit():
        return SuppressionKind.PHONE, "+" + text[1:].replace(" ", "").replace("-", "")
    if text.startswith("@") and "." in text and "@" not in text[1:]:
        return SuppressionKind.DOMAIN, text[1:].rstrip(".")
    local, at, domain = text.rpartition("@")
    if at and local and "." in domain and not any(c.isspace() for c in text):
        return SuppressionKind.ADDRESS, text
    raise WrongInputError(f"{target!r} is neither an address (a@example.com), a @domain nor a +phone number")


def suppress(  # noqa: PLR0913  # the facts of one row
    tx: Transaction,
    *,
    workspace_id: int,
    kind: SuppressionKind,
    value: str,
    reason: SuppressionReason,
    source: str,
    now: datetime,
    scope: SuppressionScope = SuppressionScope.WORKSPACE,
    tombstone_key: bytes | None = None,
) -> bool:
    """Add a suppression; return whether it was new. `tombstone_key` is needed where the reason is an opt-out."""
    added = tx.run(
        "suppressions.add",
        workspace_id=workspace_id,
        kind=kind,
        value=value,
        scope=scope,
        reason=reason,
        source=source[:500],
        created_at=now,
    )
    if tombstone_key is not None and reason in OPT_OUTS:
        digest = value if kind is SuppressionKind.TOMBSTONE else tombstone_of(value, tombstone_key)
        for each in everyone(tx) if scope is SuppressionScope.GLOBAL else ():
            if each.id != workspace_id:
                tx.run("opt_outs.add", workspace_id=each.id, digest=digest, reason=reason, at=now)
        tx.run("opt_outs.add", workspace_id=workspace_id, digest=digest, reason=reason, at=now)
    if added:
        record(
            tx,
            Event(
                workspace_id=workspace_id,
                at=now,
                name=EventName.SUPPRESSION_ADDED,
                detail=f"{_shown(kind, value)} is suppressed ({reason})",
            ),
        )
    return added > 0


def suppress_address(
    tx: Transaction,
    *,
    workspace_id: int,
    address: str,
    reason: SuppressionReason,
    source: str,
    now: datetime,
    tombstone_key: bytes | None = None,
) -> bool:
    """Suppress one address in one workspace."""
    return suppress(
        tx,
        workspace_id=workspace_id,
        kind=SuppressionKind.ADDRESS,
        value=address.strip().casefold(),
        reason=reason,
        source=source,
        now=now,
        tombstone_key=tombstone_key,
    )


def unsuppress(
    tx: Transaction,
    *,
    workspace_id: int,
    kind: SuppressionKind,
    value: str,
    scope: SuppressionScope,
    tombstone_key: bytes,
    now: datetime,
) -> bool:
    """Take a suppression back, by a person's decision; return whether there was one."""
    removed = tx.run("suppressions.remove", workspace_id=workspace_id, kind=kind, value=value, scope=scope)
    if removed:
        record(
            tx,
            Event(
                workspace_id=workspace_id,
                at=now,
                name=EventName.SUPPRESSION_REMOVED,
                detail=f"{_shown(kind, value)} is no longer suppressed ({scope})",
                data={"digest": tombstone_of(value, tombstone_key)},
            ),
        )
    return removed > 0


def _shown(kind: SuppressionKind, value: str) -> str:
    """Say what an event is about. Events stay for ever, and a person can be erased: nobody is named in them."""
    names = {SuppressionKind.PHONE: "a phone number", SuppressionKind.TOMBSTONE: "who is known by a hash only"}
    return f"@{value}" if kind is SuppressionKind.DOMAIN else names.get(kind, "an address")


def binding(
    reader: Reader, *, workspace_id: int, email: str, phone: str | None, tombstone_key: bytes
) -> tuple[Suppression, ...]:
    """Return every suppression that binds an address (and phone): itself, its domains, global ones, tombstones."""
    marks = marks_of(email, phone, tombstone_key)
    return tuple(reader.all(Suppression, "suppressions.binding", workspace_id=workspace_id, value_list=marks))


def of_target(
    reader: Reader, *, workspace_id: int, kind: SuppressionKind, value: str, tombstone_key: bytes
) -> list[Suppression]:
    """Return what suppresses an address, a domain or a number, as `parse_target` reads it."""
    match kind:
        case SuppressionKind.ADDRESS:
            marks = marks_of(value, None, tombstone_key)
        case SuppressionKind.DOMAIN:
            labels = value.split(".")
            marks = tuple(".".join(labels[i:]) for i in range(max(1, len(labels) - 1)))
        case _:
            marks = (value,)
    return reader.all(Suppression, "suppressions.binding", workspace_id=workspace_id, value_list=marks)


def page(reader: Reader, *, workspace_id: int, after: int, limit: int) -> list[Suppression]:
    """Return some of what is suppressed here or globally, from after an id on, oldest first."""
    return reader.all(Suppression, "suppressions.page", workspace_id=workspace_id, after=after, limit=limit)
