"""`relance lead`: people, added, looked up, noted, exported and erased."""

import csv
import getpass
import sys
from collections.abc import Mapping
from types import MappingProxyType

import click

from relance.app import Installation
from relance.cli.importing import import_leads
from relance.cli.lead_finding import bulk, find_leads, list_filters, list_lists
from relance.cli.printing import shown
from relance.cli.session import Group, session
from relance.core.lead import Lead, Touch
from relance.core.suppression import Suppression
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services import addresses, lead_changes, leads
from relance.services.lead_files.headers import EMAIL, snake_case
from relance.services.situations import Keys, suppressions_of
from relance.services.workspace_settings import check_timezone

_ADDED = MappingProxyType(
    {
        leads.Addition.ADDED: "is added",
        leads.Addition.MERGED: "was known; the new data is written",
        leads.Addition.REPEATED: "had come in under this key before; nothing is changed",
    }
)


@click.group(cls=Group)
def lead() -> None:
    """Keep the people you write to."""


lead.add_command(import_leads)
lead.add_command(find_leads)
lead.add_command(list_filters)
lead.add_command(list_lists)
lead.add_command(bulk)


@lead.command()
@click.argument("email")
@click.argument("fields", metavar="[field=value]…", nargs=-1)
@click.option("--list", "list_name", metavar="NAME", help="Put the lead on this list.")
@click.option("--key", metavar="KEY", help="Your own name for this entry: the same one again changes nothing.")
def add(email: str, fields: tuple[str, ...], list_name: str | None, key: str | None) -> None:
    """Add a lead, or new data to one that is known."""
    current = session()
    address = addresses.clean_address(email)
    values = _read_fields(fields)

    async def write(installation: Installation, workspace: Workspace) -> leads.Added:
        return await installation.write(
            leads.add,
            workspace_id=workspace.id,
            email=address,
            values=values,
            source="command line",
            list_name=list_name,
            now=installation.clock.now(),
            key=(key or "").strip() or None,
        )

    added = current.run(write)
    said = _ADDED[added.outcome]
    current.printer.facts(
        {"id": added.lead_id, "email": address, "outcome": added.outcome}, f"{address} {said} (lead {added.lead_id})."
    )


@lead.command()
@click.argument("email")
def show(email: str) -> None:
    """Show a lead: fields, holds, suppressions and how it came in."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> Mapping[str, object]:
        return await installation.read(_lead_facts, workspace.id, spelled(email), installation.keys)

    facts = current.run(read)
    current.printer.facts(
        facts, "\n".join(f"{name.replace('_', ' ')}: {shown(value)}" for name, value in facts.items())
    )


@lead.command()
@click.argument("email")
@click.argument("fields", metavar="field=value…", nargs=-1, required=True)
def change(email: str, fields: tuple[str, ...]) -> None:
    """Change what is known about a lead; a blank value takes its field away."""
    current = session()
    values = _read_fields(fields)

    async def write(installation: Installation, workspace: Workspace) -> bool:
        known = await installation.read(leads.by_email, workspace.id, spelled(email))
        return await installation.write(
            lead_changes.change,
            workspace_id=workspace.id,
            lead_id=known.id,
            read_revision=known.revision,
            values=values,
            author=_author(),
            now=installation.clock.now(),
        )

    changed = current.run(write)
    sentence = "is changed" if changed else "is as it was"
    current.printer.facts({"email": spelled(email), "changed": changed}, f"{spelled(email)} {sentence}.")


@lead.command("list")
@click.option("--list", "list_name", metavar="NAME", help="Only leads on this list.")
def list_leads(list_name: str | None) -> None:
    """List leads, oldest first."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Lead]:
        return await installation.read(_all_leads, workspace.id, list_name)

    rows = (
        {
            "id": found.id,
            "email": found.email,
            "fields": found.fields,
            "timezone": found.timezone,
            "hold_until": found.hold_until,
            "created_at": found.created_at,
        }
        for found in current.run(read)
    )
    current.printer.rows(rows, ("id", "email", "fields", "created_at"), empty="There are no leads; import some.")


@lead.command()
@click.argument("email")
@click.argument("text")
def note(email: str, text: str) -> None:
    """Write a note by hand; by default it pauses the lead's enrollments (policy on_note)."""
    current = session()
    if not text.strip():
        raise click.UsageError("the note is empty: write something")

    async def write(installation: Installation, workspace: Workspace) -> int:
        return await installation.write(
            leads.note,
            workspace_id=workspace.id,
            email=spelled(email),
            text=text,
            author=_author(),
            now=installation.clock.now(),
        )

    paused = current.run(write)
    current.printer.facts(
        {"email": spelled(email), "paused": paused},
        f"Noted; {counted(paused, 'enrollment is', 'enrollments are')} paused.",
    )


