"""Gathering everything that the gates look at for one enrollment, inside the caller's transaction."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from relance.core import calendar, ceilings, defaults
from relance.core.companies import company_of
from relance.core.enrollment import Enrollment
from relance.core.health import Health, Healthy
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.plan_document import plan_from_document
from relance.core.sequence import Interval, Plan, QuietHours, Sequence, Version
from relance.core.situation import Situation, Usage, Written
from relance.core.suppression import Suppression, SuppressionReason, marks_of, tombstone_of
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services.health import health_of
from relance.services.refusals import NotFoundError

_plans: dict[tuple[str, int, int], Plan] = {}
_PLANS_KEPT = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """The installation's derived secrets that services need; see `Vault.derive`."""

    message_id: bytes
    trace: bytes
    tombstone: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Buckets:
    """The counters that one slot takes: a mailbox's day and hour, and its sequence's day."""

    mailbox_day: str
    mailbox_hour: str
    sequence_day: str


def plan_of(reader: Reader, workspace_id: int, sequence_id: int, version: int) -> Plan:
    """Return a frozen version's plan; versions never change, so they are kept parsed, keyed by their digest."""
    ids = {"workspace_id": workspace_id, "sequence_id": sequence_id, "version": version}
    digest = reader.one(str, "sequences.version_digest", **ids)
    if digest is None:
        raise NotFoundError(f"version {version} of sequence {sequence_id} does not exist")
    key = (digest, sequence_id, version)
    if key not in _plans:
        found = reader.one(Version, "sequences.version", **ids)
        assert found is not None  # noqa: S101  # versions are never removed, and this is one snapshot
        if len(_plans) >= _PLANS_KEPT:
            _plans.clear()
        _plans[key] = plan_from_document(found.document)
    return _plans[key]


def workspace_of(reader: Reader, workspace_id: int) -> Workspace:
    """Return a workspace that is known to exist."""
    found = reader.one(Workspace, "workspaces.get", id=workspace_id)
    if found is None:
        raise NotFoundError(f"workspace {workspace_id} does not exist")
    return found


def zone_for(plan: Plan, workspace: Workspace, lead: Lead, mailbox: Mailbox | None) -> ZoneInfo:
    """Return the zone that a plan's window is read in for this lead and mailbox."""
    return calendar.zone_of(
        plan.window,
        lead_timezone=lead.timezone,
        mailbox_timezone=mailbox.timezone if mailbox else None,
        workspace_timezone=workspace.timezone,
    )


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


def written_to(reader: Reader, *, workspace_id: int, lead_id: int, now: datetime) -> tuple[Written, ...]:
    """Return the mailboxes that have already written to this person, with their freshness."""
    return tuple(reader.all(Written, "mailboxes.written_to_lead", workspace_id=workspace_id, lead_id=lead_id, now=now))


def cap_of(workspace: Workspace, name: str) -> int | None:
    """Return a cap of the whole workspace: `daily_cap` or `recipient_domain_daily_cap`; None: there is none."""
    setting = workspace.settings.get(name)
    return setting if isinstance(setting, int) else None


def domain_bucket(day: str, address: str) -> str | None:
    """Return the counter of a company's day, which begins with its date; None where strangers share the domain."""
    company = company_of(address)
    return f"{day} {company}" if company is not None else None


def quiet_hours_of(workspace: Workspace) -> QuietHours | None:
    """Return the workspace's default quiet hours for e-mail."""
    setting = workspace.settings.get("quiet_hours")
    if not isinstance(setting, str):
        return None
    start, _, end = setting.partition("-")
    interval = Interval(start=calendar.time_of_day(start), end=calendar.time_of_day(end))
    return QuietHours(interval=interval, timezone=workspace.timezone)


def suppressions_of(
    reader: Reader, lead: Lead, keys: Keys, *, further: tuple[str, ...] | None = None
) -> tuple[Suppression, ...]:
    """Return every suppression that binds this lead: address, domain and its parents, phone, tombstone.

    A further address of the person (`further`, or those that are known) binds by what the person decided, not by its
    domain, nor by having bounced.
    """
    further = further_addresses(reader, lead) if further is None else further
    own = marks_of(lead.email, lead.phone, keys.tombstone)
    others = {mark for address in further for mark in (address, tombstone_of(address, keys.tombstone))}
    found = reader.all(
        Suppression, "suppressions.binding", workspace_id=lead.workspace_id, value_list=(*own, *sorted(others))
    )
    return tuple(s for s in found if s.value in own or s.reason is not SuppressionReason.HARD_BOUNCE)


