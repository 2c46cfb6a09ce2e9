"""Gathering everything that the gates look at for one enrollment, inside the caller's transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from relance.core import calendar
from relance.core.address_check import AddressCheck, Verification
from relance.core.enrollment import Enrollment
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.plan_document import plan_from_document
from relance.core.sequence import Interval, Plan, QuietHours, Sequence, Version
from relance.core.situation import Situation, Written
from relance.core.suppression import Suppression, SuppressionReason, marks_of, tombstone_of
from relance.core.workspace import Workspace
from relance.ports.store import Reader
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
class _Surroundings(Sequence):
    """A sequence, and what else every look goes by: in one row, since it is read twice for every send."""

    digest: str | None  #: Of the version that the enrollment walks.
    recovering: bool  #: A mailbox of the workspace is read back.
    further: bool  #: The person has further addresses.


def plan_of(reader: Reader, workspace_id: int, sequence_id: int, version: int) -> Plan:
    """Return a frozen version's plan; versions never change, so they are kept parsed, keyed by their digest."""
    ids = {"workspace_id": workspace_id, "sequence_id": sequence_id, "version": version}
    return _plan_of(reader, reader.one(str, "sequences.version_digest", **ids), ids)


def _plan_of(reader: Reader, digest: str | None, ids: Mapping[str, int]) -> Plan:
    sequence_id, version = ids["sequence_id"], ids["version"]
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


def written_to(reader: Reader, *, workspace_id: int, lead_id: int, now: datetime) -> tuple[Written, ...]:
    """Return the mailboxes that have already written to this person, with their freshness."""
    return tuple(reader.all(Written, "mailboxes.written_to_lead", workspace_id=workspace_id, lead_id=lead_id, now=now))


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


def gather(  # noqa: PLR0913  # everything that a look goes by
    reader: Reader,
    *,
    workspace: Workspace,
    enrollment: Enrollment,
    woken_counter: int,
    mailbox: Mailbox | None,
    worker: str,
    keys: Keys,
    now: datetime,
    locked_lead: Lead | None = None,
) -> Situation:
    """Read what the last look goes by; the enrollment was read (and locked) by the caller, and perhaps its lead.

    What limits have given away is not in it: `relance.services.limits.measured` adds that.
    """
    ids = {"workspace_id": workspace.id}
    lead = locked_lead
    if lead is None or lead.id != enrollment.lead_id:  # merged into another one a moment ago
        lead = reader.one(Lead, "leads.get", **ids, id=enrollment.lead_id)
    version = {**ids, "sequence_id": enrollment.sequence_id, "version": enrollment.version}
    around = reader.one(_Surroundings, "scheduling.surroundings", **version, lead_id=enrollment.lead_id)
    if lead is None or around is None:
        raise NotFoundError(f"enrollment {enrollment.id} has lost its lead or sequence")
    plan = _plan_of(reader, around.digest, version)
    further = further_addresses(reader, lead) if around.further else ()
    first_contact = enrollment.last_sent_at is None
    verified = plan.verification is Verification.OFF or not first_contact
    return Situation(
        now=now,
        worker=worker,
        woken_counter=woken_counter,
        enrollment=enrollment,
        sequence=around,
        plan=plan,
        step=plan.step(enrollment.step),
        lead=lead,
        suppressions=suppressions_of(reader, lead, keys, further=further),
        further_addresses=further,
        workspace_timezone=workspace.timezone,
        workspace_quiet_hours=quiet_hours_of(workspace),
        workspace_skip_until=workspace.skip_until,
        first_contact=first_contact,
        address_check=None if verified else reader.one(AddressCheck, "address_checks.get", **ids, lead_id=lead.id),
        written=written_to(reader, **ids, lead_id=lead.id, now=now),
        mailbox=mailbox,
        recovering=around.recovering,
    )
