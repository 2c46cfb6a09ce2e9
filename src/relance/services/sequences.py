"""Sequences: publishing freezes a version; pausing freezes everyone in place; archiving ends it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from relance.core import plan_document, transitions
from relance.core.calendar import SEARCH_DAYS, Never, first_zone, opens_at, zone_of
from relance.core.enrollment import Enrollment, StopReason
from relance.core.events import Event, EventName
from relance.core.mailbox import Mailbox
from relance.core.sequence import (
    DEFAULT_POOL,
    Delivery,
    EmailStep,
    OnReply,
    Plan,
    Sequence,
    SequenceStatus,
    Version,
    Window,
)
from relance.core.workday import meets, workday_of
from relance.core.workspace import Workspace
from relance.ports.store import Reader, Transaction
from relance.services import attachments, enrollments
from relance.services.candidates import admits
from relance.services.composing import needs_signature
from relance.services.dispatching import mailboxes_of
from relance.services.records import record, save_sequence
from relance.services.refusals import NotFoundError, RefusedError
from relance.services.situations import workspace_of

APPROVAL: Final = "approval"  #: The setting of a workspace: what is published waits until somebody approves it.
NOTHING_ATTACHED: Final[Mapping[str, bytes]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What publishing did."""

    name: str
    version: int
    changed: bool  #: False: this very content was already the running version, or the one that waits for approval.
    awaits_approval: bool = False  #: It takes nobody along before somebody approves it.
    unsigned: tuple[str, ...] = ()  #: Mailboxes without the signature that a text asks for: their people are held.
    not_connected: tuple[str, ...] = ()  #: Mailboxes that the file names and nobody has connected, as it names them.


def by_name(reader: Reader, workspace_id: int, name: str) -> Sequence:
    """Return a sequence by name. Raises NotFoundError."""
    found = reader.one(Sequence, "sequences.by_name", workspace_id=workspace_id, name=name)
    if found is None:
        raise NotFoundError(f"there is no sequence {name!r}; see `relance sequence list`")
    return found


def running_version(reader: Reader, sequence: Sequence) -> Version | None:
    """Return the version that new enrollments get."""
    return reader.one(
        Version,
        "sequences.version",
        workspace_id=sequence.workspace_id,
        sequence_id=sequence.id,
        version=sequence.version,
    )


def version_of(reader: Reader, workspace_id: int, name: str, version: int) -> Version:
    """Return one frozen version of a sequence. Raises NotFoundError."""
    sequence = by_name(reader, workspace_id, name)
    found = running_version(reader, replace(sequence, version=version))
    if found is None:
        raise NotFoundError(f"sequence {name!r} has no version {version}; its newest is {sequence.version}")
    return found


def publish(
    tx: Transaction, *, workspace_id: int, plan: Plan, now: datetime, contents: Mapping[str, bytes] = NOTHING_ATTACHED
) -> Published:
    """Freeze a plan as the next version and make the sequence live. Publishing twice is publishing once.

    Where the workspace asks for approval, the version waits for it; the one before, if there is one, goes on.
    `contents`: of what it attaches, by SHA-256 in hex. Running enrollments stay on their version. A paused sequence
    stays paused. Raises RefusedError.
    """
    document = plan_document.document_of(plan)
    digest = plan_document.digest(document)
    check_references(tx, workspace_id, plan)
    sequence = tx.one(Sequence, "sequences.by_name", workspace_id=workspace_id, name=plan.name)
    if sequence is None:
        tx.run("sequences.create", workspace_id=workspace_id, name=plan.name, now=now)
        sequence = by_name(tx, workspace_id, plan.name)
    if sequence.status is SequenceStatus.ARCHIVED:
        raise RefusedError(f"sequence {plan.name!r} is archived; publish under another name")
    missing = {
        "unsigned": _unsigned(tx, workspace_id, plan),
        "not_connected": _not_connected(tx, workspace_id, plan),
    }
    waits = needs_approval(workspace_of(tx, workspace_id))
    newest = _newest_version(tx, sequence)
    if newest is not None and newest.digest == digest and (waits or not awaits_approval(sequence)):
        waiting = awaits_approval(sequence)
        return Published(name=plan.name, version=newest.version, changed=False, awaits_approval=waiting, **missing)
    _check_hours(tx, workspace_id, plan, now)
    attachments.keep(tx, workspace_id=workspace_id, plan=plan, contents=contents, now=now)
    ids = {"workspace_id": workspace_id, "sequence_id": sequence.id}
    version = (tx.one(int, "sequences.last_version", **ids) or 0) + 1
    _freeze(tx, sequence, version, document, digest, now)
    after, event = _with_version(sequence, version, waits=waits)
    save_sequence(tx, sequence, after)
    if event is EventName.SEQUENCE_PROPOSED:
        note(tx, sequence, event, f"{plan.name} version {version} waits for approval", now)
    else:
        tx.run("sequences.lift_holds", workspace_id=workspace_id, id=sequence.id)
        note(tx, sequence, event, f"{plan.name} version {version} was published", now)
    return Published(name=plan.name, version=version, changed=True, awaits_approval=waits, **missing)