@lead.command()
@click.option("--list", "list_name", metavar="NAME", help="Only leads on this list.")
def export(list_name: str | None) -> None:
    """Write all leads as CSV (or JSON Lines) to standard output."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Lead]:
        return await installation.read(_all_leads, workspace.id, list_name)

    found = current.run(read)
    if current.as_json:
        current.printer.rows((_export_row(one) for one in found), (), empty="")
        return
    names = sorted({name for one in found for name in one.fields} - {"email"})
    fixed = ["email", "external_id", "phone", "linkedin_url", "timezone"]
    columns = fixed + [name for name in names if name not in fixed]
    writer = csv.DictWriter(sys.stdout, fieldnames=columns, restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(
        {name: "" if value is None else value for name, value in _export_row(one).items()} for one in found
    )


@lead.command()
@click.argument("email")
def erase(email: str) -> None:
    """Erase a person's data; a keyed hash stays, so that no import writes to them again."""
    current = session()
    address = spelled(email)

    async def look(installation: Installation, workspace: Workspace) -> None:
        await installation.read(leads.by_email, workspace.id, address)

    current.run(look)  # nobody is asked about a person who is not there
    current.confirm(f"Erase everything about {address}?")

    async def write(installation: Installation, workspace: Workspace) -> None:
        now = installation.clock.now()
        keys = installation.keys
        await installation.write(leads.erase, workspace_id=workspace.id, email=address, keys=keys, now=now)
        installation.journal_erasure(workspace, address, at=now)

    current.run(write)
    current.printer.facts({"erased": True}, "Erased; the address is never written to again.")


def spelled(email: str) -> str:
    """Return the spelling a lead is kept by; what is no address is looked up as it stands, and not found."""
    try:
        return addresses.clean_address(email)
    except addresses.BadAddressError:
        return email.strip().casefold()


def _read_fields(fields: tuple[str, ...]) -> Mapping[str, str]:
    values: dict[str, str] = {}
    for text in fields:
        name, equals, value = text.partition("=")
        field = snake_case(name)
        if not equals or not field:
            raise click.UsageError(f"{text!r} is not field=value, such as first_name=Carol")
        if field == EMAIL:
            raise click.UsageError(f"{text!r}: the address stands before the fields and is not one of them")
        if field == "timezone" and value:
            check_timezone(value)
        values[field] = value.strip()
    return values


def _author() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "command line"


def _all_leads(reader: Reader, workspace_id: int, list_name: str | None) -> list[Lead]:
    found = reader.all(Lead, "leads.of_workspace", workspace_id=workspace_id)
    if list_name is None:
        return found
    wanted = set(leads.on_list(reader, workspace_id, list_name))
    return [one for one in found if one.id in wanted]


def _lead_facts(reader: Reader, workspace_id: int, email: str, keys: Keys) -> Mapping[str, object]:
    found = leads.by_email(reader, workspace_id, email)
    touches = reader.all(Touch, "leads.touches", workspace_id=workspace_id, lead_id=found.id)
    return {
        "id": found.id,
        "email": found.email,
        "fields": found.fields,
        "external_id": found.external_id,
        "phone": found.phone,
        "linkedin_url": found.linkedin_url,
        "timezone": found.timezone,
        "hold_until": found.hold_until,
        "hold_reason": found.hold_reason,
        "suppressions": [suppression_facts(one) for one in suppressions_of(reader, found, keys)],
        "touches": [{"at": touch.at, "source": touch.source, "detail": touch.detail} for touch in touches],
        "created_at": found.created_at,
    }


def suppression_facts(one: Suppression) -> Mapping[str, object]:
    """Return what may be said about a suppression."""
    return {name: getattr(one, name) for name in ("kind", "value", "scope", "reason", "source", "created_at")}


def _export_row(one: Lead) -> Mapping[str, object]:
    return {
        **one.fields,
        "email": one.email,
        "external_id": one.external_id,
        "phone": one.phone or one.fields.get("phone"),
        "linkedin_url": one.linkedin_url or one.fields.get("linkedin_url"),
        "timezone": one.timezone,
    }
