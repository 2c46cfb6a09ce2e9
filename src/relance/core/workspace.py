"""A workspace: a tenant. Nothing crosses its border."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """Unique on name."""

    id: int
    uid: str
    name: str
    timezone: str | None = None  #: IANA name; None means UTC.
    settings: Mapping[str, object] = field(default_factory=dict)
    wrapped_key: bytes  #: The data key of its secrets, wrapped by the installation's key.
    skip_until: datetime | None = None  #: A limit of the whole workspace is used up until then.
    last_skip_reason: str | None = None
    revision: int = 0
    created_at: datetime
