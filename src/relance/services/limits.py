"""What every limit has given away by now: counters of days and hours, a provider's ceiling, what a person got lately.

Rule 1: a counter is named by the date or hour of its own zone: the mailbox's, or the workspace's.
Rule 2: a limit that nobody set is not read.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from relance.core import calendar, ceilings, defaults
from relance.core.companies import company_of
from relance.core.enrollment import Enrollment
from relance.core.mailbox import Mailbox
from relance.core.sequence import SendTime
from relance.core.situation import Situation, Usage
from relance.core.values import replace
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services.health import health_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Buckets:
    """The counters that one slot takes: a mailbox's day and hour, and its sequence's day."""

    mailbox_day: str
    mailbox_hour: str
    sequence_day: str


def mailbox_zone(mailbox: Mailbox, workspace: Workspace) -> ZoneInfo:
    """Return the zone in which a mailbox's caps begin anew: its own, else the workspace's, else UTC."""
    return calendar.first_zone(mailbox.timezone, workspace.timezone)


def buckets_for(mailbox: Mailbox, workspace: Workspace, now: datetime) -> Buckets:
    """Return the counters that a slot at `now` would take."""
    zone = mailbox_zone(mailbox, workspace)
    return Buckets(
        mailbox_day=calendar.day_of(now, zone),
        mailbox_hour=calendar.hour_of(now, zone),
        sequence_day=calendar.day_of(now, calendar.first_zone(workspace.timezone)),
    )


def used(reader: Reader, workspace_id: int, scope: str, scope_id: int, bucket: str) -> int:
    """Return what was taken of one counter."""
    return reader.one(int, "usage.used", workspace_id=workspace_id, scope=scope, scope_id=scope_id, bucket=bucket) or 0


def cap_of(workspace: Workspace, name: str) -> int | None:
    """Return a cap of the whole workspace: `daily_cap` or `recipient_domain_daily_cap`; None: there is none."""
    setting = workspace.settings.get(name)
    return setting if isinstance(setting, int) else None


def domain_bucket(day: str, address: str) -> str | None:
    """Return the counter of a company's day, which begins with its date; None where strangers share the domain."""
    company = company_of(address)
    return f"{day} {company}" if company is not None else None


def ceiling_free_at(reader: Reader, mailbox: Mailbox, enrollment: Enrollment, now: datetime) -> datetime | None:
    """Return when the provider behind a mailbox takes one more, counted back from now; None: it does."""
    found = (
        ceilings.free_at(
            allowance,
            reader.one(
                datetime,
                "attempts.nth_newest",
                workspace_id=mailbox.workspace_id,
                mailbox_id=mailbox.id,
                since=now - allowance.period,
                except_enrollment_id=enrollment.id,
                except_counter=enrollment.step_counter,
                skip=allowance.messages - 1,
            ),
        )
        for allowance in ceilings.allowances(mailbox)
    )
    return max((at for at in found if at is not None), default=None)


def measured(reader: Reader, bare: Situation, workspace: Workspace) -> Situation:
    """Return a situation with what its limits have given away; their gates would all pass without."""
    row, plan, now = bare.enrollment, bare.plan, bare.now
    ids = {"workspace_id": workspace.id}
    recent: tuple[datetime, ...] = ()
    if plan.frequency_cap is not None:
        recent = tuple(
            reader.all(
                datetime,
                "attempts.recent_sends",
                **ids,
                lead_id=bare.lead.id,
                limit=plan.frequency_cap.messages + 1,
                except_enrollment_id=row.id,
                except_counter=row.step_counter,
            )
        )
    opens: tuple[datetime, ...] = ()
    if plan.send_time is not SendTime.OFF:
        since = now - defaults.OPENS_PERIOD
        opens = tuple(
            reader.all(datetime, "events.opens", **ids, lead_id=row.lead_id, since=since, limit=defaults.OPENS_MOST)
        )
    with_workspace = _with_workspace(reader, bare, workspace)
    return replace(
        _with_mailbox(reader, with_workspace, bare.mailbox, workspace) if bare.mailbox else with_workspace,
        recent_sends=recent,
        opens=opens,
        unknown_attempt_until=reader.one(
            datetime, "attempts.unknown_until", **ids, enrollment_id=row.id, far=now + timedelta(hours=1)
        ),
    )


def _with_mailbox(reader: Reader, at: Situation, mailbox: Mailbox, workspace: Workspace) -> Situation:
    buckets, plan, sequence = buckets_for(mailbox, workspace, at.now), at.plan, at.sequence

    def taken(cap: int | None, scope: str) -> Usage:
        if cap is None:
            return Usage()
        return Usage(today=used(reader, workspace.id, scope, sequence.id, buckets.sequence_day))

    return replace(
        at,
        mailbox_health=health_of(reader, mailbox, now=at.now),
        mailbox_usage=reader.one(
            Usage,
            "usage.used_by_mailbox",
            workspace_id=workspace.id,
            mailbox_id=mailbox.id,
            day=buckets.mailbox_day,
            hour=buckets.mailbox_hour,
        )
        or Usage(),
        ceiling_free_at=ceiling_free_at(reader, mailbox, at.enrollment, at.now),
        sequence_usage=taken(plan.daily_cap, "sequence_day"),
        new_usage=taken(plan.max_new_per_day, "sequence_new_day"),
    )


def _with_workspace(reader: Reader, at: Situation, workspace: Workspace) -> Situation:
    cap, domain_cap = cap_of(workspace, "daily_cap"), cap_of(workspace, "recipient_domain_daily_cap")
    if cap is None and domain_cap is None:
        return at
    day = calendar.day_of(at.now, calendar.first_zone(workspace.timezone))
    company = domain_bucket(day, at.lead.email)

    def taken(cap: int | None, scope: str, bucket: str | None) -> Usage:
        if cap is None or bucket is None:
            return Usage()
        return Usage(today=used(reader, workspace.id, scope, workspace.id, bucket))

    return replace(
        at,
        workspace_cap=cap,
        workspace_usage=taken(cap, "workspace_day", day),
        recipient_domain_cap=domain_cap if company is not None else None,
        recipient_domain_usage=taken(domain_cap, "recipient_domain_day", company),
    )