def needs_approval(workspace: Workspace) -> bool:
    """Return whether what is published in a workspace waits until somebody approves it."""
    return workspace.settings.get(APPROVAL) is True


def awaits_approval(sequence: Sequence) -> bool:
    """Return whether a version waits for somebody to approve it."""
    return sequence.status is SequenceStatus.AWAITING_APPROVAL or sequence.proposed_version is not None


def _newest_version(reader: Reader, sequence: Sequence) -> Version | None:
    """Return the version that publishing the same once more would repeat."""
    return running_version(reader, replace(sequence, version=sequence.proposed_version or sequence.version))


def _with_version(sequence: Sequence, version: int, *, waits: bool) -> tuple[Sequence, EventName]:
    """Return what a sequence becomes by a new version, and what that is called."""
    runs = sequence.status in {SequenceStatus.LIVE, SequenceStatus.PAUSED}
    if waits and runs:
        same = transitions.change_sequence(sequence, event=EventName.SEQUENCE_PROPOSED, to=sequence.status)
        return replace(same, proposed_version=version), EventName.SEQUENCE_PROPOSED
    first = SequenceStatus.AWAITING_APPROVAL if waits else SequenceStatus.LIVE
    to = sequence.status if sequence.status is SequenceStatus.PAUSED else first
    published = transitions.change_sequence(sequence, event=EventName.SEQUENCE_PUBLISHED, to=to)
    return replace(published, version=version, proposed_version=None), EventName.SEQUENCE_PUBLISHED


def pause(tx: Transaction, *, workspace_id: int, name: str, now: datetime) -> bool:
    """Freeze everyone of a sequence in place; return whether it was live."""
    return _set_status(tx, workspace_id, name, SequenceStatus.PAUSED, EventName.SEQUENCE_PAUSED, now)


def resume(tx: Transaction, *, workspace_id: int, name: str, now: datetime) -> bool:
    """Let everyone go on from the identical step; caps and gaps hold. Return whether it was paused."""
    return _set_status(tx, workspace_id, name, SequenceStatus.LIVE, EventName.SEQUENCE_RESUMED, now)


def archive(tx: Transaction, *, workspace_id: int, name: str, stop_active: bool, now: datetime) -> int:
    """End a sequence; return how many unfinished enrollments were stopped. Refuses while there are any, unless told."""
    tx.one(int, "sequences.lock", workspace_id=workspace_id, name=name)
    sequence = by_name(tx, workspace_id, name)
    if sequence.status is SequenceStatus.ARCHIVED:
        return 0
    unfinished = tx.all(
        Enrollment, "enrollments.unfinished_of_sequence", workspace_id=workspace_id, sequence_id=sequence.id
    )
    if unfinished and not stop_active:
        raise RefusedError(
            f"{len(unfinished)} enrollments of {name!r} are unfinished; let them end, or use --stop-active"
        )
    for enrollment in unfinished:
        enrollments.stop(
            tx,
            workspace_id=workspace_id,
            enrollment_id=enrollment.id,
            cause=f"sequence {name} was archived",
            now=now,
            stop_reason=StopReason.ARCHIVED,
        )
    _set_status(tx, workspace_id, name, SequenceStatus.ARCHIVED, EventName.SEQUENCE_ARCHIVED, now)
    return len(unfinished)


def _set_status(
    tx: Transaction, workspace_id: int, name: str, to: SequenceStatus, event: EventName, now: datetime
) -> bool:
    sequence = by_name(tx, workspace_id, name)
    if sequence.status is to:
        return False
    try:
        changed = transitions.change_sequence(sequence, event=event, to=to)
    except transitions.IllegalTransitionError as error:
        raise RefusedError(f"sequence {name!r} is {sequence.status}: {error}") from error
    if to is SequenceStatus.ARCHIVED:
        changed = replace(changed, proposed_version=None)
    save_sequence(tx, sequence, changed)
    note(tx, sequence, event, f"{name} is now {to}", now)
    return True


