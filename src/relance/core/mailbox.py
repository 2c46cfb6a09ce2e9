"""A mailbox: a connected sending inbox, its pacing, its health and what was learned about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class MailboxStatus(StrEnum):
    """Whether a mailbox may send, and who changes that."""

    ACTIVE = "active"  #: Sends and is read.
    PAUSED = "paused"  #: By an operator, or by health until skip_until; still read.
    AUTH_ERROR = "auth_error"  #: Login refused; retried with back-off, a person may have to reconnect it.
    UNREACHABLE = "unreachable"  #: The server does not answer; retried with back-off.
    RECOVERING = "recovering"  #: State was put back: the recoverer reads Sent and answers first, or a person decides.
    REMOVED = "removed"  #: Disconnected; its history stays.


#: What a template may ask of a mailbox and not get, and the option of `relance mailbox set` that gives it.
OPTION_OF_FIELD: Final[Mapping[str, str]] = MappingProxyType(
    {"sender_name": "--name", "sender_signature": "--signature-file"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """How fast a mailbox may send. Caps count accepted and unknown sends in the mailbox's own zone."""

    daily_cap: int = 40
    hourly_cap: int = 10
    min_gap: float = 90.0  #: Seconds between two sends, at least.
    max_gap: float = 180.0  #: Seconds; the gap is drawn between the two.
    ramp_start: int = 10  #: Messages on the first day.
    ramp_step: int = 5  #: More each day that it sends, up to the cap.
    ramp: bool = True
    workday: str | None = None  #: Hours in which it sends, such as `08:30-17:30 lunch 12:00-13:00 jitter 20`.


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailbox:
    """Unique per installation on (provider, login)."""

    workspace_id: int
    id: int
    provider: str  #: Name of the connector, such as `smtp_imap`.
    login: str
    address: str
    display_name: str | None = None
    signature_text: str | None = None  #: What stands below its messages where a template asks for it; None: nothing.
    signature_html: str | None = None  #: The same as HTML, where it was written as HTML.
    aliases: tuple[str, ...] = ()
    pool: str = "default"
    timezone: str | None = None  #: None: the workspace's.
    settings: Mapping[str, object] = field(default_factory=dict)  #: Endpoints; the connector's own business.
    daily_cap: int = 40
    hourly_cap: int = 10
    min_gap: float = 90.0
    max_gap: float = 180.0
    ramp: bool = True
    ramp_start: int = 10
    ramp_step: int = 5
    ramp_days: int = 0  #: Days on which it sent before ramp_day; see `pacing.ramp_days`.
    ramp_day: date | None = None  #: Last day of its own zone on which it sent.
    workday: str | None = None  #: As people write it; see `relance.core.workday`. None: all day.
    weight: int = 1  #: Its share of new conversations where a sequence rotates by weight.
    ceiling: str | None = None  #: Whose ceiling holds, or `none`; None: as recognised, see `relance.core.ceilings`.
    status: MailboxStatus = MailboxStatus.ACTIVE
    status_reason: str | None = None
    consecutive_failures: int = 0
    skip_until: datetime | None = None  #: Not before this, for last_skip_reason: stands here once for all its leads.
    last_skip_reason: str | None = None
    next_allowed_at: datetime | None = None  #: End of the gap after its last slot.
    last_served_at: datetime | None = None
    saves_sent: bool | None = None  #: Does its SMTP side save to Sent by itself? None: not known yet.
    ids_survive: bool | None = None  #: Do our Message-IDs reach the Sent copy unchanged? None: not known yet.
    fresh_at: datetime | None = None  #: When the last read of all folders began whose messages are ingested.
    last_read_at: datetime | None = None
    recover_since: datetime | None = None  #: While it recovers: read from then on, whatever its cursors say.
    recover_noticed_at: datetime | None = None  #: While it recovers: when the older state was noticed.
    recovers_to: MailboxStatus | None = None  #: While it recovers: active, or paused where somebody had paused it.
    sent_read_back_at: datetime | None = None  #: While it recovers: when its own copies were understood.
    handed_over: bool = False  #: Removed, and others go on with its people: its answers are not waited for.
    shard: int
    revision: int = 0
    created_at: datetime

    @property
    def domain(self) -> str:
        """The part of the address after the last @."""
        return self.address.rpartition("@")[2]
