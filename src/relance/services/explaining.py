"""`explain`: one call answers for one lead. The command line, the API and the page print what this returns.

Its place and its end with the reason, every message out (time, mailbox, variant) and in, and the gates as they are now.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from relance.core import defaults, explaining, gates
from relance.core.attempt import Attempt, AttemptStatus
from relance.core.enrollment import WALKING, Enrollment, HistoryEntry
from relance.core.lead import Lead, Touch
from relance.core.mailbox import Mailbox
from relance.core.sequence import Sequence
from relance.core.situation import Situation
from relance.core.verdict import PASS, Defer, Holds, Leave, Stop, Verdict
from relance.ports.store import Reader
from relance.services import leads
from relance.services.candidates import may_open
from relance.services.dispatching import mailboxes_of
from relance.services.limits import measured
from relance.services.refusals import NotFoundError
from relance.services.sequences import by_name
from relance.services.situations import Keys, gather, suppressions_of, workspace_of

_LEFT = frozenset({AttemptStatus.SENT, AttemptStatus.NOT_DELIVERED})
#: Who asks: not a worker that could hold a lock.
_NOBODY = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageLine:
    """One message that went to or came from a lead."""

    at: datetime
    direction: str
    kind: str
    from_address: str | None
    to_address: str | None
    subject: str | None
    message_id: str | None
    matched_by: str | None
    enrollment_id: int | None
    attempt_id: int | None


def explain(
    reader: Reader, *, workspace_id: int, email: str, sequence_name: str | None, keys: Keys, now: datetime
) -> dict[str, object]:
    """Return everything about one lead, in the shape that `relance explain --json` prints. Raises NotFoundError."""
    lead = leads.by_email(reader, workspace_id, email)
    wanted = leads.enrollments_of(reader, lead)
    if sequence_name is not None:
        sequence = by_name(reader, workspace_id, sequence_name)
        wanted = [e for e in wanted if e.sequence_id == sequence.id]
        if not wanted:
            raise NotFoundError(f"{lead.email} is not in sequence {sequence_name!r}")
    messages = reader.all(MessageLine, "messages.of_lead", workspace_id=workspace_id, lead_id=lead.id)
    messages.sort(key=_as_they_followed)
    return {
        "lead": _lead(reader, lead, keys),
        "enrollments": [_enrollment(reader, row, messages, keys, now) for row in wanted],
    }


def _as_they_followed(message: MessageLine) -> tuple[datetime, bool, datetime]:
    """Order what came in behind what went out in the same second: mail servers know whole seconds only (RFC 9051)."""
    return message.at.replace(microsecond=0), message.direction == "in", message.at


def _lead(reader: Reader, lead: Lead, keys: Keys) -> dict[str, object]:
    touches = reader.all(Touch, "leads.touches", workspace_id=lead.workspace_id, lead_id=lead.id)
    return {
        "id": lead.id,
        "email": lead.email,
        "fields": dict(lead.fields),
        "hold_until": stamp(lead.hold_until),
        "suppressions": [
            {"kind": s.kind, "value": s.value, "scope": s.scope, "reason": s.reason, "at": stamp(s.created_at)}
            for s in suppressions_of(reader, lead, keys)
        ],
        "touches": [{"at": stamp(t.at), "source": t.source, "detail": t.detail} for t in touches],
    }


def _enrollment(
    reader: Reader, row: Enrollment, messages: list[MessageLine], keys: Keys, now: datetime
) -> dict[str, object]:
    ids = {"workspace_id": row.workspace_id}
    sequence = reader.one(Sequence, "sequences.get", **ids, id=row.sequence_id)
    attempts = reader.all(Attempt, "attempts.of_enrollment", **ids, enrollment_id=row.id)
    history = reader.all(HistoryEntry, "enrollments.history", **ids, enrollment_id=row.id)
    addresses = _addresses(reader, row, attempts)
    own = [m for m in messages if m.enrollment_id == row.id]
    situation = _situation(reader, row, keys, now)
    verdicts = [] if row.terminal else gates.survey(situation)
    deciding = gates.evaluate(situation) if row.status in WALKING else None
    if situation.mailbox is None and row.step_kind == "email" and deciding is not None and deciding[1] == PASS:
        deciding = ("mailbox", _no_mailbox(now))
        verdicts = [(name, deciding[1] if name == "mailbox" else verdict) for name, verdict in verdicts]
    pinned = addresses.get(row.mailbox_id) if row.mailbox_id is not None else None
    return {
        "id": row.id,
        "sequence": sequence.name if sequence else None,
        "version": row.version,
        "status": row.status,
        "stop_reason": row.stop_reason,
        "step": row.step,
        "step_counter": row.step_counter,
        "mailbox": pinned,
        "next_due_at": stamp(row.next_due_at),
        "last_sent_at": stamp(row.last_sent_at),
        "last_inbound_at": stamp(row.last_inbound_at),
        "last_skip_reason": row.last_skip_reason,
        "skip_until": stamp(row.skip_until),
        "last_skip_at": stamp(row.last_skip_at),
        "hold_reason": row.hold_reason,
        "gates": [_gate(name, verdict) for name, verdict in verdicts],
        "attempts": [_attempt(a, addresses) for a in attempts],
        "messages": [_message(m) for m in own],
        "history": [_history(h) for h in history],
        "forecast": [],
        "summary": explaining.summary(
            row,
            verdict=deciding,
            answer=_answer(own, attempts),
            last=history[-1] if history else None,
            mailbox=pinned,
            attempt=next((a for a in attempts if a.open), None),
            left=any(a.step_counter == row.step_counter and a.status in _LEFT for a in attempts),
        ),
    }


def _no_mailbox(now: datetime) -> Defer:
    """Say that nobody can send it. An empty pool is no gate: until a mailbox is there, no pass comes to the row."""
    return Defer(until=now + defaults.RECHECK, reason="no_mailbox", holds=Holds.MAILBOX)


def _situation(reader: Reader, row: Enrollment, keys: Keys, now: datetime) -> Situation:
    """Gather for the mailbox that would send: the pinned one, else the first that the plan admits."""
    mailbox = None
    if row.mailbox_id is not None:
        mailbox = reader.one(Mailbox, "mailboxes.get", workspace_id=row.workspace_id, id=row.mailbox_id)
    workspace = workspace_of(reader, row.workspace_id)
    bare = gather(
        reader,
        workspace=workspace,
        enrollment=row,
        woken_counter=row.step_counter,
        mailbox=mailbox,
        worker=_NOBODY,
        keys=keys,
        now=now,
    )
    if mailbox is None and row.step_kind == "email" and not row.terminal:
        pool = mailboxes_of(reader, row.workspace_id, bare.plan)
        admitted = [box for box in pool if may_open(bare.plan, box, row.lane)]
        soonest = min(
            admitted, key=lambda m: (m.status != "active", m.skip_until or now, m.next_allowed_at or now), default=None
        )
        bare = replace(bare, mailbox=soonest)
    return measured(reader, bare, workspace)


def _addresses(reader: Reader, row: Enrollment, attempts: list[Attempt]) -> Mapping[int, str]:
    wanted = {i for i in (row.mailbox_id, *(a.mailbox_id for a in attempts)) if i is not None}
    found = (reader.one(Mailbox, "mailboxes.get", workspace_id=row.workspace_id, id=i) for i in sorted(wanted))
    return {m.id: m.address for m in found if m is not None}


def _answer(messages: list[MessageLine], attempts: list[Attempt]) -> explaining.Answer | None:
    """Return the first thing that came in and was matched, for the sentence about an early end."""
    steps = {a.id: a.step for a in attempts}
    came_in = [m for m in messages if m.direction == "in" and m.matched_by is not None]
    decisive = [m for m in came_in if m.kind not in {"auto_reply", "delayed", "mdn", "soft_bounce", "block"}]
    first = next(iter(decisive or came_in), None)
    if first is None or first.matched_by is None:
        return None
    step = steps.get(first.attempt_id) if first.attempt_id is not None else None
    return explaining.Answer(at=first.at, step=step, matched_by=first.matched_by)


def _gate(name: str, verdict: Verdict) -> dict[str, object]:
    match verdict:
        case Defer(until=until, reason=reason):
            return {"gate": name, "verdict": "defer", "until": stamp(until), "reason": reason}
        case Stop(cause=cause):
            return {"gate": name, "verdict": "stop", "until": None, "reason": cause}
        case Leave(reason=reason):
            return {"gate": name, "verdict": "leave", "until": None, "reason": reason}
        case _:
            return {"gate": name, "verdict": "pass", "until": None}


def _attempt(attempt: Attempt, addresses: Mapping[int, str]) -> dict[str, object]:
    return {
        "id": attempt.id,
        "step": attempt.step,
        "counter": attempt.step_counter,
        "status": attempt.status,
        "variant": attempt.variant,
        "mailbox": addresses.get(attempt.mailbox_id) if attempt.mailbox_id is not None else None,
        "message_id": attempt.message_id,
        "planned_at": stamp(attempt.planned_at),
        "sent_at": stamp(attempt.sent_at),
        "settled_by": attempt.settled_by,
        "tries": attempt.tries,
        "error": attempt.error,
    }


def _message(message: MessageLine) -> dict[str, object]:
    return {
        "at": stamp(message.at),
        "direction": message.direction,
        "kind": message.kind,
        "from": message.from_address,
        "matched_by": message.matched_by,
        "subject": message.subject,
        "message_id": message.message_id,
    }


def _history(entry: HistoryEntry) -> dict[str, object]:
    return {
        "at": stamp(entry.at),
        "from": entry.from_status,
        "to": entry.to_status,
        "event": entry.event,
        "cause": entry.cause,
        "step": entry.step,
    }


def stamp(at: datetime | None) -> str | None:
    """Write a time as `2026-11-30T09:02:11Z`."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at is not None else None
