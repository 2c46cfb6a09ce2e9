"""Values for the tests of the rules: complete, and different only where a test says so."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import Enrollment, EnrollmentStatus
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import (
    BranchStep,
    Condition,
    Delay,
    EmailStep,
    Plan,
    Sequence,
    SequenceStatus,
    Step,
    Unit,
    Variant,
    WaitStep,
    Window,
)
from relance.core.situation import Situation, Usage

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)  #: A Monday morning.
NO_DELAY = Delay(amount=0, unit=Unit.SECONDS)
DELAYS = st.builds(Delay, amount=st.integers(0, 40), unit=st.sampled_from(Unit))


def delay(text: str) -> Delay:
    """Return what is written as `3d`."""
    unit = text.lstrip("0123456789")
    return Delay(amount=int(text.removesuffix(unit)), unit=Unit(unit))


def variant(**changes: Any) -> Variant:
    """Return a wording."""
    return replace(Variant(id="a", weight=1, subject="Hello", text="Hi", html=None), **changes)


def email(step_id: str, after: str = "0s", *variants: Variant) -> EmailStep:
    """Return a step that sends."""
    return EmailStep(id=step_id, after=delay(after), variants=variants or (variant(),))


def wait(step_id: str, duration: str, after: str = "0s") -> WaitStep:
    """Return a step that lets time pass."""
    return WaitStep(id=step_id, after=delay(after), duration=delay(duration))


def branch(
    step_id: str, condition: Condition, then: str, otherwise: str | None = None, after: str = "0s"
) -> BranchStep:
    """Return a step that goes one way or the other."""
    return BranchStep(id=step_id, after=delay(after), condition=condition, then=then, otherwise=otherwise)


def plan(*steps: Step, **changes: Any) -> Plan:
    """Return a plan whose window is always open."""
    return replace(Plan(name="q4", steps=steps or (email("intro"),), window=Window(always=True)), **changes)


def enrollment(**changes: Any) -> Enrollment:
    """Return an active enrollment on step `intro` that is due now."""
    return replace(
        Enrollment(
            workspace_id=1,
            id=41,
            uid="0" * 32,
            sequence_id=3,
            version=1,
            lead_id=17,
            status=EnrollmentStatus.ACTIVE,
            step="intro",
            step_kind="email",
            step_counter=1,
            next_due_at=NOW,
            created_at=NOW - timedelta(days=1),
        ),
        **changes,
    )


def attempt(**changes: Any) -> Attempt:
    """Return a reserved attempt at step `intro`."""
    return replace(
        Attempt(
            workspace_id=1,
            id=7,
            enrollment_id=41,
            lead_id=17,
            sequence_id=3,
            mailbox_id=5,
            step="intro",
            version=1,
            step_counter=1,
            variant="a",
            status=AttemptStatus.RESERVED,
            message_id="<m1@example.com>",
            trace="t1",
            recipient="ada@acme.example",
            opens_thread=True,
            planned_at=NOW,
            holds_slot=True,
            slot_day="2026-11-30",
            slot_hour="2026-11-30T10+0000",
            created_at=NOW,
        ),
        **changes,
    )


def lead(**changes: Any) -> Lead:
    """Return a lead."""
    return replace(Lead(workspace_id=1, id=17, email="ada@mail.acme.example", created_at=NOW), **changes)


def mailbox(**changes: Any) -> Mailbox:
    """Return a mailbox that may send, past its ramp."""
    return replace(
        Mailbox(
            workspace_id=1,
            id=5,
            provider="smtp_imap",
            login="me@example.com",
            address="me@example.com",
            ramp=False,
            shard=0,
            created_at=NOW,
        ),
        **changes,
    )


def sequence(**changes: Any) -> Sequence:
    """Return a live sequence."""
    return replace(
        Sequence(workspace_id=1, id=3, name="q4", status=SequenceStatus.LIVE, version=1, created_at=NOW), **changes
    )


def situation(**changes: Any) -> Situation:
    """Return a situation in which every gate passes."""
    the_plan = changes.get("plan") or plan()
    row = changes.get("enrollment") or enrollment()
    return replace(
        Situation(
            now=NOW,
            worker="w1",
            woken_counter=row.step_counter,
            enrollment=row,
            sequence=sequence(),
            plan=the_plan,
            step=the_plan.step(row.step),
            lead=lead(),
            suppressions=(),
            workspace_timezone=None,
            workspace_quiet_hours=None,
            first_contact=True,
            written=(),
            recent_sends=(),
            unknown_attempt_until=None,
            mailbox=mailbox(),
            mailbox_usage=Usage(),
            sequence_usage=Usage(),
            new_usage=Usage(),
        ),
        **changes,
    )
