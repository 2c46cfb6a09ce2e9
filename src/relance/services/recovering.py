"""An older state was put back: what its mailboxes have done and received since is read from them before they send.

Rule 1: every mailbox recovers, and while one does nothing is sent in its workspace, nor is a branch decided.
Rule 2: first the Sent folders of all mailboxes of a workspace, then everything else: an answer can only be understood
        once the message is known that it answers, and that may have left from another mailbox.
Rule 3: what was under way when the older state was noticed may show in Sent for a while. Absence counts by the same
        rule as for one lost outcome: no reading of Sent is the last before the ambiguity grace is over, and something
        must lie there that left late enough.
Rule 4: where Sent cannot be read, or proves nothing, a person decides. Nothing is guessed.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from relance.core import backoff, defaults
from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment, EnrollmentStatus
from relance.core.events import Event, EventName
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.core.suppression import SuppressionKind, SuppressionReason
from relance.ports.journal import OptOut
from relance.ports.store import Reader, Transaction
from relance.services import suppressions
from relance.services.candidates import admits
from relance.services.mailboxes import enter_recovery, mark_read
from relance.services.records import record
from relance.services.refusals import RefusedError
from relance.services.sending import forgotten
from relance.services.sending.reserve import lock
from relance.services.situations import plan_of
from relance.services.workspaces import everyone

#: Mail that came in this long before a mailbox was connected may be an answer too.
BEFORE_CONNECTED = timedelta(days=1)
#: Of the newest messages that a mailbox is known to have sent, one at least must lie in its Sent folder.
WITNESSES = 20
#: Whoever stood so may have been let go on since, and set aside again.
_SET_ASIDE = frozenset({EnrollmentStatus.PAUSED, EnrollmentStatus.HELD})
_NEVER = datetime.max.replace(tzinfo=UTC)
#: Why a mailbox that was read waits for a person.
SENT_UNPROVEN = "sent_unproven"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """The Sent folder tells what left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unproven:
    """It does not, for this reason: a person decides."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TooEarly:
    """It may not tell everything yet, and is read again then."""

    until: datetime


def enter(tx: Transaction, *, alive_at: datetime | None, why: str, now: datetime) -> int:
    """Let every connected mailbox recover, and return how many that are.

    `alive_at` is the time to which the state was certainly worked on; None: nobody knows, so all of it is read.
    """
    boxes = tx.all(Mailbox, "mailboxes.connected")
    for box in boxes:
        connected = box.created_at - BEFORE_CONNECTED
        since = min(alive_at or connected, box.fresh_at or connected) - defaults.RECOVERY_MARGIN
        reason = enter_recovery(tx, box, since=since, why=why, now=now)
        _note(tx, box, EventName.RESTORE_NOTICED, reason, now)
    return len(boxes)


def copies_are_in_at(mailbox: Mailbox) -> datetime:
    """Return from when on everything that left before the older state was noticed lies in Sent, if it ever will."""
    return (mailbox.recover_noticed_at or mailbox.created_at) + defaults.AMBIGUITY_GRACE


def recovering(reader: Reader) -> list[Mailbox]:
    """Return every mailbox that recovers, over the installation."""
    return reader.all(Mailbox, "mailboxes.recovering")


def ready_for_answers(boxes: Iterable[Mailbox]) -> list[Mailbox]:
    """Return those, of all that recover, in whose workspace every Sent folder is understood as far as it can be."""
    by_workspace: dict[int, list[Mailbox]] = defaultdict(list)
    for box in boxes:
        by_workspace[box.workspace_id].append(box)
    complete = [group for group in by_workspace.values() if all(box.sent_read_back_at is not None for box in group)]
    return [box for group in complete for box in group]


def unknown_opt_outs(reader: Reader, entries: Iterable[OptOut]) -> list[tuple[int, OptOut]]:
    """Return the entries of the log that the database does not know, each with the id of its workspace."""
    by_workspace: dict[str, dict[str, OptOut]] = defaultdict(dict)
    for entry in entries:
        by_workspace[entry.workspace_uid].setdefault(entry.digest, entry)
    unknown: list[tuple[int, OptOut]] = []
    for workspace in everyone(reader) if by_workspace else ():
        kept = by_workspace.get(workspace.uid, {})
        known = set(reader.all(str, "opt_outs.known", workspace_id=workspace.id, digests_list=list(kept)))
        unknown += [(workspace.id, entry) for digest, entry in kept.items() if digest not in known]
    return unknown


def replay_opt_outs(tx: Transaction, entries: Iterable[OptOut], *, now: datetime) -> int:
    """Suppress whoever opted out after the backup, by the keyed hash that was kept; return how many that were."""
    reasons = {str(reason): reason for reason in SuppressionReason}
    replayed = 0
    for workspace_id, entry in unknown_opt_outs(tx, entries):
        tx.run("opt_outs.add", workspace_id=workspace_id, digest=entry.digest, reason=entry.reason, at=entry.at)
        replayed += suppressions.suppress(
            tx,
            workspace_id=workspace_id,
            kind=SuppressionKind.TOMBSTONE,
            value=entry.digest,
            reason=reasons.get(entry.reason, SuppressionReason.UNSUBSCRIBED),
            source=f"opt-out log, {entry.at:%Y-%m-%d %H:%M} UTC",
            now=now,
        )
    return replayed


def newest_sent(reader: Reader, mailbox: Mailbox) -> list[Attempt]:
    """Return the newest messages that a mailbox is known to have sent: one of them has to lie in its Sent folder."""
    ids = {"workspace_id": mailbox.workspace_id, "mailbox_id": mailbox.id}
    return reader.all(Attempt, "attempts.latest_sent", **ids, limit=WITNESSES)


def proof_of(mailbox: Mailbox, *, sent_folder: bool, shows_known: bool) -> Proven | Unproven:
    """Say whether what lies in Sent tells what left.

    `sent_folder`: one was read. `shows_known`: of `newest_sent` one lies there now, or there is none.
    """
    if not sent_folder:
        return Unproven(reason="it has no Sent folder")
    if mailbox.saves_sent is None:
        return Unproven(reason="it is not known whether its server keeps copies of what it sends")
    if not shows_known:
        return Unproven(reason="nothing that it is known to have sent lies in its Sent folder")
    return Proven()


def sent_read_back(
    tx: Transaction, mailbox: Mailbox, *, sent_folder: bool, shows_known: bool, began_at: datetime, now: datetime
) -> Proven | Unproven | TooEarly:
    """Record that every copy of ours in a mailbox's Sent folder is understood, or why that proves nothing.

    `began_at`: when the reading began. One that began too early is not the last. The others as `proof_of` takes them.
    """
    last = copies_are_in_at(mailbox)
    if began_at < last:
        read_later(tx, mailbox, until=last)
        return TooEarly(until=last)
    proof = proof_of(mailbox, sent_folder=sent_folder, shows_known=shows_known)
    reason, skip_reason = mailbox.status_reason, None
    if isinstance(proof, Unproven):
        reason, skip_reason = f"{proof.reason}: {person_decides(mailbox)}", SENT_UNPROVEN
    tx.run("mailboxes.mark_sent_read_back", **_this_time(mailbox), reason=reason, skip_reason=skip_reason, now=now)
    return proof


def read_later(tx: Transaction, mailbox: Mailbox, *, until: datetime) -> None:
    """Read it again then; nothing has failed."""
    ids = {"workspace_id": mailbox.workspace_id, "id": mailbox.id, "recover_noticed_at": mailbox.recover_noticed_at}
    tx.run("mailboxes.read_back_later", **ids, until=until)


def not_read(tx: Transaction, mailbox: Mailbox, *, error: str, now: datetime) -> datetime:
    """Put the reading back off, with growing patience; return until when."""
    until = now + backoff.mailbox_rest(mailbox.consecutive_failures + 1)
    detail = f"{error}; if that lasts, {person_decides(mailbox)}"
    tx.run(
        "mailboxes.put_off_for_trouble",
        workspace_id=mailbox.workspace_id,
        id=mailbox.id,
        status=MailboxStatus.RECOVERING,
        reason="recovery",
        detail=detail[:500],
        until=until,
    )
    if not mailbox.consecutive_failures:
        _note(tx, mailbox, EventName.MAILBOX_FAILED, detail, now)
    return until


def person_decides(mailbox: Mailbox) -> str:
    """Return what a person has to do about a mailbox that cannot be read back."""
    since = f"{mailbox.recover_since:%Y-%m-%d %H:%M} UTC" if mailbox.recover_since else "the backup"
    return f"look what it sent since {since}, then `relance mailbox recovered {mailbox.address}`"


def recovery_remedy(mailbox: Mailbox) -> str:
    """Return what to do about a mailbox that recovers."""
    if mailbox.last_skip_reason == SENT_UNPROVEN:
        return person_decides(mailbox)
    if mailbox.consecutive_failures:
        return f"try `relance mailbox check {mailbox.address}`; if that does not help, {person_decides(mailbox)}"
    again = f", the last time after {copies_are_in_at(mailbox):%H:%M} UTC, because copies may come late"
    return f"let `relance run` read it back{again}; nothing is sent in its workspace before that"


def finish(tx: Transaction, mailbox: Mailbox, *, started_at: datetime, now: datetime) -> bool:
    """Let a mailbox go that was read back, all of it understood; return False if it must not go, or begin anew."""
    if mailbox.last_skip_reason == SENT_UNPROVEN or not _leave(tx, mailbox):
        return False
    mark_read(tx, workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id, started_at=started_at, now=now)
    _note(tx, mailbox, EventName.MAILBOX_RECOVERED, f"{mailbox.address} was read back after a restore", now)
    return True


def decide(tx: Transaction, mailbox: Mailbox, *, hold: bool, now: datetime) -> int:
    """Let a mailbox go on by a person's decision; return how many enrollments were held for it.

    `hold`: whoever it may have written to since the backup is set aside, to be decided one by one; otherwise the person
    says that the database knows everything it has sent. Raises RefusedError if it does not recover.
    """
    if mailbox.status is not MailboxStatus.RECOVERING:
        raise RefusedError(f"{mailbox.address} does not recover; it is {mailbox.status}")
    held = [_hold(tx, row, mailbox, now) for row in _maybe_written_to(tx, mailbox, now)] if hold else []
    _leave(tx, mailbox)
    how = f"{sum(held)} enrollments were held" if hold else "it has sent nothing that is not known"
    _note(tx, mailbox, EventName.MAILBOX_RECOVERED, f"a person let {mailbox.address} go on: {how}", now)
    return sum(held)


def _maybe_written_to(reader: Reader, mailbox: Mailbox, now: datetime) -> list[Enrollment]:
    """Return the enrollments whose next step may have left from this mailbox since the backup."""
    rows = reader.all(
        Enrollment, "enrollments.chosen", workspace_id=mailbox.workspace_id, sequence_id=None, lead_id=None
    )
    maybe = (row for row in rows if row.status in _SET_ASIDE or (row.next_due_at or _NEVER) <= now)
    return [
        row
        for row in maybe
        if row.mailbox_id == mailbox.id or (row.mailbox_id is None and _admitted(reader, row, mailbox))
    ]


def _admitted(reader: Reader, row: Enrollment, mailbox: Mailbox) -> bool:
    return admits(plan_of(reader, row.workspace_id, row.sequence_id, row.version), mailbox)


def _hold(tx: Transaction, found: Enrollment, mailbox: Mailbox, now: datetime) -> bool:
    row = lock(tx, found.workspace_id, found.id)
    if row is None or row.terminal:
        return False
    cause = f"{mailbox.address} may have written to this person since the backup that was put back, and nobody can look"
    forgotten.hold(tx, row, hold_reason=forgotten.HOLD_REASON, cause=cause, now=now)
    return True


def _leave(tx: Transaction, mailbox: Mailbox) -> bool:
    return tx.run("mailboxes.leave_recovery", **_this_time(mailbox), paused="paused before the restore") == 1


def _this_time(mailbox: Mailbox) -> dict[str, int | datetime | None]:
    """Name the recovery that was read: one that began anew meanwhile is not to be ended for it."""
    return {
        "workspace_id": mailbox.workspace_id,
        "id": mailbox.id,
        "recover_since": mailbox.recover_since,
        "recover_noticed_at": mailbox.recover_noticed_at,
    }


def _note(tx: Transaction, mailbox: Mailbox, name: EventName, detail: str, now: datetime) -> None:
    record(tx, Event(workspace_id=mailbox.workspace_id, at=now, name=name, detail=detail[:500], mailbox_id=mailbox.id))
