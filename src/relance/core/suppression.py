"""A suppression: an address, domain or phone that is never written to."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b


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


def marks_of(email: str, phone: str | None, tombstone_key: bytes) -> tuple[str, ...]:
    """Return every value whose suppression would bind this address and phone; no two kinds look alike."""
    address = email.strip().casefold()
    labels = address.rpartition("@")[2].split(".")
    domains = [".".join(labels[i:]) for i in range(max(1, len(labels) - 1))]
    values = (address, *domains, *((phone,) if phone else ()))
    return (*values, *(tombstone_of(value, tombstone_key) for value in values))


def tombstone_of(email: str, key: bytes) -> str:
    """Return the keyed hash that stays when a person is erased, so that an import cannot write to them again."""
    return blake2b(email.strip().casefold().encode(), key=key, digest_size=20).hexdigest()
