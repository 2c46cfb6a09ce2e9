"""`/domains`: what the domains that mail goes out from say about it, and the record to add; and `/doctor`."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field

from relance.core.domain_health import RecordKind, RecordStatus
from relance.services import domains
from relance.services.domains import Domain
from relance.web.api.call import Governs, Looks, Works
from relance.web.api.pages import Page
from relance.web.api.repeating import Repeatable
from relance.web.api.shapes import Given, Shape, Word

routes = APIRouter(tags=["domains"], route_class=Repeatable)
Name = Annotated[str, Path(max_length=255, description="The domain's name.", examples=["example.com"])]


class ToAddShape(Shape):
    """A record as it is entered at whoever keeps the domain's names."""

    name: str
    type: str
    value: str


class RecordShape(Shape):
    """One kind of record, what was found, and what to do."""

    kind: RecordKind
    status: RecordStatus
    why: str
    found: list[str]
    to_add: ToAddShape | None


class DomainShape(Shape):
    """A domain that mailboxes send from, as it was last looked at."""

    name: str
    mailboxes: list[str] = Field(description="Their addresses.")
    selectors: list[str] = Field(description="Under which its mail is signed, as a person said.")
    records: list[RecordShape] = Field(description="Empty: it was never looked at.")
    checked_at: datetime | None


class Selectors(Given):
    """Under which names a domain's mail is signed (DKIM)."""

    selectors: list[Word] = Field(max_length=10)


class FindingShape(Shape):
    """One check of the installation and its outcome."""

    name: str
    ok: bool
    detail: str
    remedy: str | None


@routes.get("/domains", response_model=Page[DomainShape])
async def list_domains(call: Looks) -> dict[str, Any]:
    """List the domains of the workspace's mailboxes, as they were last looked at."""
    found = await call.read(domains.of_workspace, call.workspace_id)
    return {"items": [_shown(one) for one in found], "next": None}


@routes.post("/domains/{name}/check", response_model=DomainShape)
async def check_domain(call: Works, name: Name) -> dict[str, Any]:
    """Ask name servers about a domain, and keep what they say."""
    found = await call.read(domains.named, call.workspace_id, name)
    judged = domains.judge(found, await call.hands.mailboxes.inspect_domain(found.name, found.asked_selectors))
    await call.write(domains.keep, workspace_id=call.workspace_id, domain=found, judged=judged, now=call.now)
    return _shown(await call.read(domains.named, call.workspace_id, name))


@routes.put("/domains/{name}/selectors", response_model=DomainShape)
async def set_domain_selectors(call: Works, name: Name, wanted: Selectors) -> dict[str, Any]:
    """Say under which names a domain's mail is signed."""
    await call.read(domains.named, call.workspace_id, name)
    await call.write(domains.set_selectors, workspace_id=call.workspace_id, name=name, selectors=wanted.selectors)
    return _shown(await call.read(domains.named, call.workspace_id, name))


@routes.get("/doctor", response_model=Page[FindingShape], tags=["diagnosis"])
async def examine_installation(
    call: Governs,
    *,
    records: Annotated[bool, Query(description="Look through the newest records for contradictions too.")] = False,
) -> dict[str, Any]:
    """Check the installation, each finding with its remedy."""
    return {"items": await call.hands.examine(call.workspace, records), "next": None}


def _shown(found: Domain) -> dict[str, Any]:
    return {
        "name": found.name,
        "mailboxes": [box.address for box in found.mailboxes],
        "selectors": found.selectors,
        "records": found.judged,
        "checked_at": found.checked_at,
    }