def further_addresses(reader: Reader, lead: Lead) -> tuple[str, ...]:
    """Return the addresses by which a person is known beside the one that is written to."""
    return tuple(reader.all(str, "leads.further_addresses", workspace_id=lead.workspace_id, lead_id=lead.id))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limits:
    """The caps of a whole workspace as they concern one person, and what is taken of them."""

    cap: int | None
    usage: Usage
    domain_cap: int | None
    domain_usage: Usage


def _limits_of_workspace(reader: Reader, workspace: Workspace, lead: Lead, now: datetime) -> _Limits:
    day = calendar.day_of(now, calendar.first_zone(workspace.timezone))

    def taken(cap: int | None, scope: str, bucket: str | None) -> Usage:
        if cap is None or bucket is None:
            return Usage()
        return Usage(today=used(reader, workspace.id, scope, workspace.id, bucket))

    cap, domain_cap = cap_of(workspace, "daily_cap"), cap_of(workspace, "recipient_domain_daily_cap")
    company = domain_bucket(day, lead.email) if domain_cap is not None else None
    return _Limits(
        cap=cap,
        usage=taken(cap, "workspace_day", day),
        domain_cap=domain_cap if company is not None else None,
        domain_usage=taken(domain_cap, "recipient_domain_day", company),
    )


def gather(
    reader: Reader,
    *,
    enrollment: Enrollment,
    woken_counter: int,
    mailbox: Mailbox | None,
    worker: str,
    keys: Keys,
    now: datetime,
    freshness: timedelta = defaults.FRESHNESS,
) -> Situation:
    """Read everything that any gate looks at; the enrollment was read (and locked) by the caller."""
    workspace = workspace_of(reader, enrollment.workspace_id)
    ids = {"workspace_id": workspace.id}
    lead = reader.one(Lead, "leads.get", **ids, id=enrollment.lead_id)
    sequence = reader.one(Sequence, "sequences.get", **ids, id=enrollment.sequence_id)
    if lead is None or sequence is None:
        raise NotFoundError(f"enrollment {enrollment.id} has lost its lead or sequence")
    plan = plan_of(reader, workspace.id, sequence.id, enrollment.version)
    mailbox_usage = sequence_usage = new_usage = Usage()
    mailbox_health: Health = Healthy()
    if mailbox is not None:
        buckets = buckets_for(mailbox, workspace, now)
        mailbox_health = health_of(reader, mailbox, now=now)
        mailbox_usage = Usage(
            today=used(reader, workspace.id, "mailbox_day", mailbox.id, buckets.mailbox_day),
            this_hour=used(reader, workspace.id, "mailbox_hour", mailbox.id, buckets.mailbox_hour),
        )
        if plan.daily_cap is not None:
            taken = used(reader, workspace.id, "sequence_day", sequence.id, buckets.sequence_day)
            sequence_usage = Usage(today=taken)
        if plan.max_new_per_day is not None:
            taken = used(reader, workspace.id, "sequence_new_day", sequence.id, buckets.sequence_day)
            new_usage = Usage(today=taken)
    limits = _limits_of_workspace(reader, workspace, lead, now)
    further = further_addresses(reader, lead)
    recent: tuple[datetime, ...] = ()
    if plan.frequency_cap is not None:
        recent = tuple(
            reader.all(
                datetime,
                "attempts.recent_sends",
                **ids,
                lead_id=lead.id,
                limit=plan.frequency_cap.messages + 1,
                except_enrollment_id=enrollment.id,
                except_counter=enrollment.step_counter,
            )
        )
    return Situation(
        now=now,
        worker=worker,
        woken_counter=woken_counter,
        enrollment=enrollment,
        sequence=sequence,
        plan=plan,
        step=plan.step(enrollment.step),
        lead=lead,
        suppressions=suppressions_of(reader, lead, keys, further=further),
        further_addresses=further,
        workspace_timezone=workspace.timezone,
        workspace_quiet_hours=quiet_hours_of(workspace),
        workspace_skip_until=workspace.skip_until,
        workspace_cap=limits.cap,
        workspace_usage=limits.usage,
        recipient_domain_cap=limits.domain_cap,
        recipient_domain_usage=limits.domain_usage,
        first_contact=enrollment.last_sent_at is None,
        written=written_to(reader, **ids, lead_id=lead.id, now=now),
        recent_sends=recent,
        unknown_attempt_until=reader.one(
            datetime, "attempts.unknown_until", **ids, enrollment_id=enrollment.id, far=now + timedelta(hours=1)
        ),
        mailbox=mailbox,
        mailbox_usage=mailbox_usage,
        mailbox_health=mailbox_health,
        ceiling_free_at=ceiling_free_at(reader, mailbox, enrollment, now) if mailbox else None,
        sequence_usage=sequence_usage,
        new_usage=new_usage,
        recovering=reader.one(int, "mailboxes.any_recovering", **ids) is not None,
        freshness=freshness,
    )
