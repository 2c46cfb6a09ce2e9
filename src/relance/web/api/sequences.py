"""`/sequences`: published from their text, looked at, approved, paused, resumed, archived."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Response
from pydantic import Field

from relance.core.sequence import Sequence, SequenceStatus, Version
from relance.ports.store import Reader, Transaction
from relance.services import approving, auditing, numbers, sequences
from relance.web.api.call import Call, Governs, Looks, Works
from relance.web.api.pages import Page
from relance.web.api.repeating import Repeatable
from relance.web.api.sequence_texts import Text, sound
from relance.web.api.shapes import Given, IfMatch, Shape, check_match, tagged

routes = APIRouter(tags=["sequences"], route_class=Repeatable)
Name = Annotated[str, Path(max_length=320, description="The sequence's name.")]


class SequenceShape(Shape):
    """The template that enrollments walk."""

    name: str
    status: SequenceStatus
    version: int = Field(description="What new enrollments get; 0: never published.")
    proposed_version: int | None = Field(description="Waits for approval, while `version` goes on.")
    enrollments: dict[str, int] = Field(description="How many have which status.")
    skip_until: datetime | None
    last_skip_reason: str | None
    created_at: datetime


class VersionShape(Shape):
    """What an enrollment runs, frozen."""

    version: int
    created_at: datetime
    document: dict[str, Any] = Field(description="The plan, in the shape of a sequence file with every default.")


class PublishedShape(Shape):
    """What publishing did."""

    name: str
    version: int
    changed: bool = Field(description="False: this very content was published already.")
    awaits_approval: bool
    unsigned: list[str] = Field(description="Mailboxes without the signature that a text asks for.")
    not_connected: list[str] = Field(description="What the text names and nobody has connected.")


class ApprovedShape(Shape):
    """Which version runs from now on."""

    name: str
    version: int
    status: SequenceStatus


class Approval(Given):
    """Which version was looked at."""

    version: int | None = Field(default=None, ge=1, description="Where another one waits by now, nothing is approved.")


class Switched(Shape):
    """How a sequence is now."""

    name: str
    status: SequenceStatus
    changed: bool


class Archiving(Given):
    """How a sequence is to end."""

    stop_active: bool = Field(default=False, description="End the enrollments that are unfinished.")


class Archived(Shape):
    """What archiving did."""

    name: str
    stopped: int


class StepAuditShape(Shape):
    """How many got a step, and who got it more often than its visits allow."""

    step: str
    sent: int
    unknown: int
    recorded: int
    twice: list[str]
    perhaps: list[str] = Field(description="Of `twice`: for whom an unknown outcome was counted.")


class ReceiptShape(Shape):
    """One message that somebody got, or may have got."""

    step: str
    recipient: str
    status: str
    at: datetime | None
    mailbox: str | None
    variant: str


@routes.get("/sequences", response_model=Page[SequenceShape])
async def list_sequences(call: Looks) -> dict[str, Any]:
    """List every sequence, by name, with how many stand where."""
    return {"items": await call.read(_all, call.workspace_id), "next": None}


@routes.post("/sequences", response_model=PublishedShape)
async def publish_sequence(
    call: Works,
    wanted: Text,
    if_match: Annotated[str | None, Header(max_length=200, description="The sequence's ETag, if there is one.")] = None,
) -> sequences.Published:
    """Freeze a text as the next version; whoever is enrolled stays on theirs. Publishing twice is publishing once."""
    plan = sound(wanted, today=call.now.date()).plan

    def publish(tx: Transaction) -> sequences.Published:
        if if_match is not None:
            check_match(if_match, sequences.by_name(tx, call.workspace_id, plan.name).revision)
        return sequences.publish(tx, workspace_id=call.workspace_id, plan=plan, now=call.now)

    return await call.write(publish)


@routes.get("/sequences/{name}", response_model=SequenceShape)
async def get_sequence(call: Looks, name: Name, response: Response) -> Mapping[str, Any]:
    """Return one sequence."""
    found = await call.read(sequences.by_name, call.workspace_id, name)
    tagged(response, found)
    return await call.read(_one, found)


@routes.get("/sequences/{name}/versions/{version}", response_model=VersionShape)
async def get_version(
    call: Looks, name: Name, version: Annotated[int, Path(ge=1, le=1_000_000)], response: Response
) -> Version:
    """Return one frozen version; it never changes."""
    found = await call.read(sequences.version_of, call.workspace_id, name, version)
    response.headers["ETag"] = f'"{found.digest}"'
    return found


@routes.post("/sequences/{name}/approve", response_model=ApprovedShape)
async def approve_sequence(call: Governs, name: Name, wanted: Approval) -> approving.Approved:
    """Let the version that waits for approval take people along from now on."""
    return await call.write(
        approving.approve,
        workspace_id=call.workspace_id,
        name=name,
        by=call.visitor.actor,
        version=wanted.version,
        now=call.now,
    )


@routes.post("/sequences/{name}/pause", response_model=Switched)
async def pause_sequence(call: Works, name: Name, if_match: IfMatch) -> dict[str, Any]:
    """Freeze everyone of a sequence in place."""
    return await _switch(call, sequences.pause, name, if_match)


@routes.post("/sequences/{name}/resume", response_model=Switched)
async def resume_sequence(call: Works, name: Name, if_match: IfMatch) -> dict[str, Any]:
    """Let everyone go on from the identical step."""
    return await _switch(call, sequences.resume, name, if_match)


@routes.post("/sequences/{name}/archive", response_model=Archived)
async def archive_sequence(call: Works, name: Name, wanted: Archiving) -> dict[str, Any]:
    """End a sequence; refused while enrollments are unfinished, unless told to stop them."""
    stopped = await call.write(
        sequences.archive,
        workspace_id=call.workspace_id,
        name=name,
        stop_active=wanted.stop_active,
        now=call.now,
    )
    return {"name": name, "stopped": stopped}


@routes.get("/sequences/{name}/audit", response_model=Page[StepAuditShape])
async def audit_sequence(call: Looks, name: Name) -> dict[str, Any]:
    """Count who got which step, and name whoever got one twice, or may have."""
    found = await call.read(auditing.audit, workspace_id=call.workspace_id, name=name)
    return {"items": found, "next": None}


@routes.get("/sequences/{name}/receipts", response_model=Page[ReceiptShape])
async def list_receipts(
    call: Looks, name: Name, most: Annotated[int, Query(ge=1, le=10_000, description="How many at most.")] = 1_000
) -> dict[str, Any]:
    """List who got which step, one message each."""
    found = await call.read(auditing.receipts, workspace_id=call.workspace_id, name=name)
    return {"items": found[:most], "next": None}


async def _switch(call: Call, service: Any, name: str, if_match: str | None) -> dict[str, Any]:  # noqa: ANN401  # pause or resume
    def switch(tx: Transaction) -> tuple[bool, Sequence]:
        check_match(if_match, sequences.by_name(tx, call.workspace_id, name).revision)
        changed: bool = service(tx, workspace_id=call.workspace_id, name=name, now=call.now)
        return changed, sequences.by_name(tx, call.workspace_id, name)

    changed, found = await call.write(switch)
    return {"name": name, "status": found.status, "changed": changed}


def _all(reader: Reader, workspace_id: int) -> list[dict[str, Any]]:
    return [_one(reader, one) for one in reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id)]


def _one(reader: Reader, one: Sequence) -> dict[str, Any]:
    stands = Counter[str]()
    for row in numbers.standing(reader, workspace_id=one.workspace_id, sequence_id=one.id):
        stands[row.status] += row.people
    return {
        "name": one.name,
        "status": one.status,
        "version": one.version,
        "proposed_version": one.proposed_version,
        "enrollments": {status: people for status, people in sorted(stands.items()) if people},
        "skip_until": one.skip_until,
        "last_skip_reason": one.last_skip_reason,
        "created_at": one.created_at,
    }
