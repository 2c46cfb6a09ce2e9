"""A lead: a person who may be written to, merged on identity fields, never doubled."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

#: Domain of the stand-in that takes the place of an erased person's address (RFC 2606: it can never exist).
ERASED_DOMAIN = "erased.invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """Unique on (workspace, email), and on external_id and linkedin_url where present; colleagues share a phone."""

    workspace_id: int
    id: int
    email: str  #: Trimmed and case-folded.
    fields: Mapping[str, str] = field(default_factory=dict)  #: What templates can say; snake_case names.
    external_id: str | None = None
    phone: str | None = None  #: E.164.
    linkedin_url: str | None = None
    timezone: str | None = None  #: IANA name, for windows in the lead's zone.
    hold_until: datetime | None = None  #: The person is away until then; every enrollment waits.
    hold_reason: str | None = None
    revision: int = 0
    created_at: datetime

    @property
    def domain(self) -> str:
        """The part of the address after the last @."""
        return self.email.rpartition("@")[2]

    @property
    def erased(self) -> bool:
        """Whether the person's data was erased; nothing about them is kept any more."""
        return self.domain == ERASED_DOMAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """One time that a lead came in: an import, a form, a person's entry."""

    at: datetime
    source: str
    detail: str
