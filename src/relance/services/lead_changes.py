"""Changing what is known about a person by hand: what stands there now is what was written, blank or gone included."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from relance.core.calendar import zone_named
from relance.core.events import Event, EventName
from relance.core.lead import Lead
from relance.ports.store import Transaction
from relance.services.identities import IDENTITIES, identities_of, normalised
from relance.services.lead_files.headers import EMAIL, snake_case
from relance.services.lead_files.reading import VALUE_CHARACTERS
from relance.services.records import record, save_lead
from relance.services.refusals import NotFoundError, RefusedError, WrongInputError

FIELDS_MOST = 200  #: Of one person.


def change(
    tx: Transaction,
    *,
    workspace_id: int,
    lead_id: int,
    read_revision: int,
    values: Mapping[str, str],
    author: str,
    now: datetime,
) -> bool:
    """Write these fields, and leave those alone that are not named; return whether anything is different now.

    A blank value takes its field away. Raises RefusedError where somebody else wrote since `read_revision` was read, or
    where an identity is another person's; WrongInputError, NotFoundError.
    """
    lead = tx.one(Lead, "leads.get", workspace_id=workspace_id, id=lead_id)
    if lead is None or lead.erased:
        raise NotFoundError("this lead is not there any more")
    if lead.revision != read_revision:
        raise RefusedError(f"{lead.email} was changed since you looked: read it again and write it once more")
    named = _named(values)
    fields = {**lead.fields, **{name: value for name, value in named.items() if name != "timezone"}}
    kept = {name: value for name, value in fields.items() if value}
    if len(kept) > FIELDS_MOST:
        raise WrongInputError(f"a lead has at most {FIELDS_MOST} fields: take some away")
    identities = {name: named[name] or None for name in IDENTITIES if name in named}
    if identities.get("phone") and "phone" not in identities_of(named):
        identities["phone"] = None  # it stays a field: without a country code a number names nobody
    changed = replace(
        lead,
        fields=kept,
        timezone=(named["timezone"] or None) if "timezone" in named else lead.timezone,
        external_id=identities.get("external_id", lead.external_id),
        phone=identities.get("phone", lead.phone),
        linkedin_url=identities.get("linkedin_url", lead.linkedin_url),
    )
    if changed == lead:
        return False
    _belongs_to_nobody_else(tx, changed)
    save_lead(tx, lead, changed)
    different = sorted(name for name in named if lead.fields.get(name, "") != kept.get(name, ""))
    record(
        tx,
        Event(
            workspace_id=workspace_id,
            at=now,
            name=EventName.LEAD_CHANGED,
            detail=f"{', '.join(different) or 'timezone'} changed by {author}",
            lead_id=lead.id,
        ),
    )
    return True


def _named(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values by the names that templates know. Raises WrongInputError."""
    found: dict[str, str] = {}
    for name, value in values.items():
        field = snake_case(name)
        if not field or field == EMAIL:
            raise WrongInputError(f"{name!r} is no field: it has a name such as first_name")
        if len(value) > VALUE_CHARACTERS:
            raise WrongInputError(f"{field} has more than {VALUE_CHARACTERS} characters: shorten it")
        found[field] = value.strip()
    zone = found.get("timezone")
    if zone and zone_named(zone) is None:
        raise WrongInputError(f"{zone!r} is no time zone: write an IANA name such as Europe/Berlin")
    return normalised(found)


def _belongs_to_nobody_else(tx: Transaction, lead: Lead) -> None:
    found = tx.all(
        Lead,
        "leads.by_identities",
        workspace_id=lead.workspace_id,
        email=lead.email,
        external_id=lead.external_id,
        phone=None,  # colleagues share a number
        linkedin_url=lead.linkedin_url,
    )
    other = next((one for one in found if one.id != lead.id), None)
    if other is not None:
        raise RefusedError(f"this external id or LinkedIn profile is {other.email}'s already: correct one of the two")
