"""A suppression: an address, domain or phone that is never written to."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SuppressionKind(StrEnum):
    """What a suppression names."""

    ADDRESS = "address"
    DOMAIN = "domain"
    PHONE = "phone"
    TOMBSTONE = "tombstone"  #: A keyed hash of an address whose person was erased.


class SuppressionScope(StrEnum):
    """Whom it binds."""

    WORKSPACE = "workspace"
    GLOBAL = "global"  #: Every workspace of the installation; decided by a person only.


class SuppressionReason(StrEnum):
    """Why it was added."""

    MANUAL = "manual"
    HARD_BOUNCE = "hard_bounce"
    UNSUBSCRIBED = "unsubscribed"
    COMPLAINED = "complained"
    IMPORTED = "imported"
    ERASED = "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """Unique on (scope, workspace, kind, value)."""

    workspace_id: int
    id: int
    kind: SuppressionKind
    value: str  #: Address, bare domain, E.164 number, or hex digest for a tombstone.
    scope: SuppressionScope
    reason: SuppressionReason
    source: str
    created_at: datetime
