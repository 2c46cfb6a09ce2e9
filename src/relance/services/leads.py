"""Leads: added, merged on their identities, noted, erased. Whoever is known gets the new data; nobody becomes two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from relance.core.enrollment import Enrollment, StopReason
from relance.core.events import Event, EventName
from relance.core.lead import ERASED_DOMAIN, Lead
from relance.core.sequence import PauseOrContinue
from relance.core.suppression import SuppressionKind, SuppressionReason, tombstone_of
from relance.ports.store import Reader, Transaction
from relance.services import enrollments, summaries, suppressions
from relance.services.identities import identities_of, normalised, shares_only_phone
from relance.services.records import columns, record, save_lead
from relance.services.refusals import NotFoundError, RefusedError
from relance.services.situations import Keys, plan_of


class Addition(StrEnum):
    """What became of one lead that came in."""

    ADDED = "added"
    MERGED = "merged"  #: Known before: new data written, a touch recorded.
    REPEATED = "repeated"  #: This very entry came in before, under the same idempotency key: nothing was written.


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """The lead and what became of it."""

    lead_id: int
    outcome: Addition


def by_email(reader: Reader, workspace_id: int, email: str) -> Lead:
    """Return a lead by address. Raises NotFoundError."""
    found = reader.one(Lead, "leads.by_email", workspace_id=workspace_id, email=email.strip().casefold())
    if found is None:
        raise NotFoundError(f"there is no lead {email!r}; see `relance lead list`")
    return found


def add(
    tx: Transaction,
    *,
    workspace_id: int,
    email: str,
    values: Mapping[str, str],
    source: str,
    list_name: str | None,
    now: datetime,
    key: str | None = None,
) -> Added:
    """Write one lead: a new row, or new data on the row that any of its identities already names.

    `key` is the caller's idempotency key: an entry under one that came in before is that entry, and leaves no second
    touch. Raises RefusedError when its identities belong to different people, or the key to another: a person must
    decide.
    """
    address = email.strip().casefold()
    values = normalised(values)
    identities = identities_of(values)
    if identities.get("phone"):
        # No UNIQUE keeps two transactions from making one person twice whom a number and a name identify.
        tx.one(int, "workspaces.lock", id=workspace_id)
    known = {found.id: found for found in _known(tx, workspace_id, address, identities)}
    earlier = tx.one(Lead, "leads.by_touch_key", workspace_id=workspace_id, key=key) if key else None
    if earlier is not None:
        if not earlier.erased and earlier.id not in known:
            raise RefusedError(f"the key {key!r} came in before with {earlier.email}; give {address} one of its own")
        return Added(lead_id=earlier.id, outcome=Addition.REPEATED)
    sharing = [lead.id for lead in known.values() if shares_only_phone(lead, address, values)]
    for shared in sharing:
        # Colleagues share a switchboard: a number names a person only where nothing better contradicts it.
        del known[shared]
    if len(known) > 1:
        names = " and ".join(sorted(lead.email for lead in known.values()))
        raise RefusedError(f"its identities belong to different leads ({names}); correct the row or merge them by hand")
    data = {name: value for name, value in values.items() if name != "timezone" and value != ""}
    existing = next(iter(known.values()), None)
    if existing is None:
        lead = Lead(
            workspace_id=workspace_id,
            id=0,
            email=address,
            fields=data,
            external_id=identities.get("external_id"),
            phone=identities.get("phone"),
            linkedin_url=identities.get("linkedin_url"),
            timezone=values.get("timezone") or None,
            created_at=now,
        )
        row = columns(lead)
        del row["id"]
        lead_id = tx.one(int, "leads.insert", **row)
        assert lead_id is not None  # noqa: S101  # INSERT … RETURNING returns a row or raises
        outcome = Addition.ADDED
    else:
        lead_id = existing.id
        if existing.email != address:
            data["other_email"] = address
            tx.run("leads.add_address", workspace_id=workspace_id, lead_id=lead_id, address=address, at=now)
        merged = replace(
            existing,
            fields={**existing.fields, **data},
            timezone=values.get("timezone") or existing.timezone,
            external_id=identities.get("external_id") or existing.external_id,
            phone=identities.get("phone") or existing.phone,
            linkedin_url=identities.get("linkedin_url") or existing.linkedin_url,
        )
        if merged != existing:
            save_lead(tx, existing, merged)
        outcome = Addition.MERGED
    tx.run("leads.touch", workspace_id=workspace_id, lead_id=lead_id, at=now, source=source, detail=outcome, key=key)
    if list_name:
        tx.run("leads.put_on_list", workspace_id=workspace_id, list=list_name, lead_id=lead_id, at=now)
    return Added(lead_id=lead_id, outcome=outcome)


def _known(reader: Reader, workspace_id: int, address: str, identities: Mapping[str, str]) -> list[Lead]:
    return reader.all(
        Lead,
        "leads.by_identities",
        workspace_id=workspace_id,
        email=address,
        external_id=identities.get("external_id"),
        phone=identities.get("phone"),
        linkedin_url=identities.get("linkedin_url"),
    )


def note(tx: Transaction, *, workspace_id: int, email: str, text: str, author: str, now: datetime) -> int:
    """Write a note by hand; return how many enrollments it paused (policy `on_note`)."""
    lead = by_email(tx, workspace_id, email)
    tx.run("leads.append_note", workspace_id=workspace_id, lead_id=lead.id, at=now, author=author, text=text)
    record(
        tx,
        Event(
            workspace_id=workspace_id, at=now, name=EventName.NOTE_ADDED, detail=f"note by {author}", lead_id=lead.id
        ),
    )
    paused = 0
    for enrollment in enrollments_of(tx, lead):
        plan = plan_of(tx, workspace_id, enrollment.sequence_id, enrollment.version)
        if plan.on_note is PauseOrContinue.PAUSE:
            paused += enrollments.pause(
                tx, workspace_id=workspace_id, enrollment_id=enrollment.id, cause=f"note by {author}", now=now
            )
    return paused


def erase(tx: Transaction, *, workspace_id: int, email: str, keys: Keys, now: datetime) -> None:
    """Remove a person's data; a keyed hash stays, so that nobody writes to them again by accident."""
    lead = by_email(tx, workspace_id, email)
    for enrollment in enrollments_of(tx, lead):
        enrollments.stop(
            tx,
            workspace_id=workspace_id,
            enrollment_id=enrollment.id,
            cause="the person was erased",
            now=now,
            stop_reason=StopReason.ERASED,
        )
    digest = tombstone_of(lead.email, keys.tombstone)
    further = tx.all(str, "leads.further_addresses", workspace_id=workspace_id, lead_id=lead.id)
    for address in (lead.email, *further):
        suppressions.suppress(
            tx,
            workspace_id=workspace_id,
            kind=SuppressionKind.TOMBSTONE,
            value=tombstone_of(address, keys.tombstone),
            reason=SuppressionReason.ERASED,
            source="erasure",
            now=now,
            tombstone_key=keys.tombstone,
        )
        tx.run("suppressions.forget_address", workspace_id=workspace_id, value=address)
        tx.run("forgotten_sends.forget", workspace_id=workspace_id, recipient=address)
    stand_in = f"erased-{lead.id}-{digest[:16]}@{ERASED_DOMAIN}"  # who is imported again may be erased again
    for statement in ("leads.empty_notes", "leads.empty_messages", "leads.leave_lists", "leads.forget_addresses"):
        tx.run(statement, workspace_id=workspace_id, lead_id=lead.id)
    summaries.forget(tx, workspace_id=workspace_id, lead_id=lead.id)
    tx.run("address_checks.forget", workspace_id=workspace_id, lead_id=lead.id)
    tx.run("leads.empty_attempts", workspace_id=workspace_id, lead_id=lead.id, stand_in=stand_in)
    gone = replace(
        lead,
        email=stand_in,
        fields={},
        external_id=None,
        phone=None,
        linkedin_url=None,
        timezone=None,
        hold_until=None,
        hold_reason=None,
    )
    save_lead(tx, lead, gone)
    record(
        tx,
        Event(
            workspace_id=workspace_id,
            at=now,
            name=EventName.LEAD_ERASED,
            detail="a person's data was erased",
            lead_id=lead.id,
        ),
    )


def enrollments_of(reader: Reader, lead: Lead) -> list[Enrollment]:
    """Return every enrollment of one lead, oldest first."""
    return reader.all(Enrollment, "enrollments.of_lead", workspace_id=lead.workspace_id, lead_id=lead.id)


def known_among(
    reader: Reader, *, workspace_id: int, emails: Sequence[str], before: datetime | None = None
) -> frozenset[str]:
    """Return which of these addresses are leads' already, or were then."""
    found = reader.all(str, "leads.known_among", workspace_id=workspace_id, email_list=emails, before=before)
    return frozenset(found)


def on_list(reader: Reader, workspace_id: int, list_name: str) -> list[int]:
    """Return the ids of a list's leads, in the order they were added. Raises NotFoundError for an empty list."""
    ids = reader.all(int, "leads.ids_on_list", workspace_id=workspace_id, list=list_name)
    if not ids:
        raise NotFoundError(f"list {list_name!r} has no leads; import some with --list {list_name}")
    return ids