def _freeze(
    tx: Transaction, sequence: Sequence, version: int, document: Mapping[str, object], digest: str, now: datetime
) -> None:
    tx.run(
        "sequences.insert_version",
        workspace_id=sequence.workspace_id,
        sequence_id=sequence.id,
        version=version,
        document=document,
        digest=digest,
        created_at=now,
    )


def check_references(reader: Reader, workspace_id: int, plan: Plan) -> None:
    """Refuse a plan that leads to a sequence which accepts nobody. Raises NotFoundError and RefusedError."""
    if plan.on_reply is OnReply.ENROLL and plan.reply_sequence != plan.name:
        enrollments.live_sequence(reader, workspace_id, plan.reply_sequence or "")
    elif plan.on_reply is OnReply.ENROLL:
        raise RefusedError(f"on_reply: enroll:{plan.name} leads back into the same sequence; name another one")


def _unsigned(reader: Reader, workspace_id: int, plan: Plan) -> tuple[str, ...]:
    """Return which mailboxes of the plan have no signature, if one of its texts cannot do without."""
    variants = (variant for step in plan.steps if isinstance(step, EmailStep) for variant in step.variants)
    if not any(map(needs_signature, variants)):
        return ()
    return tuple(box.address for box in mailboxes_of(reader, workspace_id, plan) if box.signature_text is None)


def _not_connected(reader: Reader, workspace_id: int, plan: Plan) -> tuple[str, ...]:
    """Return what the plan names and nobody has connected: addresses, domains with their @, or a pool by its name.

    The default pool is nobody's slip of the pen, and a plan that only records needs no mailbox.
    """
    if plan.delivery is Delivery.RECORD_ONLY:
        return ()
    connected = reader.all(Mailbox, "mailboxes.of_workspace", workspace_id=workspace_id)
    if plan.mailboxes:
        each = [replace(plan, mailboxes=(name,)) for name in plan.mailboxes]
        return tuple(one.mailboxes[0] for one in each if not any(admits(one, box) for box in connected))
    empty = plan.pool is not None and not any(admits(plan, box) for box in connected)
    return (f"pool {plan.pool}",) if empty and plan.pool != DEFAULT_POOL else ()


def _check_hours(reader: Reader, workspace_id: int, plan: Plan, now: datetime) -> None:
    """Refuse a window that never opens from now on, or never while a mailbox of the sequence is at work.

    Which hours a lead's own zone makes of it nobody knows before the lead is there; then its skip reason says so.
    """
    zone = workspace_of(reader, workspace_id).timezone
    window = plan.window
    if isinstance(
        opens_at(window, zone_of(window, lead_timezone=None, mailbox_timezone=None, workspace_timezone=zone), now),
        Never,
    ):
        raise RefusedError(
            f"the window of {plan.name!r} never opens from {now:%Y-%m-%d} on: every day that it names is a holiday or "
            "blacked out; name other days, or take some of the dates away"
        )
    boxes = mailboxes_of(reader, workspace_id, plan)
    if window.always or window.timezone == "lead" or not boxes:
        return
    if not any(_meets(box, window, zone, now) for box in boxes):
        raise RefusedError(
            f"the window of {plan.name!r} never opens in the working hours of its mailboxes, such as "
            f"{boxes[0].address} ({boxes[0].workday}); change the window, or `relance mailbox set ADDRESS --workday`"
        )


def _window_zone(window: Window, mailbox_timezone: str | None, workspace_timezone: str | None) -> ZoneInfo:
    return zone_of(window, lead_timezone=None, mailbox_timezone=mailbox_timezone, workspace_timezone=workspace_timezone)


def _meets(box: Mailbox, window: Window, workspace_timezone: str | None, now: datetime) -> bool:
    if box.workday is None:
        return True
    return meets(
        workday_of(box.workday),
        window,
        zone=first_zone(box.timezone, workspace_timezone),
        window_zone=zone_of(
            window, lead_timezone=None, mailbox_timezone=box.timezone, workspace_timezone=workspace_timezone
        ),
        at=now,
        days=SEARCH_DAYS,
        key=box.address,
    )


def note(tx: Transaction, sequence: Sequence, name: EventName, detail: str, now: datetime) -> None:
    """Keep for ever what happened to a sequence."""
    record(
        tx,
        Event(workspace_id=sequence.workspace_id, at=now, name=name, detail=detail, sequence_id=sequence.id),
    )
