"""What people do with a conversation without writing: put somebody in charge, let it sleep, finish it, mark it.

Each leaves an event with who did it. Doing what is done already changes nothing.
"""

from datetime import datetime

from relance.core.attempt import Attempt
from relance.core.counts import Outcome
from relance.core.events import Event, EventName
from relance.core.inbound import HUMAN
from relance.core.lead import Lead
from relance.core.thread import LONGEST_SNOOZE, Interest, Thread
from relance.core.values import replace
from relance.ports.store import Reader, Transaction
from relance.services import counting, leads
from relance.services.records import record
from relance.services.refusals import NotFoundError, RefusedError
from relance.services.summaries import save


def get(reader: Reader, *, workspace_id: int, thread_id: int) -> Thread:
    """Return a conversation. Raises NotFoundError."""
    found = reader.one(Thread, "threads.get", workspace_id=workspace_id, id=thread_id)
    if found is None:
        raise NotFoundError(f"there is no conversation {thread_id}")
    return found


def assign(
    tx: Transaction,
    *,
    workspace_id: int,
    thread_id: int,
    assignee_id: int | None,
    name: str | None,
    by: str,
    now: datetime,
) -> Thread:
    """Put somebody in charge, or nobody. The caller sees to it that `assignee_id` is a member; `name` is theirs."""
    thread = locked(tx, workspace_id, thread_id)
    said = f"{by} put {name} in charge" if assignee_id is not None else f"{by} put nobody in charge"
    return _change(tx, thread, replace(thread, assignee_id=assignee_id), EventName.THREAD_ASSIGNED, said, now)


def snooze(tx: Transaction, *, workspace_id: int, thread_id: int, until: datetime, by: str, now: datetime) -> Thread:
    """Let an open conversation sleep until then, or until its person writes again. Raises RefusedError."""
    thread = locked(tx, workspace_id, thread_id)
    if not now < until <= now + LONGEST_SNOOZE:
        raise RefusedError("a conversation sleeps until a time to come, at most a year ahead")
    said = f"{by} let it sleep until {until:%Y-%m-%d %H:%M} UTC"
    return _change(tx, thread, replace(thread, open=True, snoozed_until=until), EventName.THREAD_SNOOZED, said, now)


def finish(tx: Transaction, *, workspace_id: int, thread_id: int, by: str, now: datetime) -> Thread:
    """Say that nobody need look at it any more; a new message of its person opens it again."""
    thread = locked(tx, workspace_id, thread_id)
    done = replace(thread, open=False, snoozed_until=None)
    return _change(tx, thread, done, EventName.THREAD_FINISHED, f"{by} finished the conversation", now)


def reopen(tx: Transaction, *, workspace_id: int, thread_id: int, by: str, now: datetime) -> Thread:
    """Say that somebody ought to look at it, now."""
    thread = locked(tx, workspace_id, thread_id)
    again = replace(thread, open=True, snoozed_until=None)
    return _change(tx, thread, again, EventName.THREAD_REOPENED, f"{by} opened the conversation again", now)


def mark(tx: Transaction, *, workspace_id: int, thread_id: int, interest: Interest, by: str, now: datetime) -> Thread:
    """Say what somebody reads in the answers; what is positive is counted for the message that was answered."""
    thread = locked(tx, workspace_id, thread_id)
    saved = _change(
        tx, thread, replace(thread, interest=interest), EventName.THREAD_MARKED, f"{by} marked it {interest}", now
    )
    if saved.interest is not thread.interest and thread.enrollment_id is not None:
        _count(tx, saved, thread.enrollment_id, now)
    return saved


def note(tx: Transaction, *, workspace_id: int, thread_id: int, text: str, by: str, now: datetime) -> int:
    """Note something about the person; return how many of their enrollments that paused (policy `on_note`)."""
    thread = get(tx, workspace_id=workspace_id, thread_id=thread_id)
    if not text.strip():
        raise RefusedError("the note is empty; write what others should know")
    lead = tx.one(Lead, "leads.get", workspace_id=workspace_id, id=thread.lead_id)
    if lead is None:
        raise NotFoundError(f"the person of conversation {thread_id} is gone")
    return leads.note(tx, workspace_id=workspace_id, email=lead.email, text=text.strip(), author=by, now=now)


def locked(tx: Transaction, workspace_id: int, thread_id: int) -> Thread:
    """Return a conversation, held until the transaction ends. Raises NotFoundError."""
    found = tx.one(Thread, "threads.lock", workspace_id=workspace_id, id=thread_id)
    if found is None:
        raise NotFoundError(f"there is no conversation {thread_id}")
    return found


def _change(tx: Transaction, before: Thread, after: Thread, name: EventName, said: str, now: datetime) -> Thread:
    if after == before:
        return before
    saved = save(tx, before, after)
    told(tx, saved, name, said, now)
    return saved


def told(tx: Transaction, thread: Thread, name: EventName, said: str, now: datetime) -> None:
    """Append an event about a conversation."""
    record(
        tx,
        Event(
            workspace_id=thread.workspace_id,
            at=now,
            name=name,
            detail=said,
            data={"thread": thread.id},
            lead_id=thread.lead_id,
            enrollment_id=thread.enrollment_id,
            sequence_id=thread.sequence_id,
            mailbox_id=thread.mailbox_id,
        ),
    )


def _count(tx: Transaction, thread: Thread, enrollment_id: int, now: datetime) -> None:
    ids = {"workspace_id": thread.workspace_id, "enrollment_id": enrollment_id}
    if thread.interest is not Interest.POSITIVE:
        counting.taken_back(tx, **ids, outcome=Outcome.POSITIVE)
        return
    answered = tx.one(Attempt, "threads.answered_attempt", **ids, human_list=tuple(sorted(HUMAN)))
    if answered is not None:
        counting.came_of_it(tx, answered, Outcome.POSITIVE, now=now)
