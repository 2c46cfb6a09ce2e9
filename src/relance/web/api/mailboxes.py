"""`/mailboxes`: connected sending inboxes and their health; paused, resumed, removed."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import Field

from relance.core.health import Healthy, factor
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.pacing import cap_today
from relance.ports.store import Reader, Transaction
from relance.services import handing_over, mailboxes, recovering
from relance.services.health import examine
from relance.services.limits import mailbox_zone
from relance.services.sending.forgotten import all_forgotten
from relance.web.api.call import Call, Governs, Looks
from relance.web.api.pages import Page
from relance.web.api.repeating import Repeatable
from relance.web.api.shapes import Given, Shape, tagged

routes = APIRouter(tags=["mailboxes"], route_class=Repeatable)
Address = Annotated[str, Path(max_length=320, description="The mailbox's address.", examples=["anna@example.com"])]


class MailboxShape(Shape):
    """A connected sending inbox; its secret is never shown."""

    address: str
    status: MailboxStatus
    status_reason: str | None
    login: str
    display_name: str | None
    aliases: list[str]
    pool: str
    timezone: str | None
    smtp: str = Field(description="host:port:security")
    imap: str
    daily_cap: int
    hourly_cap: int
    min_gap: float = Field(description="Seconds.")
    max_gap: float
    ramp: bool
    ramp_start: int
    ramp_step: int
    workday: str | None
    weight: int
    ceiling: str | None
    signature_text: str | None
    signature_html: str | None
    skip_until: datetime | None
    last_skip_reason: str | None
    saves_sent: bool | None
    ids_survive: bool | None
    last_read_at: datetime | None
    recover_since: datetime | None
    created_at: datetime


class HealthShape(Shape):
    """What came back of what a mailbox sent in 7 days, and what it may send today."""

    address: str
    score: int | None = Field(description="Null: it sent too little to be judged.")
    verdict: str
    sends: int
    bounces: int
    blocks: int
    complaints: int
    cap_today: int
    reasons: list[str]


class ForgottenShape(Shape):
    """A message that was sent after a backup that was put back, as the Sent folder tells."""

    recipient: str
    left_at: datetime
    subject: str | None
    answered_at: datetime | None
    folder: str


class RecoveryDecision(Given):
    """A person's word about a mailbox that cannot be read back after a restore."""

    nothing_unknown: bool = Field(
        default=False,
        description="You have looked: it sent nothing since the backup that is not known. Else whoever it may have "
        "written to is held.",
    )


class RecoveredShape(Shape):
    """How it goes on."""

    mailbox: MailboxShape
    held: int


class HandedOver(Shape):
    """Who goes on elsewhere."""

    address: str
    handed_over: int


@routes.get("/mailboxes", response_model=Page[MailboxShape])
async def list_mailboxes(call: Looks) -> dict[str, Any]:
    """List every connected mailbox, by address."""
    found = await call.read(mailboxes.of_workspace, call.workspace_id)
    return {"items": [shown(one) for one in found], "next": None}


@routes.get("/mailboxes/forgotten-sends", response_model=Page[ForgottenShape])
async def list_forgotten_sends(call: Looks) -> dict[str, Any]:
    """List what was sent after a backup that was put back."""
    found = await call.read(all_forgotten, call.workspace_id)
    return {"items": found, "next": None}


@routes.get("/mailboxes/{address}", response_model=MailboxShape)
async def get_mailbox(call: Looks, address: Address, response: Response) -> dict[str, Any]:
    """Return one connected mailbox."""
    return shown(tagged(response, await call.read(mailboxes.by_address, call.workspace_id, address)))


@routes.get("/mailboxes/{address}/health", response_model=HealthShape)
async def get_mailbox_health(call: Looks, address: Address) -> dict[str, Any]:
    """Return a mailbox's score of the last 7 days, with its reasons, and its cap of today."""
    return await call.read(_health, call, address)


@routes.post("/mailboxes/{address}/pause", response_model=MailboxShape)
async def pause_mailbox(call: Governs, address: Address) -> dict[str, Any]:
    """Keep a mailbox from sending; it is still read."""

    def pause(tx: Transaction, found: Mailbox, *, now: datetime) -> None:
        mailboxes.pause(tx, found, reason=f"paused by {call.visitor.actor}", now=now)

    return await _decide(call, address, pause)


@routes.post("/mailboxes/{address}/resume", response_model=MailboxShape)
async def resume_mailbox(call: Governs, address: Address) -> dict[str, Any]:
    """Let a mailbox send again."""
    return await _decide(call, address, mailboxes.resume)


@routes.delete("/mailboxes/{address}", response_model=MailboxShape)
async def remove_mailbox(call: Governs, address: Address) -> dict[str, Any]:
    """Disconnect a mailbox and forget its secret; its history stays."""
    return await _decide(call, address, mailboxes.remove)


@routes.post("/mailboxes/{address}/hand-over", response_model=HandedOver)
async def hand_over_mailbox(call: Governs, address: Address) -> dict[str, Any]:
    """Let other mailboxes go on, in new threads, with the people of a removed one."""

    def decide(tx: Transaction) -> int:
        removed = handing_over.removed(tx, call.workspace_id, address)
        return handing_over.hand_over(tx, removed, now=call.now)

    return {"address": address, "handed_over": await call.write(decide)}


@routes.post("/mailboxes/{address}/recovered", response_model=RecoveredShape)
async def let_mailbox_recover(call: Governs, address: Address, wanted: RecoveryDecision) -> dict[str, Any]:
    """Let a mailbox go on that cannot be read back after a restore."""

    def decide(tx: Transaction) -> dict[str, Any]:
        found = mailboxes.by_address(tx, call.workspace_id, address)
        held = recovering.decide(tx, found, hold=not wanted.nothing_unknown, now=call.now)
        return {"mailbox": shown(mailboxes.by_address(tx, call.workspace_id, address)), "held": held}

    return await call.write(decide)


def shown(found: Mailbox) -> dict[str, Any]:
    """Return what may be said about a mailbox; never its secret."""
    facts = {name: getattr(found, name) for name in MailboxShape.model_fields if name not in {"smtp", "imap"}}
    servers = {
        server: ":".join(str(found.settings.get(f"{server}_{part}")) for part in ("host", "port", "security"))
        for server in ("smtp", "imap")
    }
    return {**facts, **servers}


async def _decide(call: Call, address: str, decision: Callable[..., None]) -> dict[str, Any]:
    def decide(tx: Transaction) -> Mailbox:
        found = mailboxes.by_address(tx, call.workspace_id, address)
        decision(tx, found, now=call.now)
        return tx.one(Mailbox, "mailboxes.get", workspace_id=call.workspace_id, id=found.id) or found

    return shown(await call.write(decide))


def _health(reader: Reader, call: Call, address: str) -> dict[str, Any]:
    found = examine(reader, mailboxes.by_address(reader, call.workspace_id, address), now=call.now)
    today = call.now.astimezone(mailbox_zone(found.mailbox, call.workspace)).date()
    verdict = found.verdict
    why = [] if isinstance(verdict, Healthy) else [f"{type(verdict).__name__.lower()}: {verdict.reason}"]
    return {
        "address": address,
        "score": found.score.points,
        "verdict": type(verdict).__name__.lower(),
        "sends": found.record.sends,
        "bounces": found.record.bounces,
        "blocks": found.record.blocks,
        "complaints": found.record.complaints,
        "cap_today": cap_today(found.mailbox, today=today, factor=factor(verdict)),
        "reasons": list(dict.fromkeys([*why, *found.score.reasons])),
    }
