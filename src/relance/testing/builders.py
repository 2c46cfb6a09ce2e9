"""Workspaces, mailboxes, leads, sequences and enrollments for tests, made by the real services inside a transaction.

Each builder is called like a service: `await store.write(builders.lead, workspace, "ann@acme.example")`.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from relance.core.enrollment import Enrollment
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import (
    BranchStep,
    Condition,
    Delay,
    EmailStep,
    Plan,
    Sequence,
    Step,
    Unit,
    Variant,
    WaitStep,
    Window,
)
from relance.core.workspace import Workspace
from relance.ports.store import Reader, Transaction
from relance.services import enrollments, leads, mailboxes, sequences, workspaces
from relance.services.situations import Keys
from relance.testing.fake_clock import MONDAY

KEYS = Keys(message_id=b"m" * 32, trace=b"t" * 32, tombstone=b"s" * 32)  #: Stand-ins for what a vault derives.
PROVIDER = "fake"


def workspace(tx: Transaction, name: str = "acme", *, timezone: str | None = None, now: datetime = MONDAY) -> Workspace:
    """Make a workspace, or return it."""
    return workspaces.ensure_workspace(
        tx, name=name, uid=f"uid-{name}", wrapped_key=b"wrapped", timezone=timezone, now=now
    )


def mailbox(
    tx: Transaction,
    /,
    workspace: Workspace,
    address: str = "bo@ours.example",
    *,
    now: datetime = MONDAY,
    **changes: Any,  # noqa: ANN401  # the fields of a mailbox, by name
) -> Mailbox:
    """Connect a mailbox past its ramp that knows that its server saves what it relays; `changes` are its fields."""
    unborn = Mailbox(
        workspace_id=workspace.id,
        id=0,
        provider=PROVIDER,
        login=address,
        address=address,
        ramp=False,
        saves_sent=True,
        ids_survive=True,
        shard=mailboxes.shard_of(PROVIDER, address),
        created_at=now,
    )
    return mailboxes.add(tx, replace(unborn, **changes), sealed=b"sealed", now=now)


def lead(tx: Transaction, workspace: Workspace, email: str, /, *, now: datetime = MONDAY, **values: str) -> Lead:
    """Add a lead, or merge it with the one that is known."""
    added = leads.add(
        tx,
        workspace_id=workspace.id,
        email=email,
        values={"first_name": "Ann", **values},
        source="test",
        list_name=None,
        now=now,
    )
    found = tx.one(Lead, "leads.get", workspace_id=workspace.id, id=added.lead_id)
    assert found is not None
    return found


def delay(text: str) -> Delay:
    """Return what is written as `3d`."""
    unit = text.lstrip("0123456789")
    return Delay(amount=int(text.removesuffix(unit)), unit=Unit(unit))


def email(step_id: str, after: str = "0s", *, subject: str | None = None, text: str = "Hello {{ first_name }}") -> Step:
    """Return a step that sends; without a subject it follows up."""
    wording = Variant(id="a", weight=1, subject=subject, text=text, html=None)
    return EmailStep(id=step_id, after=delay(after), variants=(wording,))


def wait(step_id: str, duration: str, after: str = "0s") -> Step:
    """Return a step that lets time pass."""
    return WaitStep(id=step_id, after=delay(after), duration=delay(duration))


def branch(step_id: str, condition: Condition, then: str, otherwise: str | None = None) -> Step:
    """Return a step that goes one way or the other."""
    return BranchStep(id=step_id, after=delay("0s"), condition=condition, then=then, otherwise=otherwise)


def plan(*steps: Step, name: str = "q4", **changes: Any) -> Plan:  # noqa: ANN401  # the fields of a plan, by name
    """Return a plan whose window is always open: by default an opening mail and two follow-ups, a day apart each."""
    three = (email("intro", subject="Question"), email("bump", "1d"), email("last", "1d"))
    return replace(Plan(name=name, steps=steps or three, window=Window(always=True)), **changes)


_default_plan = plan  # `published` has a parameter of that name


def published(tx: Transaction, workspace: Workspace, plan: Plan | None = None, *, now: datetime = MONDAY) -> Sequence:
    """Publish a plan, by default `plan()`, and return its sequence."""
    chosen = plan or _default_plan()
    sequences.publish(tx, workspace_id=workspace.id, plan=chosen, now=now)
    return sequences.by_name(tx, workspace.id, chosen.name)


def enrollment(
    tx: Transaction,
    workspace: Workspace,
    who: Lead | Iterable[Lead],
    sequence: str = "q4",
    *,
    keys: Keys = KEYS,
    now: datetime = MONDAY,
) -> Enrollment:
    """Enroll one or several leads and return the enrollment of the last one."""
    listed = [who] if isinstance(who, Lead) else list(who)
    enrollments.enroll(
        tx,
        workspace_id=workspace.id,
        sequence_name=sequence,
        lead_ids=[one.id for one in listed],
        source_list=None,
        keys=keys,
        now=now,
    )
    return enrollment_of(tx, workspace, listed[-1], sequence)


def enrollment_of(reader: Reader, workspace: Workspace, lead: Lead, sequence: str = "q4") -> Enrollment:
    """Return the enrollment of a lead in a sequence as it is now."""
    found = reader.all(
        Enrollment,
        "enrollments.chosen",
        workspace_id=workspace.id,
        sequence_id=sequences.by_name(reader, workspace.id, sequence).id,
        lead_id=lead.id,
    )
    assert len(found) == 1, f"{lead.email} has {len(found)} enrollments in {sequence}"
    return found[0]
